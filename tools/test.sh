#!/usr/bin/env bash
# Every check, in the order in which a mistake is cheapest to find. Stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}

step() { printf '\n== %s\n' "$1"; }
build() { cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$jobs" -- --no-print-directory | { grep -vE '^\[ *[0-9]+%\]' || true; }; }

step "layers and formatting"
tools/check-layers.sh
if command -v clang-format >/dev/null; then
  git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
fi

step "release build, gcc, warnings are errors"
make --no-print-directory all JOBS="$jobs" | { grep -vE '^\[ *[0-9]+%\]' || true; }

step "clang build, warnings are errors"
build clang

step "tests under AddressSanitizer and UndefinedBehaviorSanitizer"
build asan
ctest --preset asan -j "$jobs"

step "threads under ThreadSanitizer"
build tsan
ctest --preset tsan -j "$jobs"

step "the installed library, from another program"
tools/check-install.sh
