#!/usr/bin/env bash
# What takes too long for `make test`: every test with its large numbers (KEIKO_SOAK) in an optimised build (of these, ten
# minutes of random kill -9 of workers, learner and nats-server: test_dist_faults), the page with its long games, a minute of
# fuzzing for each harness, a mutation run over all layers, and the server under load. Hours, not minutes; run it before a
# release.
#   tools/soak.sh [tests] [page] [fuzz] [mutate] [load]     default: all five
# FUZZ_SECONDS (default 60) and MUTANTS per layer (default 10) change the size.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
jobs=${JOBS:-2}
[ $# -gt 0 ] || set -- tests page fuzz mutate load
failed=0
for part in "$@"; do
  printf '\n== %s\n' "$part"
  case $part in
    tests) KEIKO_SOAK=1 tools/test.sh soak || failed=1 ;;
    page) KEIKO_SOAK=1 JOBS=$jobs tools/site.sh test || [ $? = 77 ] || failed=1 ;;
    fuzz) JOBS=$jobs tools/fuzz.sh || failed=1 ;;
    mutate) JOBS=$jobs tools/mutate.sh -n "${MUTANTS:-10}" || failed=1 ;;
    load) tools/load.sh || failed=1 ;;
    *) echo "soak.sh: tests, page, fuzz, mutate or load" >&2; exit 2 ;;
  esac
done
exit $failed
