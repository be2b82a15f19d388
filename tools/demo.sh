#!/usr/bin/env bash
# What `make run` shows: the games, the rules checked against published counts, speed, and a game played.
set -eu
keiko=$1
title() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }

title "The games"
"$keiko" games
title "The rules, counted (published: 8 plies of Othello 390216, 3 of Contrast 5547990, tic-tac-toe 255168)"
"$keiko" perft othello 8 --only
"$keiko" perft contrast 3 --only
"$keiko" perft tictactoe 9 --only
title "Speed of this machine, one core"
"$keiko" speed --seconds 0.3
title "A game of Othello: greedy against random"
"$keiko" play othello --first greedy --second random --seed 7 --quiet
title "Try next"
cat <<TXT
  $keiko play othello                 you against greedy, in the terminal
  $keiko play puyo --first human      versus Puyo
  $keiko show renju start --moves 'h8;i9;g7'
  $keiko --help
TXT
