#!/usr/bin/env bash
# Compares options of `keiko train` at equal evaluations of the network, over several seeds.
#   tools/ablate.sh GAME EVALUATIONS SEEDS GAMES 'name: options' …
#   tools/ablate.sh contrast 1000000 '1 2 3' 200 'base: --preset fast' 'no reuse: --preset fast --no-reuse'
# Every variant trains from zero with each seed until self-play has made EVALUATIONS simulations, then plays GAMES games
# against the reference (REFERENCE=rule, or random) with the same simulations a move. Printed: mean score over the seeds and
# its 95 % interval (Student's, over seeds; with one seed the interval of the games alone). KEIKO names the program, WORK
# keeps the runs, THREADS is passed on. Runs that are complete are not repeated.
set -eu
[ $# -ge 5 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
game=$1 evaluations=$2 seeds=$3 games=$4
shift 4
keiko=${KEIKO:-$(dirname "$0")/../build/keiko}
work=${WORK:-ablation-$game}
reference=${REFERENCE:-$([ "$game" = contrast ] && echo rule || echo random)}
mkdir -p "$work"
score_of() { # the last match against the reference in a run's log
  sed -n 's/.*"kind":"match".*"score":\([0-9.e+-]*\).*/\1/p' "$1/log.jsonl" 2>/dev/null | tail -n 1
}
printf '%-24s %8s %18s  %s\n' variant score '95 % interval' 'by seed'
for variant in "$@"; do
  name=${variant%%:*} options=${variant#*:}
  scores=""
  for seed in $seeds; do
    dir="$work/${name// /-}-$seed"
    if [ -z "$(score_of "$dir")" ]; then
      rm -rf "$dir"
      # shellcheck disable=SC2086
      "$keiko" train "$game" --run "$dir" --seed "$seed" --threads "${THREADS:-0}" --backend cpu --quiet $options \
        --evaluations "$evaluations" --eval-every 1000000000 --eval-games "$games" --eval-past 0 \
        --references "$reference" --anchor "$reference" >"$dir.txt" 2>&1 || { cat "$dir.txt" >&2; exit 1; }
    fi
    scores="$scores $(score_of "$dir")"
  done
  echo "$scores" | awk -v name="$name" -v games="$games" '{
    split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", t, " ")
    for (i = 1; i <= NF; i++) sum += $i
    mean = sum / NF
    for (i = 1; i <= NF; i++) square += ($i - mean) ^ 2
    half = NF > 1 ? (NF <= 10 ? t[NF - 1] : 2) * sqrt(square / (NF - 1) / NF) : 1.96 * sqrt(mean * (1 - mean) / games)
    line = ""
    for (i = 1; i <= NF; i++) line = line sprintf(" %.1f", 100 * $i)
    low = mean - half; high = mean + half
    if (low < 0) low = 0
    if (high > 1) high = 1
    printf "%-24s %6.1f %% %7.1f to %5.1f %%  %s\n", name, 100 * mean, 100 * low, 100 * high, line
  }'
done
