#!/usr/bin/env bash
# Makes a network for the agent `afterstate`: labels of the teachers' games, a first training, rounds of the network's own games
# (alone, against itself, against `versus`), each labelled and learned from, and a last training of all. docs/lab/puyo-afterstate.md has results.
#
#   MINUTES=5 THREADS=16 BACKEND=cuda tools/puyo-rounds.sh runs/rounds
#
# MINUTES is for all of it: every step gets its share of what is left, so a slow step makes the later ones shorter. The folder must be new. It gets
#   puyo-afterstate.safetensors   the last network, bf16
#   table.txt                     a row per network: positions, agreement with the teacher, what it builds alone, its score in matches
#   log.txt, *.labels, r0 … last  what the commands said, the labels, the runs
# KEIKO is the program, NET and ENCODING the network, ROUNDS how many, SEED that of games and weights, BATCH, TEMPERATURE, EMA and HELDOUT those of train,
# TEACHER the beam's sizes, GAMES the matches per row of the table (0 = none).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=${1:?usage: tools/puyo-rounds.sh FOLDER}
keiko=${KEIKO:-$here/build/keiko} minutes=${MINUTES:-5} threads=${THREADS:-0} backend=${BACKEND:-cpu} seed=${SEED:-1}
net=${NET:-mlp=1024,256} encoding=${ENCODING:-grow} rounds=${ROUNDS:-6} batch=${BATCH:-16384} temperature=${TEMPERATURE:-0.03} ema=${EMA:-0.998} heldout=${HELDOUT:-0.02} games=${GAMES:-96}
beam=${TEACHER:---width 20 --depth 8 --samples 1}
rival="versus:width=20,depth=8,samples=1,visible=3,late=0,fire=0,slip=0,answer=1,finish=1,harass=0,hold=0" # 68 % against versus:level=hard

[ -e "$out" ] && { echo "puyo-rounds.sh: $out exists" >&2; exit 2; }
mkdir -p "$out"
cd "$out"
case $keiko in /*) ;; *) keiko=$here/$keiko ;; esac

now() { date +%s.%N; }
calc() { awk "function most(a, b) { return a > b ? a : b } BEGIN { printf \"%.${2:-4}f\", $1 }"; }

# --- time: shares of a step, in parts of the whole
teacher_alone=22 teacher_match=12 first=16 own_alone=13 own_self=4 own_rival=7 train_round=11 last=48 reserve=4 # reserve: seconds
left=$((teacher_alone + teacher_match + first + rounds * (own_alone + own_self + own_rival + train_round) + last))
start=$(now)
end=$(calc "$start + 60 * $minutes - $reserve" 3)

take() { # PARTS: sets `share`, the minutes of the next step
  share=$(calc "most(0.002, ($end - $(now)) * $1 / $left / 60)")
  left=$((left - $1))
}

say() { printf '%7.1f s  %s\n' "$(calc "$(now) - $start")" "$*" | tee -a log.txt; }

# --- steps
data=
label() { # PARTS FILE OPTIONS…
  local parts=$1 file=$2
  shift 2
  take "$parts"
  say "$file: $share minutes"
  "$keiko" puyo label "$file" --positions 1e9 --threads "$threads" --minutes "$share" -q "$@" >> log.txt 2>&1
  data=${data:+$data;}$file
}

alone() { local parts=$1 file=$2; shift 2; label "$parts" "$file" $beam "$@"; } # $beam: words
match() { local parts=$1 file=$2; shift 2; label "$parts" "$file" --game puyo --teacher "$rival" "$@"; }

# Updates per second of a run, and the seconds that it needed before the first: "RATE START". The schedule of the next run is made for its time.
pace() {
  awk -F'[:,]' '/"kind":"(learn|done)"/ {
      for (i = 1; i < NF; i++) { if ($i == "\"step\"") n = $(i + 1); if ($i == "\"seconds\"") at = $(i + 1)
        if ($i == "\"samples\"") seen = $(i + 1); if ($i == "\"samples_s\"") fast = $(i + 1) }
      if (/"learn"/ && seen > 0) rate = fast * n / seen }
    END { gone = rate > 0 ? at - n / rate : 0; print rate + 0, (gone > 0 ? gone : 0) }' "$1/log.jsonl"
}

model= before=
train() { # PARTS RUN RATE
  local parts=$1 run=$2 lr=$3 steps speed gone
  take "$parts"
  if [ -n "$before" ]; then
    read -r speed gone < <(pace "$before")
    steps=$(calc "most(20, 0.95 * $speed * (60 * $share - $gone))" 0)
    lr=cosine:$lr:$steps:0.00005,warmup=$((steps / 20))
  else
    lr=$lr,warmup=100
  fi
  say "$run: $share minutes, learning rate $lr"
  "$keiko" train puyo-solo --run "$run" --data "$data" --encoding "$encoding" ${model:+--init "$model"} --net "$net" --batch "$batch" \
    --temperature "$temperature" --heldout "$heldout" --ema "$ema" --lr "$lr" --backend "$backend" --threads "$threads" --seed "$seed" --minutes "$share" \
    --evaluation-frequency 0 --save-minutes 0 -q >> log.txt 2>&1
  model=$run/final.safetensors before=$run
  row "$run" "$model"
}

row() { # NAME NETWORK
  local positions agreed built fired buried m h
  positions=$("$keiko" nn info "$2" | sed -n 's/.*positions = //p')
  agreed=$("$keiko" nn info "$2" | sed -n 's/.*heldout_agreement = //p')
  "$keiko" puyo build --agent "afterstate:model=$2" --seeds 60001-60100 --threads "$threads" -q > build.txt 2>> log.txt
  built=$(awk '/^best available/ { print $4 }' build.txt) fired=$(awk '/^largest fired/ { print $3 }' build.txt)
  buried=$(sed -n 's/.*buried //p' build.txt)
  if [ "$games" -gt 0 ]; then
    "$keiko" puyo evaluate "afterstate:model=$2" --games "$games" --seed 2041 --threads "$threads" \
      --references 'versus:level=beginner;versus:level=medium' -q > matches.txt 2>> log.txt
    m=$(awk '/^versus:level=beginner/ { print $6 }' matches.txt) h=$(awk '/^versus:level=medium/ { print $6 }' matches.txt)
  fi
  printf '%-5s %9s %9s %9s %7s %7s %9s %7s\n' "$1" "$positions" "$agreed" "$built" "$fired" "$buried" "${m:--}" "${h:--}" | tee -a table.txt log.txt
}

printf '%-5s %9s %9s %9s %7s %7s %9s %7s\n' net positions agreement available fired buried beginner medium > table.txt
alone $teacher_alone a.labels --seed $((1000 + seed))
match $teacher_match v.labels --seed $((2000 + seed)) --noise 0.03
train $first r0 0.001
for r in $(seq "$rounds"); do
  player="--player afterstate:model=$model --noise 0.01"
  level=medium
  [ $((r % 2)) = 0 ] && level=hard
  alone $own_alone "s$r.labels" --seed $((3000 + 100 * seed + r)) $player
  match $own_self "w$r.labels" --seed $((4000 + 100 * seed + r)) $player
  match $own_rival "x$r.labels" --seed $((5000 + 100 * seed + r)) $player --opponent versus:level=$level
  train $train_round "r$r" 0.001
done
train $last last 0.001
"$keiko" export "$model" --bf16 puyo-afterstate.safetensors >> log.txt 2>&1
say "done; table.txt:"
cat table.txt
