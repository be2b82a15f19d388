#!/bin/sh
# Measures the levels of all games (src/agents/level_rows.h) and writes their rows with ratings, intervals and date.
#
#     tools/levels.sh [-t THREADS] [-n GAMES] [-s SEED] [-d DIR] [-k KEIKO] [GAME...]
#
# Interrupt it when you like; the same command continues: DIR keeps every finished game. DIR/level_rows.h is the new table
# (copy it to src/agents/level_rows.h), DIR/gaps.txt the gaps between levels. The exit status is 1 when a gap is not as wanted.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
threads=0 games=400 seed=1 dir=levels keiko=$top/build/keiko
usage() {
    sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2
    exit 2
}
while getopts t:n:s:d:k:h flag; do
    case $flag in
    t) threads=$OPTARG ;;
    n) games=$OPTARG ;;
    s) seed=$OPTARG ;;
    d) dir=$OPTARG ;;
    k) keiko=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- othello contrast renju gomoku freestyle freestyle20 puyo tictactoe

mkdir -p "$dir"
[ -f "$dir/level_rows.h" ] || cp "$top/src/agents/level_rows.h" "$dir/level_rows.h"
bad=0
for game; do
    run=$dir/$game-$seed
    if [ -f "$run.txt" ]; then
        echo "$game: measured already ($run.txt)"
        continue
    fi
    resume=
    [ -d "$run" ] && resume=--resume
    echo "$game: $games games per step"
    start=$(date +%s)
    status=0
    "$keiko" tune levels "$game" -n "$games" --seed "$seed" -t "$threads" -o "$run/" $resume \
        --write "$dir/level_rows.h" >"$run.part" || status=$?
    # 0: all gaps fit; 1 with a table: some do not; anything else is an interruption or an error.
    if ! grep -q '^names' "$run.part"; then
        rm -f "$run.part"
        echo "$game: not finished; the same command continues" >&2
        exit 1
    fi
    [ $status -eq 0 ] || bad=1
    mv "$run.part" "$run.txt"
    {
        echo "$game, $games games per step, seed $seed, $(($(date +%s) - start)) s"
        sed -n '/^neighbours/,$p' "$run.txt"
        echo
    } | tee -a "$dir/gaps.txt"
done
exit $bad
