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
    {"printf 'START 15\\nBEGIN\\nTURN 1,1\\nABOUT\\nEND\\n' |", "engine -g freestyle -a greedy -p gomocup"},
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
};

static void texts(void **state)
{
    (void)state;
    text_buf t = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char words[400];
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
