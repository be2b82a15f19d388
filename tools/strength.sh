#!/usr/bin/env bash
# Makes docs/STRENGTH.md and its Japanese twin: all agents of a game on one scale, Elo against CPU time per move. It only calls `keiko bench`.
#
#   tools/strength.sh                        every game, THREADS=0 (one per core), GAMES=20 per pairing
#   GAMES=200 THREADS=16 tools/strength.sh   the large version
#   tools/strength.sh contrast puyo          these games only; the other tables of the page stay
#
# KEIKO is the program, OUT the folder of the runs (kept, so a stopped run continues), SEED the seed. A plot per game goes to docs/page/.
set -eu
cd "$(dirname "$0")/.."
keiko=${KEIKO:-build/keiko} threads=${THREADS:-0} games=${GAMES:-20} seed=${SEED:-1} out=${OUT:-build/strength}
page=docs/STRENGTH.md ja=docs/ja/STRENGTH.md

# Limits are positions, placements or simulations, so that the results do not depend on what else the machine does.
players() {
  case $1 in
    othello) echo "greedy;mcts 400=mcts:sims=400;alphabeta 1k=alphabeta:depth=0,nodes=1000;alphabeta 10k=alphabeta:depth=0,nodes=10000;alphabeta 100k=alphabeta:depth=0,nodes=100000;alphabeta 1M=alphabeta:depth=0,nodes=1000000;small network 200=zero:model=othello-small,sims=200;network 200=zero:sims=200" ;;
    contrast) echo "greedy;rule;mcts 400=mcts:sims=400;alphabeta 1k=alphabeta:nodes=1000;alphabeta 10k=alphabeta:nodes=10000;alphabeta 100k=alphabeta:nodes=100000;network 200=zero:sims=200;network 800=zero:sims=800" ;;
    renju | gomoku | freestyle) echo "greedy;mcts 400=mcts:sims=400;alphabeta 1k=alphabeta:nodes=1000;alphabeta 5k=alphabeta:nodes=5000;alphabeta 25k=alphabeta:nodes=25000;alphabeta 125k=alphabeta:nodes=125000;network 100=zero:sims=100,leaves=8;network 400=zero:sims=400,leaves=8" ;;
    puyo) echo "greedy;advisor;beam 40x10=beam:width=40,depth=10,samples=2;versus 16x7=versus:width=16,depth=7,samples=1;versus 60x10=versus:width=60,depth=10,samples=1;versus 150x12=versus:width=150,depth=12,samples=2;dqn;afterstate=afterstate:model=puyo-afterstate" ;;
    *) echo "strength.sh: no list of players for $1" >&2; exit 2 ;;
  esac
}

# The two tables of the text that bench prints, joined by player: "player, Elo, low, high, CPU ms, games", tabs between.
# Columns are counted from the right: names have spaces.
rows() {
  awk -v OFS='\t' '
    /^Ratings/ { part = 1; next }
    /^Statistics/ { part = 2; next }
    /^[A-Z]/ { part = 0 }
    part == 1 && / %/ { n = NF - 9; name = $1; for (i = 2; i <= n - 1; i++) name = name " " $i
      order[++rows] = name; elo[name] = $n; low[name] = $(n + 1); high[name] = $(n + 2); played[name] = $(n + 3); next }
    part == 2 && NF > 5 && $NF != "nodes/s" { name = $1; for (i = 2; i <= NF - 5; i++) name = name " " $i; cpu[name] = $(NF - 1) }
    END { for (i = 1; i <= rows; i++) { p = order[i]; print p, elo[p], low[p], high[p], cpu[p], played[p] } }'
}
table() { # GAME
  awk -F '\t' -v game="$1" -v seed="$seed" '
    BEGIN { printf "## %s\n\n![%s](page/strength-%s.svg)\n\n| player | Elo | 95 %% interval | CPU ms per move | games |\n|---|---|---|---|---|\n", game, game, game }
    { printf "| %s | %s | %s to %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }
    END { printf "\nSeed %s.\n\n", seed }'
}
# Elo, with its interval, against CPU time per move on a logarithmic axis.
plot() { # GAME
  awk -F '\t' -v game="$1" '
    function lg(v) { return log(v) / log(10) }
    function ceil(v) { return v == int(v) ? v : int(v + 100) - 99 }
    function x(v) { return 60 + (lg(v) - x0) / (x1 - x0) * 560 }
    function y(v) { return 330 - (v - y0) / (y1 - y0) * 300 }
    # Beside its point: to the right where that is free, else to the left, else a line higher or lower.
    function clash(left, top, right,    k) {
      for (k = 1; k <= n; k++) # points
        if (x(ms[k]) > left - 2 && x(ms[k]) < right + 2 && y(elo[k]) > top && y(elo[k]) < top + 14) return 1
      for (k = 1; k <= labels; k++)
        if (left < to[k] && from[k] < right && top < high[k] + 13 && high[k] < top + 13) return 1
      return left < 60 || right > 760
    }
    function label(i,    wide, try, at, top) {
      wide = 7.4 * length(name[i])
      for (try = 0; try < 6; try++) {
        at = x(ms[i]) + (try % 2 ? -9 - wide : 8)
        top = y(elo[i]) - 7 + (try < 2 ? 0 : try < 4 ? -14 : 14)
        if (!clash(at, top, at + wide)) break
      }
      from[++labels] = at; to[labels] = at + wide; high[labels] = top
      printf "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", try % 2 ? x(ms[i]) - 9 : at, top + 11, try % 2 ? " text-anchor=\"end\"" : "", name[i]
    }
    { n++; name[n] = $1; elo[n] = $2; lo[n] = $3; hi[n] = $4; ms[n] = $5 < 0.001 ? 0.001 : $5
      if (n == 1 || lg(ms[n]) < x0) x0 = lg(ms[n]); if (n == 1 || lg(ms[n]) > x1) x1 = lg(ms[n])
      if (n == 1 || lo[n] < y0) y0 = lo[n]; if (n == 1 || hi[n] > y1) y1 = hi[n] }
    END {
      x0 = ceil(x0 - 1); x1 = ceil(x1); y0 = 200 * ceil(y0 / 200 - 1); y1 = 200 * ceil(y1 / 200)
      print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 380\" font-family=\"sans-serif\" font-size=\"13\">"
      print "<style>text{fill:#333;paint-order:stroke;stroke:#fff;stroke-width:3px}line{stroke:#ddd}.bar,circle{stroke:#2a6f97;fill:#2a6f97}.bar{stroke-width:2}" \
        "@media(prefers-color-scheme:dark){text{fill:#ccc;stroke:#0d1117}line{stroke:#444}.bar,circle{stroke:#6bb3dd;fill:#6bb3dd}}</style>"
      for (v = y0; v <= y1; v += 200) printf "<line x1=\"60\" x2=\"620\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"52\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", y(v), y(v), y(v) + 4, v
      for (v = x0; v <= x1; v++) printf "<line y1=\"30\" y2=\"330\" x1=\"%.1f\" x2=\"%.1f\"/><text x=\"%.1f\" y=\"348\" text-anchor=\"middle\">%g</text>\n", x(10 ^ v), x(10 ^ v), x(10 ^ v), 10 ^ v
      printf "<text x=\"340\" y=\"370\" text-anchor=\"middle\">CPU ms per move</text><text x=\"60\" y=\"18\">Elo, %s</text>\n", game
      for (i = 1; i <= n; i++) {
        printf "<line class=\"bar\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>", x(ms[i]), x(ms[i]), y(lo[i]), y(hi[i]), x(ms[i]), y(elo[i])
        label(i)
      }
      print "</svg>"
    }'
}

mkdir -p "$out"
[ $# -gt 0 ] || set -- othello contrast renju gomoku freestyle puyo
for g in "$@"; do
  resume=""
  [ ! -d "$out/$g" ] || resume=--resume
  "$keiko" bench -g "$g" -p "$(players "$g")" -n "$games" --seed "$seed" -j "$threads" $resume -q -o "$out/$g" > "$out/$g.txt"
  rows < "$out/$g.txt" > "$out/$g.tsv"
  table "$g" < "$out/$g.tsv" > "$out/$g.md"
  plot "$g" < "$out/$g.tsv" > "docs/page/strength-$g.svg"
done
cp "$page" "$out/before.md" 2>/dev/null || : > "$out/before.md"
tables() { # of the games measured now; of the others as the page has them
  for g in othello contrast renju gomoku freestyle puyo; do
    if [ -s "$out/$g.md" ]; then cat "$out/$g.md"; else awk -v h="## $g" '/^## / { on = $0 == h } on' "$out/before.md"; fi
  done
}
{
  cat << EOF
# Strength of the agents

One scale per game: the mean of its players is 1500. CPU time is that of the agent's choices, on one thread. Made by
\`tools/strength.sh\` (all against all, each opening twice with sides swapped); the intervals are
95 %. A number behind a name is the limit per move: positions (\`alphabeta\`), simulations (\`mcts\`, networks), width and depth (Puyo).
\`keiko agents\` explains the parameters, \`keiko levels GAME\` has the ratings of the levels.

EOF
  tables
} > "$page"
{
  cat << EOF
# エージェントの棋力

ゲームごとに一つの尺度（参加者の平均が 1500）です。CPU 時間は一手あたり、1 スレッドでの値です。\`tools/strength.sh\` が作ります（総当たり、同じ開始局面を先後入れ替えて二局）。区間は 95 % です。名前のあとの数は一手あたりの上限で、局面数（\`alphabeta\`）、
シミュレーション数（\`mcts\` とネットワーク）、幅と深さ（ぷよ）です。レベルの棋力は \`keiko levels GAME\` で見られます。

EOF
  tables | sed 's#(page/#(../page/#; s/^Seed \([0-9]*\)\.$/シード \1/; s/^| player | Elo | 95 % interval | CPU ms per move | games |/| エージェント | Elo | 95 % 区間 | 一手の CPU ミリ秒 | 局数 |/'
} > "$ja"
echo "$page, $ja: $(grep -c '^## ' "$page") games"
