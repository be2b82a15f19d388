#!/usr/bin/env bash
# clang-tidy over our C files with the checks of .clang-tidy; arguments name files, default: all of src/.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is not installed"; exit 77; }
cmake --preset clang -DKEIKO_TESTS=OFF > /dev/null
if [ $# -gt 0 ]; then printf '%s\0' "$@"; else git ls-files -z 'src/*.c' ':!src/wasm' ':!src/nn/cuda'; fi |
  xargs -0 -n 8 -P "${JOBS:-2}" clang-tidy --quiet -p build/clang
