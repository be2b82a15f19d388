#!/usr/bin/env bash
# What takes too long for `make test`: every test with its large numbers (KEIKO_SOAK) in an optimised build (of these, ten
# minutes of random kill -9 of workers, learner and nats-server: test_dist_faults), a minute of fuzzing for each harness, and a
# mutation run over all layers. Hours, not minutes; run it before a release.
#   tools/soak.sh [tests] [fuzz] [mutate]     default: all three
# FUZZ_SECONDS (default 60) and MUTANTS per layer (default 10) change the size.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-2}
[ $# -gt 0 ] || set -- tests fuzz mutate
failed=0
for part in "$@"; do
  printf '\n== %s\n' "$part"
  case $part in
    tests) KEIKO_SOAK=1 tools/test.sh soak || failed=1 ;;
    fuzz) JOBS=$jobs tools/fuzz.sh || failed=1 ;;
    mutate) JOBS=$jobs tools/mutate.sh -n "${MUTANTS:-10}" || failed=1 ;;
    *) echo "soak.sh: tests, fuzz or mutate" >&2; exit 2 ;;
  esac
done
exit $failed
