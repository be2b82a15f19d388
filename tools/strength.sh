#!/usr/bin/env bash
# Makes docs/STRENGTH.md and its Japanese twin: all agents of a game on one scale, Elo against CPU time per move. It only calls `keiko bench`.
#
#   tools/strength.sh                        every game, THREADS=0 (one per core), GAMES=20 per pairing
#   GAMES=200 THREADS=16 tools/strength.sh   the large version
#   tools/strength.sh contrast puyo          these games only; the other tables of the page stay
#
# KEIKO is the program, OUT the folder of the runs (kept, so a stopped run continues), SEED the seed. Times are per move on
# one thread; with more games at a time than cores they mean less.
set -eu
cd "$(dirname "$0")/.."
keiko=${KEIKO:-build/keiko} threads=${THREADS:-0} games=${GAMES:-20} seed=${SEED:-1} out=${OUT:-build/strength}
page=docs/STRENGTH.md ja=docs/ja/STRENGTH.md

players() {
  case $1 in
    othello) echo "greedy;medium;expert;mcts=mcts:sims=400;alphabeta 10 ms=alphabeta:depth=0,seconds=0.01;alphabeta 100 ms=alphabeta:depth=0,seconds=0.1;network 200 sims=zero:sims=200" ;;
    contrast) echo "greedy;rule;medium;expert;mcts=mcts:sims=400;alphabeta 10 ms=alphabeta:ms=10;alphabeta 100 ms=alphabeta:ms=100;network 200 sims=zero:sims=200" ;;
    renju | gomoku | freestyle) echo "greedy;medium;expert;mcts=mcts:sims=400;alphabeta 10 ms=alphabeta:ms=10;alphabeta 100 ms=alphabeta:ms=100" ;;
    puyo) echo "greedy;easy;medium;hard;expert;beam=beam:width=40,depth=10,samples=2;versus 100 ms=versus:ms=100;network=dqn" ;;
    *) echo "strength.sh: no list of players for $1" >&2; exit 2 ;;
  esac
}

# The two tables of the text that bench prints, joined by player. Columns are counted from the right: names have spaces.
table() {
  awk -v game="$1" -v games="$games" '
    /^Ratings/ { part = 1; next }
    /^Statistics/ { part = 2; next }
    /^[A-Z]/ { part = 0 }
    part == 1 && / %/ { n = NF - 9; name = $1; for (i = 2; i <= n - 1; i++) name = name " " $i
      order[++rows] = name; elo[name] = $n; low[name] = $(n + 1); high[name] = $(n + 2); played[name] = $(n + 3); next }
    part == 2 && NF > 5 && $NF != "nodes/s" { name = $1; for (i = 2; i <= NF - 5; i++) name = name " " $i; cpu[name] = $(NF - 1) }
    END {
      printf "## %s\n\n| player | Elo | 95 %% interval | CPU ms per move | games |\n|---|---|---|---|---|\n", game
      for (i = 1; i <= rows; i++) { p = order[i]; printf "| %s | %s | %s to %s | %s | %s |\n", p, elo[p], low[p], high[p], cpu[p], played[p] }
      printf "\n"
    }'
}

mkdir -p "$out"
[ $# -gt 0 ] || set -- othello contrast renju gomoku freestyle puyo
for g in "$@"; do
  resume=""
  [ ! -d "$out/$g" ] || resume=--resume
  "$keiko" bench -g "$g" -p "$(players "$g")" -n "$games" --seed "$seed" -j "$threads" $resume -q -o "$out/$g" > "$out/$g.txt"
  table "$g" < "$out/$g.txt" > "$out/$g.md"
done
tables() { for g in othello contrast renju gomoku freestyle puyo; do [ ! -s "$out/$g.md" ] || cat "$out/$g.md"; done; }
{
  cat << EOF
# Strength of the agents

One scale per game: the mean of its players is 1500. CPU time is that of the agent's choices, on one thread. Made by
\`tools/strength.sh\` ($games games per pairing, seed $seed, all against all, each opening twice with sides swapped); the intervals are
95 %. \`keiko agents\` explains the parameters, \`keiko levels GAME\` the levels.

EOF
  tables
} > "$page"
{
  cat << EOF
# エージェントの棋力

ゲームごとに一つの尺度（参加者の平均が 1500）です。CPU 時間は一手あたり、1 スレッドでの値です。\`tools/strength.sh\` が作ります（組み合わせごとに
$games 局、シード $seed、総当たり、同じ開始局面を先後入れ替えて二局）。区間は 95 % です。

EOF
  tables | sed 's/^| player | Elo | 95 % interval | CPU ms per move | games |/| エージェント | Elo | 95 % 区間 | 一手の CPU ミリ秒 | 局数 |/'
} > "$ja"
echo "$page, $ja: $(grep -c '^## ' "$page") games"
