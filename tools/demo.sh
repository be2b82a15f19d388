#!/usr/bin/env bash
# What `make run` shows: the main job. The server with the page, and in the terminal Contrast from zero for two minutes, how
# strong it got, the report, and how to go on. The page shows the same run and the same bench live, and stays until Ctrl-C.
# Without a terminal everything ends when the job is done.
#   tools/demo.sh PROGRAM
# KEIKO_DEMO_MINUTES changes the time, KEIKO_DEMO_DATA the data folder (default: data).
set -eu
keiko=$(realpath "$1")
minutes=${KEIKO_DEMO_MINUTES:-2}
data=${KEIKO_DEMO_DATA:-data}
name=demo-$(date +%Y%m%d-%H%M%S)
title() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

mkdir -p "$data/runs"
cd "$data" # the server's paths start here, and so do those of the commands below
server="" address=""
# The server is not in the terminal's process group: Ctrl-C stops what runs here first.
start_server() {
  command -v setsid >/dev/null || return 0
  setsid "$keiko" serve --port 0 --data . > serve.txt 2>&1 < /dev/null &
  server=$!
  for _ in $(seq 100); do
    address=$(sed -n 's/^keiko serve: //p' serve.txt)
    [ -z "$address" ] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  server=""
  cat serve.txt >&2
  echo "going on without the server" >&2
}
stop_server() {
  [ -z "$server" ] || { kill -TERM "$server" 2>/dev/null && wait "$server" || true; server=""; }
}
trap stop_server EXIT
trap 'exit 130' INT TERM

start_server
if [ -n "$address" ]; then
  title "The page: $address"
  grep '^without the page' serve.txt || echo "Open it to play, and to watch the training below live."
  if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    xdg-open "$address" >/dev/null 2>&1 &
  fi
fi
title "The games"
"$keiko" games
title "Contrast from zero: $minutes minutes of self-play and learning on this machine (Ctrl-C saves and stops)"
if [ -t 2 ]; then see=(); else see=(--verbose); fi
"$keiko" train contrast --run "runs/$name" --minutes "$minutes" "${see[@]}"
# The same opponents, simulations and anchor as the ratings of the training, so that both numbers mean the same.
title "How strong is it? 50 simulations per move, against the opponents it was rated with (rule = 1000)"
"$keiko" bench --game contrast --anchor rule=1000 --games 20 --output "benches/$name/" --quiet \
  --players "trained=zero:model=runs/$name/final.safetensors,sims=50;rule;alphabeta:depth=1;alphabeta:depth=2;alphabeta:depth=3"
title "Where it stands, and the whole run as a page"
"$keiko" status "runs/$name"
"$keiko" report "runs/$name"
title "Try next"
cat <<TXT
  $1 play contrast -2 zero:model=$data/runs/$name/final.safetensors,sims=200    you against it
  $1 train contrast --run $data/runs/$name --resume --minutes 10                make it stronger
  $1 bench --game contrast --players 'zero:model=$data/runs/$name/final.safetensors;alphabeta:depth=3' --games 100
  $1 serve --data $data                                                         the page again
  $1 doctor                                                                     is this machine fit to train?
  $1 play othello -2 alphabeta · $1 play puyo -2 versus · $1 advise --practice · $1 --help
TXT
if [ -n "$server" ] && [ -t 0 ] && [ -t 1 ]; then
  title "The page stays at $address until Ctrl-C"
  trap 'echo; exit 0' INT TERM
  wait "$server" || true
fi
