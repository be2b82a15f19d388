#!/usr/bin/env bash
# Runs the libFuzzer harnesses, and keeps their inputs.
#   tools/fuzz.sh [PART]            every harness whose name contains PART, FUZZ_SECONDS (default 60) each, JOBS (2) at a time
#   tools/fuzz.sh --add NAME FILE…  adds inputs to the committed corpus of harness NAME, e.g. fuzz_sgf
#   tools/fuzz.sh --keep [PART]     adds what earlier runs found and what reaches code the committed corpus does not reach
# A harness stops at its first finding, the others go on; the end is a table of executions and findings. Findings are in
# build/fuzz/findings, what a harness said in build/fuzz/logs, new inputs in build/fuzz/grown.
# The committed inputs of all harnesses are one archive, tests/fuzz/corpus.tar.gz, with a folder per harness, made so that the
# same inputs give the same bytes. `make test` replays all of them. An added file keeps its name and replaces the input that has it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
archive=tests/fuzz/corpus.tar.gz

unpack() { # the committed inputs in build/fuzz/corpus/NAME
  rm -rf build/fuzz/corpus
  mkdir -p build/fuzz/corpus
  tar -xzf "$archive" -C build/fuzz/corpus
}
pack() { # and back
  (cd build/fuzz/corpus && find . -type f -printf '%P\0' | LC_ALL=C sort -z |
    tar -c --format=ustar --mode=644 --mtime=@0 --owner=0 --group=0 --numeric-owner --null -T -) |
    gzip -9n > "$archive.new"
  mv "$archive.new" "$archive"
}
add() { # NAME FILE…
  local name=$1
  shift
  [ -f "tests/fuzz/$name.c" ] || { echo "fuzz.sh: there is no harness tests/fuzz/$name.c" >&2; exit 2; }
  unpack
  mkdir -p "build/fuzz/corpus/$name"
  cp -- "$@" "build/fuzz/corpus/$name/"
  pack
  echo "$name: $(find "build/fuzz/corpus/$name" -type f | wc -l) inputs in $archive"
}
build() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz -j "${JOBS:-2}" -- --no-print-directory | { grep -vE '^\[ *[0-9]+%\]' || true; }
}
harnesses() { # PART
  local f
  for f in build/fuzz/tests/fuzz/fuzz_*"$1"*; do
    if [ -x "$f" ] && [ -f "$f" ]; then basename "$f"; fi
  done
}

case ${1:-} in
  --add)
    [ $# -ge 3 ] || { echo "fuzz.sh: --add NAME FILE…" >&2; exit 2; }
    shift
    add "$@"
    exit ;;
  --keep)
    build
    for name in $(harnesses "${2:-}"); do
      [ -d "build/fuzz/grown/$name" ] || continue
      unpack
      mkdir -p "build/fuzz/corpus/$name"
      before=$(find "build/fuzz/corpus/$name" -type f | wc -l)
      mkdir -p "build/fuzz/better/$name"
      cp "build/fuzz/corpus/$name"/* "build/fuzz/better/$name"/ 2>/dev/null || true
      "build/fuzz/tests/fuzz/$name" -merge=1 -verbosity=0 "build/fuzz/better/$name" "build/fuzz/grown/$name" >/dev/null 2>&1
      [ "$(find "build/fuzz/better/$name" -type f | wc -l)" = "$before" ] || add "$name" "build/fuzz/better/$name"/*
      rm -rf "build/fuzz/better/$name"
    done
    exit ;;
  -*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

run() { # NAME: libFuzzer's words go to its log; the row of the table to NAME.row
  local name=$1 log=build/fuzz/logs/$1.txt status=0 found
  mkdir -p "build/fuzz/grown/$name" "build/fuzz/corpus/$name"
  "build/fuzz/tests/fuzz/$name" -max_total_time="$seconds" -max_len=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix=build/fuzz/findings/"$name"- "build/fuzz/grown/$name" "build/fuzz/corpus/$name" >"$log" 2>&1 || status=$?
  # On a busy machine every input may be slow: what counts is 5 s of CPU time.
  local TIMEFORMAT=%U unit cpu
  for unit in build/fuzz/findings/"$name"-slow-unit-*; do
    [ -f "$unit" ] || continue
    cpu=$({ time "build/fuzz/tests/fuzz/$name" "$unit" >/dev/null 2>&1; } 2>&1)
    [ "${cpu%%.*}" -ge 5 ] || rm "$unit"
  done
  found=$(find build/fuzz/findings -name "$name-*" -newer build/fuzz/logs/begun | wc -l)
  [ $status = 0 ] || [ "$found" -gt 0 ] || found=1 # it broke without leaving an input
  printf '%-24s %12s %9d %8d %8d\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)" "$found" \
    "$(find "build/fuzz/corpus/$name" -type f | wc -l)" "$(find "build/fuzz/grown/$name" -type f | wc -l)" > "build/fuzz/logs/$name.row"
  cat "build/fuzz/logs/$name.row"
}
export -f run
export seconds

build
mkdir -p build/fuzz/findings
rm -rf build/fuzz/logs
mkdir -p build/fuzz/logs
: > build/fuzz/logs/begun
unpack
printf '%-24s %12s %9s %8s %8s\n' harness executions findings corpus grown
harnesses "${1:-}" | xargs -P "${JOBS:-2}" -I NAME bash -c 'run NAME'
cat build/fuzz/logs/*.row | awk '{ n += $2; f += $3 } END { printf "%-24s %12d %9d\n", "all " NR, n, f; exit f > 0 }' || {
  echo "findings:"
  find build/fuzz/findings -newer build/fuzz/logs/begun -type f
  exit 1
}
