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
title "A game of Othello: alpha-beta at depth 6 against greedy"
"$keiko" play othello --first alphabeta:depth=6 --second greedy --seed 7 --quiet
title "Where should this pair of puyos go?"
"$keiko" advise --field 'R...../BBG...' --pair RB --next RR
title "How large a chain does the builder make? (3 games of 50 pairs)"
"$keiko" puyo build --agent beam:width=40,depth=14,samples=4 --seeds 1-3 --each --threads 0
title "Try next"
cat <<TXT
  $keiko play othello -2 alphabeta      you against alpha-beta, in the terminal
  $keiko play puyo -2 versus            versus Puyo
  $keiko analyse contrast               what alpha-beta thinks of a position
  $keiko advise --practice              build a GTR with advice
  $keiko --help
TXT
