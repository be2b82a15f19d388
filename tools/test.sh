#!/usr/bin/env bash
# Every check of `make test`, in the order in which a mistake is cheapest to find. Stops at the first step that fails. The end
# is a table of the steps, the slowest tests, what was skipped and why, and the line `N passed, N failed, N skipped`.
# A test program, or a file of browser tests, that fails is run once more. If it passes then, the table names it under "passed at
# the second try": an unsteady test to be mended. One that fails twice has failed, and so has one with a race, a wrong access or undefined behaviour.
# A step without tests of its own (a build) counts as one test. Three builds serve all: gcc for the release, gcc with
# AddressSanitizer, clang with ThreadSanitizer (with the tests of threads only); so each compiler has seen all of src.
#   tools/test.sh         what `make test` runs
#   tools/test.sh soak    the tests alone, in a release build with clang: a part of `make soak`
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-2}
work=build/test
if [ "${1:-}" != build-ahead ]; then rm -rf "$work"; fi
mkdir -p "$work"
for f in steps times skips second; do : >> "$work/$f"; done
export SECOND_TRY=$PWD/$work/second # for web/run-tests.mjs
all=0

build() { # PRESET
  cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$jobs" -- --no-print-directory | { grep -vE '^\[ *[0-9]+%\]' || true; }
}
format() {
  command -v clang-format >/dev/null || { echo "clang-format is not installed"; return 1; }
  git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}
# The builds of later steps begin while tests sleep or wait, with what they leave of the processor. What goes wrong is said by the
# steps themselves, which build again and find most of it done.
ahead() {
  set -m # a group of its own, so that it can be ended with the script
  (nice -n 19 "$0" build-ahead >/dev/null 2>&1) &
  ahead=$!
  set +m
  trap 'kill -- -"$ahead" 2>/dev/null' EXIT
}
build_after() { # PRESET
  wait "$ahead"
  trap - EXIT
  build "$1"
}
release() { make --no-print-directory all JOBS="$jobs" | { grep -vE '^\[ *[0-9]+%\]' || true; }; }

# NAME COMMAND…: a step that is one test
step() {
  local name=$1 start=$SECONDS failed=0
  shift
  [ $all = 0 ] || return
  printf '\n== %s\n' "$name"
  "$@" || failed=1 all=1
  printf '%s\t1\t%d\t%d\t0\t%d\n' "$name" $((1 - failed)) $failed $((SECONDS - start)) >> "$work/steps"
}
# NAME WHY COMMAND…: an optional step. The command leaves with 77 where what it needs is missing. It counts as one test, unless it
# prints what test programs do: "skipped: REASON", and "tests: N passed, N failed, N skipped".
optional() {
  local name=$1 why=$2 start=$SECONDS status passed failed skipped
  shift 2
  [ $all = 0 ] || return
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$work/optional.log"
  status=${PIPESTATUS[0]}
  passed=0 failed=0 skipped=0
  if [ "$status" = 77 ]; then
    skipped=1
    printf '%s\t%s\t%s\n' "$name" "$name" "$why" >> "$work/skips"
  else
    [ "$status" = 0 ] || all=1
    read -r passed failed skipped < <(awk -v bad="$all" '
      /^tests: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p = $2; f = $4; s = $6; counted = 1 }
      END { if (!counted) { p = !bad; f = bad } else if (bad && f == 0) f = 1; print p + 0, f + 0, s + 0 }' "$work/optional.log")
    awk -v name="$name" '/^skipped: / { print name "\t" substr($0, 10) }' "$work/optional.log" >> "$work/skips"
  fi
  printf '%s\t1\t%d\t%d\t%d\t%d\n' "$name" "$passed" "$failed" "$skipped" $((SECONDS - start)) >> "$work/steps"
}
# NAME PRESET: a step that runs ctest, and what failed a second time. Counts and times come from its logs: every test program
# ends with the line "tests: N passed, N failed, N skipped" (tests/test.h); one without it is a single test. The second try of a
# program replaces the first.
tests() {
  local name=$1 preset=$2 start=$SECONDS failed=0
  local logs=build/$preset/Testing/Temporary
  [ $all = 0 ] || return
  printf '\n== %s\n' "$name"
  rm -f "$logs"/LastTestsFailed.log
  ctest --preset "$preset" -j "$jobs" || failed=1
  cp "$logs/LastTest.log" "$work/$preset-1.log"
  : > "$work/$preset-2.log"
  if [ $failed = 1 ] && [ -s "$logs/LastTestsFailed.log" ] &&
    ! grep -qE '(WARNING|ERROR): (Address|Thread)Sanitizer|: runtime error: ' "$work/$preset-1.log"; then
    printf '\n-- second try\n'
    failed=0
    ctest --preset "$preset" -j "$jobs" --rerun-failed || failed=1
    cp "$logs/LastTest.log" "$work/$preset-2.log"
  fi
  [ $failed = 0 ] || all=1
  awk -v name="$name" -v preset="$preset" -v seconds=$((SECONDS - start)) -v bad=$failed -v dir="$work" '
    / Testing: / { test = $NF; counted = 0; reasons = names = "" }
    /^\[  FAILED  \] [a-z_0-9]+$/ && index(names " ", " " $NF " ") == 0 { names = names " " $NF }
    /^Command: ""/ { p = s = 0; f = counted = 1 } # not built
    /^tests: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p = $2; f = $4; s = $6; counted = 1 }
    /^skipped: / { reasons = reasons preset "\t" test "\t" substr($0, 10) "\n" }
    /^Test time = / { print $4 "\t" preset "\t" test >> (dir "/times") }
    /^Test (Passed|Failed)/ {
      if (!counted) { p = $2 ~ /Passed/; f = !p; s = 0 }
      if ($2 ~ /Failed/ && f == 0) f = 1 # it broke after its last test, or took too long
      if (test in of && of[test] > 0 && f == 0) print preset "\t" test (broken[test] == "" ? "" : ":") broken[test] >> (dir "/second")
      broken[test] = names; op[test] = p; of[test] = f; os[test] = s; why[test] = reasons
    }
    END {
      for (t in op) { suites++; passed += op[t]; failed += of[t]; skipped += os[t]; printf "%s", why[t] >> (dir "/skips") }
      if (bad && failed == 0) failed = 1
      printf "%s\t%d\t%d\t%d\t%d\t%d\n", name, suites, passed, failed, skipped, seconds >> (dir "/steps")
    }
  ' "$work/$preset-1.log" "$work/$preset-2.log"
}

if [ "${1:-}" = build-ahead ]; then
  build tsan
  tools/site.sh
  exit
fi
if [ "${1:-}" = soak ]; then
  step "release build with clang" build clang
  tests "tests with large numbers" clang
else
  step "layers" tools/check-layers.sh
  step "formatting" format
  step "release build with gcc" release
  step "documents" tools/check-docs.sh
  step "AddressSanitizer build with gcc" build asan
  ahead
  tests "tests under AddressSanitizer and UBSan" asan
  step "ThreadSanitizer build with clang" build_after tsan
  tests "tests of threads under ThreadSanitizer" tsan
  step "installed library" tools/check-install.sh
  optional "Python package" "python3 with numpy, pytest, setuptools and wheel is missing" tools/python-test.sh
  optional "the page" "tools for it are missing (tools/deps.sh site)" tools/site.sh test
fi

printf '\n%-42s %7s %7s %7s %8s %8s\n' step suites tests failed skipped seconds
awk -F '\t' '
  { printf "%-42s %7d %7d %7d %8d %8d\n", $1, $2, $3 + $4 + $5, $4, $5, $6; n += $2; p += $3; f += $4; s += $5; t += $6 }
  END { printf "%-42s %7d %7d %7d %8d %8d\n", "all", n, p + f + s, f, s, t }' "$work/steps"
printf '\nslowest tests, seconds\n'
sort -rn "$work/times" | head -n 10 | awk -F '\t' '{ printf "%8.1f  %-5s %s\n", $1, $2, $3 }'
if [ -s "$work/skips" ]; then
  printf '\nskipped\n'
  sort "$work/skips" | uniq -c | awk '{ n = $1; $1 = ""; printf "%4d %s\n", n, $0 }'
fi
if [ -s "$work/second" ]; then
  printf '\npassed at the second try\n'
  awk -F '\t' '{ printf "%8s  %s\n", $1, $2 }' "$work/second"
fi
printf '\n'
awk -F '\t' '{ p += $3; f += $4; s += $5 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s }' "$work/steps"
exit $all
