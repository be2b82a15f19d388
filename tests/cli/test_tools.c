// Commands that count, measure, label and tune, with jobs that take a moment: what they print and the files they write.
#include "base/file.h"
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

static void prints(const char *args, int status, const char *text)
{
    int got = keiko(args);
    if (got != status || strcmp(output, text) != 0) fail_msg("'%s' left with %d and said \"%s\"", args, got, output);
}

static char *read_back(const char *name)
{
    char path[200], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_ok(file_read(path, 1 << 24, &text, &size));
    return text;
}

static void write_file(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_ok(file_make_parent(path));
    assert_ok(file_write_atomic(path, text, strlen(text)));
}

static void perft(void **state)
{
    (void)state;
    prints("perft othello 3", 0, "perft 1 = 4\nperft 2 = 12\nperft 3 = 56\n");
    prints("perft othello 3 --only", 0, "perft 3 = 56\n");
    prints("perft othello 0 --divide", 0, "perft 0 = 1\n");
    prints("perft othello 1 --divide", 0,
           "perft 1 = 4\n  d3         1\n  c4         1\n  f5         1\n  e6         1\n");
    prints("perft othello 3 --only --divide --moves f5 --slow", 0,
           "perft 3 = 61\n  f4         22\n  d6         21\n  f6         18\n");
    prints("perft othello 3 --only --moves f5", 0, "perft 3 = 61\n");
    says("perft tictactoe 1 --verbose", 0, " M leaves/s");
    says("perft othello 2", 0, "perft 2 = 12");
    assert_null(strstr(output, "leaves"));
    says("perft chess 2", 2, "chess");
    says("perft othello 2 --moves a1", 2, "a1");
    says("perft othello 2 --position nonsense", 2, "keiko perft: ");
}

static void puyo_build(void **state)
{
    (void)state;
    says("puyo build --agent greedy --seeds 3-5 --moves 20 --each -q", 0,
         "  seed      best links   at     fired    points   CPU ms\n");
    said("     3      1000     3    7       360       580 ");
    said("     4      1260     3   12       360       540 ");
    said("     5       420     2   19       100       180 ");
    said("greedy, 3 games of 20 moves, arcade pairs\n"
         "best available chain  893 points (standard error 248), 2.67 links, after 12.7 moves\n"
         "of 50,000 points 0 games, of 75,000 0, of 100,000 0; buried 0\n"
         "largest fired         273 points, 1.67 links; all chains 433 points\n");
    said(" s, 20 fields\n");
    assert_null(strstr(output, "buried\n  "));
    says("puyo build --agent random --seeds 7 --moves 60 --pairs uniform --each -q", 0, "  buried\n");
    assert_non_null(strstr(output, "; buried 1\n"));
    says("puyo build --agent greedy --seeds 3-4 --moves 20 --json --threads 2", 0, "\"best_error\": 130,");
    said("\"best\": 1130,");
    said("\"best_links\": 3,");
    said("\"best_at\": 9.5,");
    said("\"fired_links\": 2,");
    said("\"points\": 560,");
    said("\"seed\": 4,\n      \"best\": 1260,\n      \"links\": 3,\n      \"at\": 12,\n      \"fired\": 360,\n      "
         "\"points\": 540,\n      \"buried\": false\n");
    assert_null(strstr(output, "standard error"));
    static const char *const bad[] = {"5-3", "x", "1-", "-3", "1-2x", "70000"};
    for (int i = 0; i < 6; i++) {
        char line[100];
        snprintf(line, sizeof line, "puyo build --agent greedy --moves 2 --seeds=%s", bad[i]);
        says(line, 2, "keiko puyo build: ");
    }
    says("puyo build --agent nobody", 2, "nobody");
}

static void puyo_rewards(void **state)
{
    (void)state;
    const char *four = " ply P move chain       win      loss   shaping    reward       sum\n"
                       "   1 1 3u       0    0.0000    0.0000    0.0000    0.0000    0.0000\n"
                       "   2 2 4r       0    0.0000    0.0000    0.0330    0.0330    0.0330\n"
                       "   3 1 1u       0    0.0000    0.0000   -0.5940   -0.5940   -0.5940\n"
                       "   4 2 2r       0    0.0000    0.0000    0.5607    0.5607    0.5937\n"
                       "player 1: rewards -0.5940, discounted from its first move -0.5881\n"
                       "player 2: rewards 0.5937, discounted from its first move 0.5881\n";
    prints("puyo rewards '3u;4r;1u;2r'", 0, four);
    write_file("game.txt", "3u;4r;1u;2r\n");
    prints("puyo rewards game.txt", 0, four);
    says("puyo rewards game.txt --gamma 0.5", 0, "discounted from its first move -0.1500");
    says("puyo rewards 'greedy vs random' --seed 3", 0, "\nplayer 1 wins\nplayer 1: rewards 9.8677, discounted");
    says("puyo rewards 'greedy vs greedy' --seed 2 --rewards seed", 0, "\nplayer 2 wins\n");
    said(" ply P move chain  survival     tempo  position     setup   defense");
    says("puyo rewards '3u' --rewards nothing", 2, "nothing");
    says("puyo rewards '3u;9x'", 2, "9x");
    prints("puyo evaluate greedy --references 'random;greedy' -n 5 -t 1 --seed 4 -q", 0,
           "against                          games    won drawn  lost  score, 95 % interval   largest chain  its\n"
           "random                               4      4     0     0  100.0 % [51.0, 100.0]    1.75 ± 0.49    0.75\n"
           "greedy                               4      2     0     2   50.0 % [15.0, 85.0]    1.50 ± 0.57    1.50\n");
    says("puyo evaluate greedy --references nobody -n 2", 2, "nobody");
    char line[1200] = "puyo evaluate greedy -n 2 --references ";
    size_t at = strlen(line);
    memset(line + at, 'x', 1024);
    line[at + 1024] = 0;
    says(line, 2, "the list is longer than 1023 characters");
    line[at + 1023] = 0;
    says(line, 2, "xxx");
    assert_null(strstr(output, "longer"));
}

static void puyo_label(void **state)
{
    (void)state;
    const char *same = "puyo label a.labels --positions 100 --width 4 --depth 2 --samples 1 --late 0 -t 1 -q";
    says(same, 0, "a.labels: 64 games, 3200 positions, 0.0 MiB (5.0 bytes per position)\nadded 3200 positions in ");
    said(" per second); largest chain fired per game 2021 points\n"
         "asked again with other futures, the teacher chose the same placement in ");
    says(same, 0, "a.labels: 64 games, 3200 positions, ");
    said("added 0 positions in ");
    assert_null(strstr(output, "largest chain"));
    assert_null(strstr(output, "asked again"));
    says("puyo label a.labels --positions 100 --width 5 --depth 2 --samples 1 --late 0 -t 1 -q", 2, "a.labels");
    says("puyo label . --positions 100", 2, "keiko puyo label: ");
}

static void speed(void **state)
{
    (void)state;
    says("speed tictactoe --seconds 0.01", 0, ", one core\npart            name ");
    said("         rate  unit\n");
    said("tictactoe       random moves through the table ");
    said("moves/s\n");
    assert_null(strstr(output, "othello"));
    says("speed tictactoe --seconds 0.01 --json", 0, "\"part\": \"tictactoe\"");
    said("\"unit\": \"moves\"");
    said("\"cpu\": ");
    said("\"build\": ");
    assert_null(strstr(output, "one core"));
    says("speed nothing", 2, "nothing to measure is called 'nothing'; keiko speed without a name shows all");
    says("speed puyo --seconds 0.01", 0, "puyo ");
    says("speed contrast --seconds 0.01", 0, "contrast ");
    says("speed freestyle20 --seconds 0.01", 0, "freestyle20 ");
    says("speed othello --seconds 0.01", 0, "perft");
}

static void curves(void **state)
{
    (void)state;
    for (int i = 1; i <= 2; i++) {
        char name[32], text[400];
        snprintf(name, sizeof name, "r%d/log.jsonl", i);
        snprintf(text, sizeof text,
                 "{\"kind\":\"match\",\"step\":0,\"seconds\":1,\"opponent\":\"greedy\",\"score\":0.%d}\n"
                 "{\"kind\":\"match\",\"step\":10,\"seconds\":2,\"opponent\":\"greedy\",\"score\":0.%d}\n",
                 i, i + 4);
        write_file(name, text);
    }
    prints("train curves 'one=r1,r2' 'two=r2' --title Curves --label 'of all' --percent -o made/c.svg", 0, "");
    char *svg = read_back("made/c.svg");
    assert_non_null(strstr(svg, "<svg"));
    static const char *const words[] = {"Curves", "of all", "one", "two", "%"};
    for (int i = 0; i < 5; i++) assert_non_null(strstr(svg, words[i]));
    free(svg);
    says("train curves one=r1,r3 -o c.svg", 2, "r3");
    says("train curves one=r1 --opponent nobody -o c.svg", 2, "against nobody");
    says("train curves one -o c.svg", 2, "expected NAME=DIR");
    char line[300] = "train curves -o c.svg";
    for (int i = 0; i < 16; i++) strcat(line, " a=r1");
    if (keiko(line) != 0) said("at most ");
}

static void tuning(void **state)
{
    (void)state;
    prints("tune othello-book --scale 0.001 -o made/book.txt -t 2 -q", 0, "");
    char *text = read_back("made/book.txt");
    assert_string_equal(text, "# An opening book of Othello, made by keiko tune othello-book.\n"
                              "0000000810000000 0000001008000000 d3+1 c4+1 f5+1 e6+1\n"
                              "0000000008000000 0000003810000000 d6-1 f6-4 f4-7\n");
    free(text);
    prints("tune othello-probcut --scale 0.0025 -o p.c -t 2 -q", 0, "");
    text = read_back("p.c");
    assert_non_null(strstr(text, "1 game"));
    free(text);
    says("tune othello-book --from nowhere.bin -o b.txt", 2, "nowhere.bin");
    says("tune othello-probcut --from nowhere.bin -o b.txt", 2, "nowhere.bin");
    says("tune othello-patterns --from nowhere.bin -o b.bin", 2, "nowhere.bin");
    prints(
        "tune puyo-beam --width 2 --depth 2 --samples 1 --moves 4 --games 2 --rounds 2 --threads 1 --weights chain=400",
        0,
        "round 0: 20 against 0\n"
        "  weights chain=400.000,height=151.008,key=-156.008,room=151.008,rest2=34.002,rest3=162.008,link2=69.996,"
        "link3=99.005,shape=-20.999,well=-45.998,bump=-122.994,nuisance=-70.004,ghost=-96.995,split=-44.002,"
        "waste=-149.992\n"
        "round 1: 20 against 20\n"
        "  weights chain=400.000,height=151.008,key=-156.008,room=151.008,rest2=34.002,rest3=162.008,link2=69.996,"
        "link3=99.005,shape=-20.999,well=-45.998,bump=-122.994,nuisance=-70.004,ghost=-96.995,split=-44.002,"
        "waste=-149.992\n"
        "mean of the later half of the rounds:\n"
        "  chain=400,height=151,key=-156,room=151,rest2=34,rest3=162,link2=70,link3=99,shape=-21,well=-46,bump=-123,"
        "nuisance=-70,ghost=-97,split=-44,waste=-150\n");
    says("tune puyo-beam --weights size=4", 2, "size");
}

static void level_gaps(void **state)
{
    (void)state;
    char table[200];
    snprintf(table, sizeof table, "cp %s/src/agents/level_rows.h %s/rows.h", KEIKO_SOURCE, top);
    assert_int_equal(system(table), 0);
    says("tune levels tictactoe --games 2 --output lv/ -t 2 -q --write rows.h", 1,
         "LEVEL(\"tictactoe\", 1, \"beginner\", \"random\", 1000, ");
    said("\nneighbours: gaps in Elo (95 % interval), wanted 100 to 200\n  2 - 1: 251 (-207 to 709)  too large\n"
         "  3 - 2: -123 (-532 to 287)  too small\n");
    said("\nnames: gaps in Elo (95 % interval), wanted 200 to 400\n  3 - 1: 129 (-398 to 656)  too small\n");
    char *text = read_back("rows.h");
    assert_non_null(strstr(text, "LEVEL(\"tictactoe\", 2, \"\", \"mcts:sims=2\", 1251, 325, "));
    free(text);
    says("tune levels tictactoe --games 2 --output lv/ --resume -q", 1, "  2 - 1: 251 (-207 to 709)");
    says("tune levels chess", 2, "chess");
}

// The server says where it is and leaves when it is asked to.
static void serving(void **state)
{
    (void)state;
    char words[300];
    snprintf(words, sizeof words, "cd %s && timeout --preserve-status -s INT 2", top);
    if (keiko_after(words, "serve --port 0 --data d --token 0123456789abcdef") != 0) {
        if (strstr(output, "without the server") != NULL) skip_because("no server in this build");
        fail_msg("%s", output);
    }
    said("keiko serve: http://127.0.0.1:");
    said("/?token=0123456789abcdef\ndata in ");
    said("/d\n");
    said("Ctrl-C ends it; training and benches started from the page are saved and stopped\n");
    assert_int_equal(keiko_after(words, "serve --port 0 --data d -q"), 0);
    assert_null(strstr(output, "token"));
    assert_null(strstr(output, "data in"));
    snprintf(words, sizeof words, "cd %s && XDG_DATA_HOME= HOME=%s/h timeout --preserve-status -s INT 1", top, top);
    assert_int_equal(keiko_after(words, "serve --port 0"), 0);
    said("/h/.local/share/keiko\n");
    snprintf(words, sizeof words, "cd %s && XDG_DATA_HOME=%s/x HOME= timeout --preserve-status -s INT 1", top, top);
    assert_int_equal(keiko_after(words, "serve --port 0"), 0);
    said("/x/keiko\n");
    snprintf(words, sizeof words, "cd %s && XDG_DATA_HOME=x HOME=h timeout --preserve-status -s INT 1", top);
    assert_int_equal(keiko_after(words, "serve --port 0"), 2);
    said("neither XDG_DATA_HOME nor HOME is set; give a folder with --data");
    says("serve --port 0 --bind 0.0.0.0 --token short --data d", 2, "16");
}

// Without a NATS server.
static void nobody_answers(void **state)
{
    (void)state;
    says("workers --nats nats://127.0.0.1:1 --once", 2, "keiko workers: ");
    assert_null(strstr(output, "removed"));
    says("workers --nats nats://127.0.0.1:1 --remove r", 2, "keiko workers: ");
    assert_null(strstr(output, "removed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft),          cmocka_unit_test(puyo_build), cmocka_unit_test(puyo_rewards),
        cmocka_unit_test(puyo_label),     cmocka_unit_test(speed),      cmocka_unit_test(curves),
        cmocka_unit_test(tuning),         cmocka_unit_test(level_gaps), cmocka_unit_test(serving),
        cmocka_unit_test(nobody_answers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
