#!/usr/bin/env bash
# What `make run` shows: the main job. Contrast from zero for two minutes with live progress, how strong it got, the report, and how to play, resume and rate it. KEIKO_DEMO_MINUTES changes the time.
set -eu
keiko=$1
minutes=${KEIKO_DEMO_MINUTES:-2}
run=runs/demo-$(date +%Y%m%d-%H%M%S)
title() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

title "The games"
"$keiko" games
title "Contrast from zero: $minutes minutes of self-play and learning on this machine (Ctrl-C saves and stops)"
if [ -t 2 ]; then see=(); else see=(--verbose); fi
"$keiko" train contrast --run "$run" --minutes "$minutes" "${see[@]}"
# The same opponents, simulations and anchor as the ratings of the training, so that both numbers mean the same.
title "How strong is it? 50 simulations per move, against the opponents it was rated with (rule = 1000)"
"$keiko" bench --game contrast --anchor rule=1000 --games 20 --output "$run/bench" --quiet \
  --players "trained=zero:model=$run/final.safetensors,sims=50;rule;alphabeta:depth=1;alphabeta:depth=2;alphabeta:depth=3"
title "Where it stands, and the whole run as a page"
"$keiko" status "$run"
"$keiko" report "$run"
title "Try next"
cat <<TXT
  $keiko play contrast -2 zero:model=$run/final.safetensors,sims=200    you against it
  $keiko train contrast --run $run --resume --minutes 10                make it stronger
  $keiko bench --game contrast --players 'zero:model=$run/final.safetensors;alphabeta:depth=3' --games 100
  $keiko doctor                                                         is this machine fit to train?
  $keiko play othello -2 alphabeta · $keiko play puyo -2 versus · $keiko advise --practice · $keiko --help
TXT
