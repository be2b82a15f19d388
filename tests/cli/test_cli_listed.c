// What commands print, whole, with the status they leave with: tests/cli/texts.txt. Only what takes a moment and is the same on
// every machine.
#include "base/listed.h"
#include "base/temp_dir.h"
#include "cli/program.h"

static char top[64];

static int setup(void **state)
{
    (void)state;
    if (temp_dir_make(top) == NULL) return 1;
    snprintf(first_words, sizeof first_words, "cd %s &&", top);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

// {words before the program, arguments}
static const char *const lines[][2] = {
    {"", "games"},
    {"", "games --verbose"},
    {"", "rules othello | head -n 3"},
    {"", "rules puyo --lang ja | head -n 3"},
    {"", "rules chess"},
    {"", "show othello start --moves 'f5;d6;c3'"},
    {"", "show othello --json"},
    {"", "show renju --moves 'h8;h9;j9'"},
    {"", "show contrast --color always"},
    {"", "show puyo --seed 4 --moves 3u"},
    {"", "show tictactoe --moves 'a1;b1;a2;b2;a3'"},
    {"", "show othello --moves a1"},
    {"", "show othello nonsense"},
    {"", "analyse othello start --moves 'f5;d6;c3' --multipv 3 --agent alphabeta:depth=5"},
    {"", "analyse othello --agent mcts:sims=60 --json"},
    {"", "analyse contrast --agent greedy"},
    {"", "analyse tictactoe --agent mcts:sims=80 --moves 'a1;b2'"},
    {"", "analyse othello --agent nobody"},
    {"", "analyse"},
    {"printf 'f5;d6;c3;d3;c4' > moves.txt &&", "review moves.txt --game othello --agent alphabeta:depth=3"},
    {"", "review moves.txt --game othello --agent alphabeta:depth=3 --save marked.sgf --json"},
    {"cat marked.sgf &&", "analyse --load marked.sgf --at 2 --agent alphabeta:depth=3"},
    {"", "analyse --load marked.sgf --at 9 --agent greedy"},
    {"", "analyse --load marked.sgf --number 2"},
    {"", "review moves.txt"},
    {"", "review nowhere.sgf"},
    {"", "puyo view 'R...../RB..../RRB.../BBGGG.'"},
    {"", "puyo view 'R...../RB..../RRB.../BBGGG.' --json"},
    {"", "puyo view http://www.puyop.com/s/420Aa9r9hj"},
    {"printf '\\n\\nb\\n\\nq\\n' |", "puyo view 'R...../RB..../RRB.../BBGGG.' --step"},
    {"", "puyo view 'RX'"},
    {"", "puyo url 'RB..../RR..../BB....'"},
    {"", "puyo url 'http://www.puyop.com/s/420Aa9r9hj'"},
    {"", "puyo url 'http://www.puyop.com/s/!'"},
    {"", "advise --pair BB"},
    {"", "advise --field 'RB..../RR..../BB....' --pair RG --next YY,GB --mode plus --turns 12 --top 3"},
    {"", "advise --field 'RB..../RR..../BB....' --pair RG --next YY --top 2 --json | tr -d ' \\n'"},
    {"", "advise --pair XY"},
    {"", "advise"},
    {"", "advise --simulate --games 20 --turns 10,12 --seed 3 -t 1 -q --failures f.txt | cut -c1-52"},
    {"", "advise --simulate --games 20 --turns 10,12 --seed 3 -t 2 -q --json | grep -v '[Ss]econd\\|per_'"},
    {"head -c 200 f.txt; printf 'q\\n' |", "advise --practice --replay f.txt --line 1"},
    {"printf '1u\\n?\\n3l\\nq\\n' |", "advise --practice --mode plus --pairs arcade --seed 7"},
    {"printf 'f5\\nundo\\nf5\\nhint\\neval\\nmoves\\nsave g.sgf\\nquit\\n' |",
     "play othello --second greedy --hints greedy"},
    {"printf 'help\\nx9\\nresign\\n' |", "play tictactoe --second greedy"},
    {"", "play tictactoe -1 greedy -2 greedy --seed 3"},
    {"", "play othello -1 greedy -2 random --seed 3 -q --record r.txt"},
    {"cat r.txt; echo;", "play puyo -1 greedy -2 random --seed 3 -q"},
    {"", "play contrast -1 greedy -2 random --seed 3 --boards --moves 'a1,a2'"},
    {"", "play --load g.sgf -1 random -2 random -q"},
    {"", "play chess"},
    {"printf 'name\\nplay b f5\\ngenmove w\\nshowboard\\nquit\\n' |", "engine -g othello -a greedy"},
    {"printf 'START 15\\nBEGIN\\nTURN 1,1\\nABOUT\\nEND\\n' |",
     "engine -g freestyle -a greedy -p gomocup | sed 's/version=\"[^\"]*/version=\"V/'"},
    {"printf 'nboard 1\\nset depth 3\\nmove F5\\ngo\\nquit\\n' |",
     "engine -g othello -a alphabeta -p nboard | grep -v nodestats | sed 's,/[0-9.]*$,,'"},
    {"", "nn info 'planes=3 size=8x8 c=8 b=1 policy=2:65 value=1:16'"},
    {"", "nn info 'planes=3 size=8x8 c=8 b=1 policy=2:65 value=1:16' --json"},
    {"", "nn info puyo-dqn"},
    {"", "nn info nowhere"},
    {"", "nn init 'planes=2 size=3x3 c=8 b=1 policy=2:9 value=1:16' -o t.safetensors --seed 3"},
    {"", "nn info t.safetensors"},
    {"", "export t.safetensors --onnx t.onnx --bf16 t16.safetensors"},
    {"", "nn info t16.safetensors"},
    {"", "export t.safetensors"},
    {"printf -- '-XXXXX-OOXXXXXO-OOOOXOO-OXXOOX--OXXXXXX-OXOXX---OXXXOOO-OXXOO--- X;\\n' > e.obf;",
     "solve othello e.obf --hash 16 -q | cut -d' ' -f1-3"},
    {"", "solve othello nowhere.obf"},
    {"printf 'first,second,first_wins,draws,second_wins\\na,b,3,1,2\\nb,a,2,2,2\\n' > pool.csv;",
     "verify rating-pool pool.csv"},
    {"", "verify rating-pool pool.csv --model davidson --json"},
    {"", "verify puyo-chains pool.csv"},
    {"", "completion tcsh"},
    {"", "status nowhere"},
    {"", "report nowhere -o r.html"},
    {"", "nonsense"},
    {"", "plai"},
    {"", "puyo"},
    {"", "levels tictactoe -q"},
    {"", "levels tictactoe --json | cksum"},
    {"", "agents renju | cksum"},
    {"", "agents puyo --json | cksum"},
    {"", "agents --json | cksum"},
    {"", "agents | cksum"},
    {"", "agents beam"},
    {"", "games --json | cksum"},
    {"", "rules contrast | cksum"},
    {"KEIKO_MODELS=/nowhere", "models -q --verify"},
    {"", "perft renju 2 --only"},
    {"", "perft puyo-solo 2 --divide --options colours=3 | cksum"},
    {"", "perft tictactoe 4 --moves 'a1;b2' --divide --slow"},
    {"", "perft tictactoe"},
    {"", "show renju --moves 'h8;h9;j9' --json | cksum"},
    {"", "show contrast --moves 'c1,c2 b4b' --json | cksum"},
    {"", "show puyo-solo --seed 4 --moves '3u;3u;3u' --color always"},
    {"", "show gomoku --moves 'h8;h9' --color always"},
    {"", "show freestyle20 --moves 't20'"},
    {"", "show puyo --seed 3 --moves '1u;2u' --json | cksum"},
    {"", "show chess"},
    {"", "bench tictactoe -p 'random;greedy;m=mcts:sims=20' -n 6 --no-timing -q -j 1 -o b1 --openings start --seed 5"},
    {"ls b1;", "bench --calculate-only -i b1 --model davidson --errors sandwich --anchor m=1600 --no-timing -v"},
    {"",
     "bench tictactoe -p 'random;greedy' -n 8 --no-timing -j 2 -o b2 --sprt elo0=0,elo1=50 --seed 5 --openings start -q"},
    {"",
     "bench tictactoe -p 'random;greedy;mcts:sims=9' -n 4 --no-timing -j 1 -o b3.json --schedule gauntlet --lines -q --no-store"},
    {"grep -v build b3.json | cksum;", "bench -i b1 --export pgn --no-timing | cksum"},
    {"", "bench -i b1 --export csv --lines --no-timing | cut -d, -f1-16,18"},
    {"", "bench -i b1 --export sgf"},
    {"", "bench -i b2 --export json --no-timing | grep -v '\"build\"\\|date\\|started' | cksum"},
    {"", "bench -i b1 --export json -o out.json --no-timing"},
    {"", "bench --compare --baseline b1 --target b3.json"},
    {"", "bench --compare --baseline b1 --target b1 --unchanged random"},
    {"", "bench --compare --baseline b1"},
    {"", "bench --calculate-only"},
    {"", "bench --calculate-only -i nowhere"},
    {"", "bench --calculate-only -i b1 --run 3"},
    {"", "bench --calculate-only -i b1 -n 3"},
    {"", "bench tictactoe -p 'random;greedy' -n 4 --no-timing -o b1 --resume -q"},
    {"",
     "bench tictactoe -p 'random;greedy;m=mcts:sims=20' -n 6 --no-timing -q -o b1 --resume --openings start --seed 5 | head -n 3"},
    {"", "bench tictactoe -p 'random;greedy' -n 4 --repeat 2 --no-timing -o b4 -q -j 1 --openings start"},
    {"", "bench tictactoe -p random"},
    {"", "bench chess"},
    {"",
     "bench othello -p 'random;greedy' -n 4 --adjudicate 6 --max-plies 58 --no-timing -q -o b5 --openings balanced --opening-count 2 -j 1"},
    {"", "bench -i b5 --export sgf --no-timing | head -n 6"},
    {"", "bench renju -p 'greedy;random' -n 2 --no-timing -q -o b6 --openings named -j 1"},
    {"", "bench puyo -p 'greedy;random' -n 2 --no-timing -q -o b7 -j 1"},
    {"", "status b1"},
    {"", "doctor nonsense"},
    {"", "review b1"},
    {"printf '(;GM[2]FF[4]SZ[8]PB[a]PW[b];B[fe];W[ff];B[dc]C[x])' > t.sgf &&",
     "review t.sgf --agent alphabeta:depth=2"},
    {"", "review t.sgf --agent alphabeta:depth=1 --json | cksum"},
    {"", "play --load t.sgf -1 greedy -2 greedy -q --seed 2"},
    {"", "play renju -1 greedy -2 greedy --seed 5 -q --record s.txt | tail -n 18"},
    {"cat s.txt; echo;", "analyse --load t.sgf --agent alphabeta:depth=3 --multipv 2"},
    {"", "play puyo-solo -1 greedy --seed 2 -q --options moves=12"},
    {"", "play gomoku -1 random -2 greedy --seed 4 --boards -q | tail -n 20"},
    {"printf 'h8\\nb\\nundo\\nnew\\nload s.sgf\\nlevel 3\\nswap\\nboard\\nhelp\\nquit\\n' |",
     "play renju --second greedy"},
    {"printf 'c5,c4\\nmoves c\\nhint\\nback\\nforward\\neval\\nsave x.txt\\nsave\\nload nowhere\\nquit\\n' |",
     "play contrast --second greedy --hints rule"},
    {"printf '3u\\n?\\n3r\\nhint\\nundo\\nresign\\ny\\n' |", "play puyo --second greedy --seed 5 --hints greedy"},
    {"printf '1\\n' |", "play nonsense --second greedy"},
    {"printf 'b2\\na1\\na1\\nb1\\nc3\\nc1\\nq\\n' |", "play tictactoe --second random --seed 9"},
    {"printf 'list_commands\\nboardsize 15\\nclear_board\\nplay b h8\\nplay w i9\\nplay w h8\\ngenmove b\\nundo\\nfinal_score\\nknown_command play\\nprotocol_version\\nkomi 3\\nx\\n3 quit\\n' |",
     "engine -g renju -a greedy"},
    {"printf 'START 20\\nBOARD\\n10,10,1\\n11,11,2\\nDONE\\nRESTART\\nINFO timeout_turn 100\\nTURN 3,3\\nTAKEBACK 3,3\\nSTART 7\\nNONSENSE\\nEND\\n' |",
     "engine -g freestyle20 -a greedy -p gomocup"},
    {"", "engine -g othello -a greedy -p nothing"},
    {"", "nn check nowhere"},
    {"", "nn init 'planes=2 size=3x3 c=8' -o u.safetensors"},
    {"", "nn info 'planes=4 scalars=2 size=8x8 mlp=32 duel=0:16:9:51 noisy=1'"},
    {"", "nn info contrast --json"},
    {"", "export t.safetensors --bf16 ."},
    {"", "puyo rewards 'greedy vs random' --seed 3 | cksum"},
    {"", "puyo build --agent greedy --seeds 2-4 --moves 12 --pairs blocks --each -q -t 2 | cut -c1-50 | grep -v CPU"},
    {"printf 'analyse\\nanalyse 0\\nanalyse 64\\nanalyse 65\\nanalyze 1\\nmoves\\nlegal b\\nhint\\nlevel\\nlevel random\\nb2\\nundo\\nredo\\nredo\\ntext\\nrecord\\nsave\\nboard\\n?\\nundo\\nundo\\nb2\\nresign\\nn\\nresign\\ny\\n' |",
     "play tictactoe --second greedy --hints mcts:sims=17 --seed 3"},
    {"printf 'f5\\nundo\\nredo\\nd6\\nrecord\\ntext\\nundo\\nmoves f\\nsave a.obf\\nsave a.ggf\\nredo\\nexit\\n' |",
     "play othello --second human --boards"},
    {"", "puyo url http://www.puyop.com/s/b00900r00_3U0W"},
    {"", "puyo view http://www.puyop.com/s/b00900r00_3U0W"},
    {"", "tune renju --scale 1e-6 -t 1 -o r.c | cut -d: -f1"},
    {"", "tune renju-values --rule freestyle20 --scale 2e-5 -t 1 -o r.c | cut -d: -f1"},
    {"", "tune renju-values --model renju -o r.c"},
    {"", "train tictactoe --run t9 --debug --steps 6 -t 1 --seed 2 --eval-every 0 -q | cut -d, -f1-4"},
    {"", "nn info t9/final.safetensors"},
    {"", "train tictactoe --run t9 --steps 8 -t 1 --seed 2 -q"},
    {"", "analyse tictactoe --agent zero:model=t9/final.safetensors,sims=9 --moves 'a1;b2' | cut -c1-12"},
    {"printf -- '-OX-OXXX--XOOOOXXXXOOOXXXXXXXXXXXXXOXXOXXOXOO-OXXXOOXOOXX-O-X-O- O; b2:4\\n' > w.obf &&",
     "solve othello w.obf --hash 12 | sed 's/  [0-9]* nodes.*WRONG/ WRONG/; /problem/d'"},
    {"", "tune puyo-beam --rounds 1 --games 2 --moves 6 --width 3 --depth 2 --samples 1 -t 1"},
    {"", "tune puyo-beam --weights nothing=3"},
    {"", "tune levels chess"},
    {"", "tune nothing"},
    {"", "train"},
    {"", "train chess"},
    {"", "train othello"},
    {"", "train tictactoe --run t1 --steps 0"},
    {"", "train tictactoe --run t1 --net nonsense --steps 1"},
    {"", "train --config nowhere.toml"},
    {"", "worker"},
    {"", "workers"},
    {"", "serve --port 99999"},
    {"", "--version | cut -d' ' -f1"},
    {"", "play tictactoe -1 mcts:sims=20 -2 mcts:sims=9 --seed 3 -v | sed 's/ [0-9.]* s  / S s  /'"},
    {"printf 'eval\\nanalyse 2\\nquit\\n' |",
     "play tictactoe --first random --second human --hints mcts:sims=17 --moves 'a1;b2;c1' --seed 3 -q"},
    {"printf 'eval\\nquit\\n' |",
     "play tictactoe --first random --second human --hints mcts:sims=41 --moves 'a1;b2;c1' --seed 3 -q"},
    {"printf 'eval\\nquit\\n' |",
     "play tictactoe --first random --second human --hints mcts:sims=43 --moves 'a1;b2;c1' --seed 3 -q"},
    {"printf 'eval\\nquit\\n' |",
     "play tictactoe --first random --second human --hints mcts:sims=32 --moves 'b2;a2;c1' --seed 3 -q"},
    {"", "play -x"},
    {"", "play --seed x"},
    {"", "play --simd none"},
    {"", "games --simd scalar | head -n 1"},
    {"", "games extra"},
};

static void texts(void **state)
{
    (void)state;
    text_buf t = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char words[600];
        snprintf(words, sizeof words, "cd %s && %s", top, lines[i][0]);
        int status = keiko_after(words, lines[i][1]);
        text_printf(&t, "$ %s keiko %s\n", lines[i][0], lines[i][1]);
        for (const char *p = output; *p;) { // the folder has another name each time, and time passes
            bool begins = p == output || p[-1] == '\n';
            size_t digits = strspn(p, "0123456789.");
            if (begins && digits > 0 && strncmp(p + digits, " s\n", 3) == 0)
                p += digits + 3;
            else if (strncmp(p, top, strlen(top)) == 0) {
                text_append(&t, "DIR");
                p += strlen(top);
            } else {
                text_char(&t, *p++);
            }
        }
        text_printf(&t, "[%d]\n\n", status);
    }
    assert_listed(&t, "cli/texts.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
