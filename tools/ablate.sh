#!/usr/bin/env bash
# Compares options of `keiko train` at equal evaluations of the network, over several seeds.
#   tools/ablate.sh GAME EVALUATIONS SEEDS GAMES 'name: options' …
#   tools/ablate.sh contrast 1000000 '1 2 3' 200 'base: --preset fast' 'solver off: --preset fast --no-solver'
#   tools/ablate.sh levers GAME [NAME …]     # the variants for GAME that are listed below, or some of them
# Every variant trains from zero with each seed until self-play has made EVALUATIONS simulations. Options may be quoted:
# 'small: --net "c=32 b=3"'. Then it is scored, in one of three ways:
#   tic-tac-toe   the share of all 4,520 positions in which the raw policy is right
#   VERSUS=SIMS   GAMES games against the first variant's network of the same seed, SIMS simulations per move (the first has 50 %)
#   otherwise     GAMES games against the reference (REFERENCE=rule, or random) with the simulations that ratings have
# Printed: mean score over the seeds and its 95 % interval (Student's, over seeds; with one seed the interval of the games
# alone), and how the variant differs from the first one, seed by seed: where that interval holds 0, the difference is noise.
# KEIKO names the program, WORK keeps the runs, JOBS is how many run at the same time, THREADS how many threads each has,
# BACKEND=cuda trains and plays on a GPU. `levers` takes SEEDS, GAMES and EVALUATIONS from the environment, and TEACHER, a
# network to distil. Runs that are complete are not repeated.
set -eu
here=$(dirname "$0")
usage() { sed -n '2,19s/^# \{0,1\}//p' "$0"; exit 2; }
backend=${BACKEND:-cpu}

# --- levers: what is to be tried, by game

levers() { # game names…
  game=$1
  shift
  gpu=""
  [ "$backend" = cpu ] || gpu="--in-flight 1024 --leaves 2 --round 100 --async"
  more=""
  case $game in
    tictactoe)
      evaluations=60000 versus=""
      base="--preset fast"
      more="few steps averaged: $base --ema 0.9" ;;
    contrast)
      evaluations=400000 versus=50
      base="--preset fast $gpu"
      more="history: $base --encoding c66" ;;
    othello)
      # one core needs 11 to 14 minutes for a run
      evaluations=14000000 versus=100
      base="--preset fast --net 'c=32 b=3 policy=4:65 value=2:32 scalar=4:32:1' --encoding look --openings 14 --openings-share 0.95
        --sims 24 --endgame 12 --margin 0.4 --margin-weight 4 --lambda 1 --fill 10000 --buffer-min 100000
        --lr cosine:0.002:9000:0.0001,warmup=100 $gpu"
      more="ownership: $base --ownership 0.3
ownership and reply: $base --ownership 0.3 --reply 0.15
mask: $base --encoding mask" ;;
    renju | gomoku | freestyle)
      evaluations=40000000 versus=100
      base="--preset strong --net 'c=64 b=4 value=4:64' --encoding threats --sims 32 --sims-start 0 --threats 200 --even 0.5
        --openings 6 --openings-share 0.6 --fill 20000 --lr cosine:0.002:7000:0.0001,warmup=100 $gpu"
      more="stones: $base --encoding stones
no proofs: $base --threats 0
no even openings: $base --even 0" ;;
    *) echo "levers: there is no list for $game; there are tictactoe, contrast, othello, renju, gomoku and freestyle" >&2; exit 2 ;;
  esac
  list="base: $base
reply: $base --reply 0.15
newest weights: $base --ema 0
$more"
  [ -z "${TEACHER:-}" ] || list="$list
distilled: $base --teacher $TEACHER"
  list=$(echo "$list" | awk '/^ / { printf "%s", $0; next } { printf "%s%s", (NR > 1 ? "\n" : ""), $0 } END { print "" }') # joins long lines
  variants=()
  while IFS= read -r line; do
    name=${line%%:*} wanted=$#
    for n in "$@"; do [ "$n" != "$name" ] || wanted=0; done
    if [ $wanted = 0 ] || [ "$name" = base ]; then variants+=("$line"); fi
  done <<<"$list"
  VERSUS=${VERSUS:-$versus} exec "$0" "$game" "${EVALUATIONS:-$evaluations}" "${SEEDS:-1 2 3}" "${GAMES:-100}" "${variants[@]}"
}
[ "${1:-}" != levers ] || { [ $# -ge 2 ] || usage; shift; levers "$@"; }

# --- runs

[ $# -ge 5 ] || usage
game=$1 evaluations=$2 seeds=$3 games=$4
shift 4
keiko=${KEIKO:-$here/../build/keiko}
work=${WORK:-ablation-$game}
versus=${VERSUS:-}
reference=${REFERENCE:-$([ "$game" = contrast ] && echo rule || echo random)}
base=${1%%:*}
[ "$game" != tictactoe ] || versus=""
mkdir -p "$work"
dir_of() { echo "$work/${1// /-}-$2"; }
is_complete() { grep -q '"kind":"done".*"why":"limit"' "$1/log.jsonl" 2>/dev/null; } # final.safetensors is there before
score_of() { # name seed: of a run that is complete
  dir=$(dir_of "$1" "$2")
  if [ -n "$versus" ]; then
    if [ "$1" = "$base" ]; then ! is_complete "$dir" || echo 0.5; else cat "$dir/versus.txt" 2>/dev/null || true; fi
    return 0
  fi
  kind=match value=score
  [ "$game" != tictactoe ] || kind=perfect value=right
  sed -n "s/.*\"kind\":\"$kind\".*\"$value\":\([0-9.e+-]*\).*/\1/p" "$dir/log.jsonl" 2>/dev/null | tail -n 1
}
run() { # name seed options
  dir=$(dir_of "$1" "$2") seed=$2
  if [ -n "$versus" ]; then ! is_complete "$dir" || return 0; else [ -z "$(score_of "$1" "$2")" ] || return 0; fi
  rm -rf "$dir"
  eval "set -- $3" # so that options may be quoted
  rated="--eval-every 1000000000 --eval-games $games --eval-past 0 --references $reference --anchor $reference"
  [ -z "$versus" ] || rated="--eval-every 0"
  # shellcheck disable=SC2086
  "$keiko" train "$game" --run "$dir" --seed "$seed" --threads "${THREADS:-0}" --backend "$backend" --quiet "$@" \
    --evaluations "$evaluations" $rated >"$dir.txt" 2>&1 || { cat "$dir.txt" >&2; return 1; }
}
play() { # name seed: against the first variant
  dir=$(dir_of "$1" "$2") other=$(dir_of "$base" "$2")
  [ ! -e "$dir/versus.txt" ] || return 0
  how="sims=$versus,backend=$backend" jobs=${THREADS:-0}
  [ "$backend" = cpu ] || { how="$how,queue=32" jobs=32; }
  "$keiko" bench -g "$game" -n "$games" -q --no-store --seed "$2" -j "$jobs" -o "$dir/versus.json" \
    -p "new=zero:model=$dir/final.safetensors,$how;base=zero:model=$other/final.safetensors,$how" >"$dir/versus.log" 2>&1 ||
    { cat "$dir/versus.log" >&2; return 1; }
  awk '$1 == "new" && NF >= 10 { print ($6 + $7 / 2) / $5; exit }' "$dir/versus.log" >"$dir/versus.part"
  mv "$dir/versus.part" "$dir/versus.txt"
}
each() { # command: for every variant and seed, JOBS at a time
  for variant in "${all[@]}"; do
    for seed in $seeds; do
      while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
      "$1" "${variant%%:*}" "$seed" "${variant#*:}" &
    done
  done
  wait
}
all=("$@")
each run
all=("${all[@]:1}")
[ -z "$versus" ] || [ ${#all[@]} = 0 ] || each play

# --- the table

printf '%-24s %8s %18s %26s  %s\n' variant score '95 % interval' 'against the first' 'by seed'
first=""
for variant in "$@"; do
  scores=""
  for seed in $seeds; do scores="$scores $(score_of "${variant%%:*}" "$seed")"; done
  if [ "$(echo "$scores" | wc -w)" != "$(echo "$seeds" | wc -w)" ]; then
    printf '%-24s not complete\n' "${variant%%:*}"
    continue
  fi
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
