#!/usr/bin/env bash
# Runs every libFuzzer harness for FUZZ_SECONDS (default 60) on its corpus. New inputs gather in build/fuzz/grown, findings in
# build/fuzz/findings; the first finding stops the run. An argument selects harnesses by part of their name.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
only=${1:-}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "${JOBS:-2}" -- --no-print-directory | { grep -vE '^\[ *[0-9]+%\]' || true; }
mkdir -p build/fuzz/findings
for harness in build/fuzz/tests/fuzz/fuzz_*; do
  [ -x "$harness" ] && [ -f "$harness" ] || continue
  name=$(basename "$harness")
  case $name in *"$only"*) ;; *) continue ;; esac
  corpus=tests/fuzz/corpus/$name
  grown=build/fuzz/grown/$name
  mkdir -p "$corpus" "$grown"
  echo "== $name, $seconds s"
  "$harness" -max_total_time="$seconds" -max_len=4096 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix=build/fuzz/findings/"$name"- "$grown" "$corpus"
  echo "   no finding; $(ls "$corpus" | wc -l) inputs in the corpus, $(ls "$grown" | wc -l) more found by now"
done
