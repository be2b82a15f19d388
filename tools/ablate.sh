#!/usr/bin/env bash
# Compares options of `keiko train` at equal evaluations of the network, over several seeds.
#   tools/ablate.sh GAME EVALUATIONS SEEDS GAMES 'name: options' …
#   tools/ablate.sh contrast 1000000 '1 2 3' 200 'base: --preset fast' 'solver off: --preset fast --no-solver'
# Every variant trains from zero with each seed until self-play has made EVALUATIONS simulations, then plays GAMES games
# against the reference (REFERENCE=rule, or random) with the same simulations a move. Printed: mean score over the seeds and
# its 95 % interval (Student's, over seeds; with one seed the interval of the games alone), and how the variant differs from
# the first one, seed by seed: where that interval holds 0, the difference is noise. For tic-tac-toe the score is the share
# of all 4,520 positions in which the raw policy is right. KEIKO names the program, WORK keeps the runs, JOBS is how many run
# at the same time, THREADS how many threads each has. Runs that are complete are not repeated.
set -eu
[ $# -ge 5 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
game=$1 evaluations=$2 seeds=$3 games=$4
shift 4
keiko=${KEIKO:-$(dirname "$0")/../build/keiko}
work=${WORK:-ablation-$game}
reference=${REFERENCE:-$([ "$game" = contrast ] && echo rule || echo random)}
mkdir -p "$work"
score_of() { # of a run that is complete
  case $game in
    tictactoe) sed -n 's/.*"kind":"perfect".*"right":\([0-9.e+-]*\).*/\1/p' "$1/log.jsonl" 2>/dev/null | tail -n 1 ;;
    *) sed -n 's/.*"kind":"match".*"score":\([0-9.e+-]*\).*/\1/p' "$1/log.jsonl" 2>/dev/null | tail -n 1 ;;
  esac
}
dir_of() { echo "$work/${1// /-}-$2"; }
run() { # name seed options
  dir=$(dir_of "$1" "$2")
  [ -z "$(score_of "$dir")" ] || return 0
  rm -rf "$dir"
  # shellcheck disable=SC2086
  "$keiko" train "$game" --run "$dir" --seed "$2" --threads "${THREADS:-0}" --backend cpu --quiet $3 \
    --evaluations "$evaluations" --eval-every 1000000000 --eval-games "$games" --eval-past 0 \
    --references "$reference" --anchor "$reference" >"$dir.txt" 2>&1 || { cat "$dir.txt" >&2; return 1; }
}
for variant in "$@"; do
  for seed in $seeds; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
    run "${variant%%:*}" "$seed" "${variant#*:}" &
  done
done
wait
printf '%-24s %8s %18s %26s  %s\n' variant score '95 % interval' 'against the first' 'by seed'
first=""
for variant in "$@"; do
  scores=""
  for seed in $seeds; do scores="$scores $(score_of "$(dir_of "${variant%%:*}" "$seed")")"; done
  [ -n "$first" ] || first=$scores
  echo "$scores $first" | awk -v name="${variant%%:*}" -v games="$games" '
    function half(v, n, mean,   i, square) {
      for (i = 1; i <= n; i++) square += (v[i] - mean) ^ 2
      return (n <= 10 ? t[n - 1] : 2.1) * sqrt(square / (n - 1) / n)
    }
    {
      split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262", t, " ")
      n = NF / 2
      for (i = 1; i <= n; i++) { v[i] = $i; d[i] = $i - $(n + i); sum += v[i]; gap += d[i] / n; line = line sprintf(" %.1f", 100 * $i) }
      mean = sum / n
      h = n > 1 ? half(v, n, mean) : 1.96 * sqrt(mean * (1 - mean) / games)
      low = mean - h < 0 ? 0 : mean - h; high = mean + h > 1 ? 1 : mean + h
      k = n > 1 ? half(d, n, gap) : 0
      printf "%-24s %6.1f %% %7.1f to %5.1f %% %+8.1f (%+.1f to %+.1f)  %s\n", name, 100 * mean, 100 * low, 100 * high,
        100 * gap, 100 * (gap - k), 100 * (gap + k), line
    }'
done
