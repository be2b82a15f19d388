// The agent zero: it plays what its network says, the same whatever the cache, and explains itself when it cannot.
#include "agents/agent.h"
#include "base/file.h"
#include "base/models.h"
#include "base/temp_dir.h"
#include "nn/net.h"
#include "test.h"

#include <math.h>

static const struct {
    const char *game, *net;
} cases[] = {
    {"tictactoe", "planes=2 size=3x3 c=16 b=1 policy=2:9 value=1:16"},
    {"othello", "planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16"},
    {"contrast", "planes=32 scalars=34 size=5x5 c=16 b=1 policy=2:625 policy=2:51 value=1:16"},
};

static void make_model(const char *path, const char *text, uint64_t seed)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, seed));
    assert_ok(nn_net_save(net, path));
    nn_net_free(net);
}

static agent *open_zero(const game *g, const char *path, const char *more)
{
    char spec[512];
    agent *a;
    snprintf(spec, sizeof spec, "zero:model='%s'%s", path, more);
    assert_ok(agent_open(&a, g, spec));
    return a;
}

static void cache_and_copies_change_nothing(void **unused)
{
    (void)unused;
    char dir[64], path[128];
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/with space, and comma", dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const game *g;
        assert_ok(game_find(cases[i].game, &g));
        make_model(path, cases[i].net, 4);
        agent *a[3] = {open_zero(g, path, ",sims=24,cache=0"), open_zero(g, path, ",sims=24,cache=1"),
                       open_zero(g, path, ",sims=24,cache=1")};
        void *s = calloc(1, g->state_size);
        assert_ok(g->init(s, "", (game_key){1, 1}));
        for (int k = 0; k < 3; k++) agent_begin(a[k], (game_key){1, 1}, 0);
        for (int ply = 0; ply < 12 && !g->result(s).over; ply++) {
            agent_choice c[3];
            for (int k = 0; k < 3; k++) assert_ok(agent_choose(a[k], s, &c[k]));
            for (int k = 1; k < 3; k++) {
                assert_int_equal(c[k].move, c[0].move);
                assert_float_equal(c[k].value, c[0].value, 0);
                assert_int_equal(c[k].nodes, c[0].nodes);
            }
            for (int k = 0; k < 3; k++) agent_saw(a[k], s, c[0].move);
            g->play(s, c[0].move, NULL);
        }
        for (int k = 0; k < 3; k++) agent_close(a[k]);
        free(s);
    }
    temp_dir_remove(dir);
}

static void analyses(void **unused)
{
    (void)unused;
    char dir[64], path[128];
    const game *g;
    agent_choice c[3];
    int n;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m", dir);
    make_model(path, cases[0].net, 4);
    assert_ok(game_find("tictactoe", &g));
    void *s = calloc(1, g->state_size);
    assert_ok(g->state_parse("XX-OO----", s)); // X wins at once, in c3
    agent *a = open_zero(g, path, ",sims=50");
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_analyse(a, s, 3, c, &n));
    assert_int_equal(n, 3);
    assert_int_equal(c[0].move, 2);
    assert_float_equal(c[0].value, 1, 0);
    assert_non_null(strstr(c[0].text, "proven won"));
    agent_close(a);
    free(s);
    temp_dir_remove(dir);
}

// The last squares of Othello are solved: by discs at the root, and the tree knows who wins.
static void endings_are_solved(void **unused)
{
    (void)unused;
    char dir[64], path[128];
    const game *g;
    agent_choice c, all[8];
    int n;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m", dir);
    make_model(path, cases[1].net, 4);
    assert_ok(game_find("othello", &g));
    void *s = calloc(1, g->state_size);
    // Nine squares left; six moves win, f1 by the most.
    assert_ok(g->state_parse("X-OOX-OOX-O-XOOOXXXXOOOO-XOOXOOOXXOOOOOOXXXXOOOO--OXXOOX--OOOOOO O", s));
    agent *a = open_zero(g, path, ",sims=50,endgame=9"), *blind = open_zero(g, path, ",sims=2,endgame=0");
    agent_begin(a, (game_key){1, 1}, 0);
    assert_ok(agent_choose(a, s, &c));
    move_t best;
    assert_ok(g->move_parse(s, "f1", &best));
    assert_int_equal(c.move, best);
    assert_float_equal(c.value, 1, 0);
    assert_string_equal(c.text, "solved: +36");
    agent_begin(blind, (game_key){1, 1}, 0);
    assert_ok(agent_choose(blind, s, &c));
    assert_null(strstr(c.text, "solved"));
    assert_ok(agent_analyse(a, s, 8, all, &n));
    assert_non_null(strstr(all[0].text, "proven won"));
    agent_close(a);
    agent_close(blind);
    free(s);
    temp_dir_remove(dir);
}

// A lost position with more squares than are solved: the tree proves it, and plays on as one that knows nothing would.
static void lost_positions_are_played_on(void **unused)
{
    (void)unused;
    char dir[64], path[128];
    const game *g;
    int lost = 0, wise = 0;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m", dir);
    make_model(path, cases[1].net, 4);
    assert_ok(game_find("othello", &g));
    void *s = calloc(1, g->state_size);
    move_t moves[64];
    agent *a = open_zero(g, path, ",sims=300,endgame=9"),
          *blind = open_zero(g, path, ",sims=300,endgame=0,solver=no,reuse=no");
    for (uint64_t game_number = 0; lost < 4 && game_number < 40; game_number++) {
        game_key key = {3, game_number};
        rng r = rng_at(3, game_number, 0);
        assert_ok(g->init(s, "", key));
        for (int ply = 0; ply < 50; ply++) {
            int n = g->legal(s, moves);
            if (n == 0) break;
            g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
        }
        if (g->legal(s, moves) < 3) continue;
        agent_choice c, other;
        agent_begin(a, key, g->seat(s));
        agent_begin(blind, key, g->seat(s));
        assert_ok(agent_choose(a, s, &c));
        if (c.value != 0 || strstr(c.text, "solved") != NULL) continue;
        assert_ok(agent_choose(blind, s, &other));
        lost++;
        wise += c.move == other.move;
        agent_saw(a, s, c.move); // the tree with its proofs goes on from here
        g->play(s, c.move, NULL);
        if (!g->result(s).over) assert_ok(agent_choose(a, s, &c));
    }
    assert_int_equal(lost, 4);
    assert_int_equal(wise, lost);
    agent_close(a);
    agent_close(blind);
    free(s);
    temp_dir_remove(dir);
}

// Lost, and drawn by lot: another move in another game.
static void lost_positions_are_played_by_lot(void **unused)
{
    (void)unused;
    char dir[64], path[128], s[16];
    const game *g;
    bool seen[9] = {false};
    int different = 0;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m", dir);
    make_model(path, cases[0].net, 4);
    assert_ok(game_find("tictactoe", &g));
    assert_ok(g->state_parse("XX-XO---O", s)); // two threats and one move
    agent *a = open_zero(g, path, ",sims=60,temperature=2");
    for (uint64_t game_number = 0; game_number < 24; game_number++) {
        agent_choice c;
        agent_begin(a, (game_key){game_number * 7919, game_number}, g->seat(s));
        assert_ok(agent_choose(a, s, &c));
        assert_float_equal(c.value, 0, 0);
        different += !seen[c.move];
        seen[c.move] = true;
    }
    assert_true(different >= 2);
    agent_close(a);
    temp_dir_remove(dir);
}

// A network that calls every position even and knows margins: the search is about those, says still who wins, the cache
// changes nothing, and analysis shows first what it plays.
static void it_leans_to_the_margin(void **unused)
{
    (void)unused;
    char dir[64], path[128];
    const game *g;
    nn_desc d;
    nn_net *net;
    int other = 0, asked = 0;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m.safetensors", dir);
    assert_ok(game_find("othello", &g));
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=16 b=1 policy=2:65 value=1:16 scalar=1:16:1", &d));
    assert_ok(nn_net_new(&net, &d, 4));
    const nn_fc_at *last = &net->at.head[1].fc[1];
    for (int i = 0; i < last->in; i++) net->w[last->w + (size_t)i] = 0;
    net->w[last->b] = 0;
    assert_ok(nn_net_save(net, path));
    void *s = calloc(1, g->state_size);
    agent *a[4] = {open_zero(g, path, ",sims=60,endgame=0"), open_zero(g, path, ",sims=60,endgame=0,cache=0"),
                   open_zero(g, path, ",sims=60,endgame=0,lean=0"), open_zero(g, path, ",sims=60,endgame=0,reuse=no")};
    assert_ok(g->init(s, "", (game_key){1, 1}));
    for (int k = 0; k < 4; k++) agent_begin(a[k], (game_key){1, 1}, 0);
    for (int ply = 0; ply < 30 && !g->result(s).over; ply++) {
        agent_choice c[4];
        for (int k = 0; k < 4; k++) assert_ok(agent_choose(a[k], s, &c[k]));
        assert_int_equal(c[0].move, c[1].move);
        assert_float_equal(c[0].value, 0.5, 1e-6);
        agent_choice lines[5];
        int n = 0;
        assert_ok(agent_analyse(a[3], s, 5, lines, &n));
        assert_int_equal(lines[0].move, c[3].move);
        for (int k = 0; k < n; k++) assert_true(lines[k].nodes == 0 || fabs((double)lines[k].value - 0.5) < 1e-6);
        asked++;
        other += c[0].move != c[2].move;
        for (int k = 0; k < 4; k++) agent_saw(a[k], s, c[0].move);
        g->play(s, c[0].move, NULL);
    }
    assert_true(asked == 30 && other >= 5);
    for (int k = 0; k < 4; k++) agent_close(a[k]);
    nn_net_free(net);
    free(s);
    temp_dir_remove(dir);
}

// With margins less is explored, unless the options say how much: c and fpu count as they are written.
static void options_of_the_tree_count(void **unused)
{
    (void)unused;
    static const char *const more[] = {"", ",c=0.7", ",c=1", ",c=0.4", ",lean=0", ",lean=0,c=0.7", ",lean=1"};
    enum { KINDS = sizeof more / sizeof *more, POSITIONS = 10 };
    char dir[64], path[128];
    const game *g;
    nn_desc d;
    nn_net *net;
    uint64_t seen[KINDS] = {0};
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m.safetensors", dir);
    assert_ok(game_find("othello", &g));
    assert_ok(nn_desc_parse("planes=3 size=8x8 c=8 b=1 policy=2:65 value=1:16 scalar=1:16:1", &d));
    assert_ok(nn_net_new(&net, &d, 4));
    assert_ok(nn_net_save(net, path));
    void *s = calloc(1, g->state_size);
    for (int k = 0; k < KINDS; k++) {
        char words[80];
        snprintf(words, sizeof words, ",sims=60,endgame=0%s", more[k]);
        agent *a = open_zero(g, path, words);
        for (uint32_t i = 0; i < POSITIONS; i++) {
            agent_choice lines[8];
            int n = 0;
            rng r = rng_at(6, i, 0);
            assert_ok(g->init(s, "", (game_key){6, i}));
            game_random_playout(g, s, &r, 4 + (int)i);
            agent_begin(a, (game_key){6, i}, g->seat(s));
            assert_ok(agent_analyse(a, s, 8, lines, &n));
            for (int j = 0; j < n; j++) seen[k] = rng_mix(seen[k] ^ lines[j].nodes ^ (uint64_t)lines[j].move << 32);
        }
        agent_close(a);
    }
    assert_true(seen[0] == seen[1]); // what it explores with margins
    assert_true(seen[2] != seen[0] && seen[3] != seen[0] && seen[2] != seen[3]);
    assert_true(seen[4] != seen[5]); // without them it explores more
    assert_true(seen[6] != seen[0]);
    free(s);
    nn_net_free(net);
    temp_dir_remove(dir);
}

// Points of the first agent in `n` games, sides changing, each from `random` random plies.
static float points(const game *g, agent *a, agent *b, int n, int random)
{
    void *s = calloc(1, g->state_size);
    move_t *moves = calloc((size_t)g->max_legal, sizeof *moves);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        agent *seat[2] = {i % 2 == 0 ? a : b, i % 2 == 0 ? b : a};
        game_key key = {7, (uint64_t)i};
        rng r = rng_at(7, (uint64_t)i / 2, 0);
        assert_ok(g->init(s, "", key));
        for (int k = 0; k < 2; k++) agent_begin(seat[k], key, k);
        for (int ply = 0; !g->result(s).over; ply++) {
            agent_choice c = {0};
            if (ply < random)
                c.move = moves[rng_below(&r, (uint32_t)g->legal(s, moves))];
            else
                assert_ok(agent_choose(seat[g->seat(s)], s, &c));
            for (int k = 0; k < 2; k++) agent_saw(seat[k], s, c.move);
            g->play(s, c.move, NULL);
        }
        sum += g->result(s).score[i % 2];
    }
    free(s);
    free(moves);
    return sum;
}

// The networks that ship need no name, and beat opponents that they beat nearly always.
static void shipped_networks_play(void **unused)
{
    (void)unused;
    const struct {
        const char *game, *zero, *other;
        int games, random;
        float least;
    } match[] = {{"contrast", "zero:sims=16", "rule", 6, 2, 5},
                 {"othello", "zero:sims=4", "alphabeta:depth=1", 2, 6, 1}};
    for (size_t i = 0; i < sizeof match / sizeof *match; i++) {
        const game *g;
        agent *a, *b;
        assert_ok(game_find(match[i].game, &g));
        assert_ok(agent_open(&a, g, match[i].zero));
        assert_ok(agent_open(&b, g, match[i].other));
        assert_true(points(g, a, b, match[i].games, match[i].random) >= match[i].least);
        agent_close(a);
        agent_close(b);
    }
}

// A network's ending may be left out, of a path and of one that ships; a folder of that name is no network.
static void endings_may_be_left_out(void **unused)
{
    (void)unused;
    char dir[64], path[128], found[FILE_PATH];
    const game *g, *contrast;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m.safetensors", dir);
    make_model(path, cases[0].net, 4);
    assert_ok(game_find("tictactoe", &g));
    assert_ok(game_find("contrast", &contrast));
    path[strlen(path) - strlen(".safetensors")] = 0;
    assert_ok(file_make_dirs(path));
    agent_close(open_zero(g, path, ",sims=1"));
    agent_close(open_zero(contrast, "contrast", ",sims=1"));
    agent_close(open_zero(contrast, "contrast.safetensors", ",sims=1"));
    assert_err(models_network("no-such-network", found, sizeof found), "no-such-network");
    assert_err(models_network("nowhere/x", found, sizeof found), "there is no nowhere/x, nor nowhere/x.safetensors");
    assert_err(models_network("nowhere/x.safetensors", found, sizeof found), "there is no nowhere/x.safetensors");
    assert_null(strstr(err_text(), "nor"));
    // The folder of a run names a network in it.
    assert_err(models_network(dir, found, sizeof found), "is a folder; name the .safetensors file of a network");
    static const char *const files[] = {"final.safetensors", "best.safetensors"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        make_model(path, cases[0].net, 4);
        assert_err(models_network(dir, found, sizeof found), "is a folder; a network in it is ");
        assert_non_null(strstr(err_text(), path));
    }
    temp_dir_remove(dir);
}

// Fours win: at the root the move is played, below it the tree knows; with threats=0 neither. Contrast's threats likewise.
static void threats_are_found(void **unused)
{
    (void)unused;
    char dir[64], path[128], net[100];
    const game *g;
    const encoding *code;
    agent_choice c;
    assert_non_null(temp_dir_make(dir));
    assert_ok(game_find("freestyle", &g));
    assert_ok(game_encoding(g, NULL, &code));
    snprintf(path, sizeof path, "%s/m.safetensors", dir);
    snprintf(net, sizeof net, "planes=%d scalars=%d size=15x15 c=8 b=1 policy=2:225 value=1:16", code->planes,
             code->scalars);
    make_model(path, net, 4);
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    agent *with = open_zero(g, path, ",sims=4,vct=0"), *without = open_zero(g, path, ",sims=4,threats=0,vct=0");
    int solved = 0;
    for (uint32_t k = 0; k < 12; k++) {
        // Black has an open three, or two in a row: the former wins by fours.
        static const char *const lines[] = {"h8;a1;i8;c1;j8;e1", "h8;a1;i8;c1", "h8;a1;i9;c1;j10;e1", "h8;a1;h9;c3"};
        const char *line = lines[k % 4];
        assert_ok(g->init(s, "", (game_key){1, k}));
        for (const char *p = line; *p; p += strcspn(p, ";"), p += *p == ';') {
            char word[8];
            move_t m;
            snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ";"), p);
            game_observe(g, s, g->seat(s), obs);
            assert_ok(g->move_parse(obs, word, &m));
            g->play(s, m, NULL);
        }
        game_observe(g, s, g->seat(s), obs);
        for (int i = 0; i < 2; i++) {
            agent *a = i == 0 ? with : without;
            agent_begin(a, (game_key){3, k}, g->seat(s));
            assert_ok(agent_choose(a, obs, &c));
            bool wins = i == 0 && k % 2 == 0;
            if (wins) assert_string_equal(c.text, "solved: wins by threats");
            assert_int_equal(strncmp(c.text, "solved", 6) == 0, wins);
            solved += wins;
            if (wins) assert_true(c.value == 1.0f);
        }
    }
    assert_int_equal(solved, 6);
    agent_close(with);
    agent_close(without);
    free(s);
    free(obs);
    temp_dir_remove(dir);
}

static void what_is_wrong_is_said(void **unused)
{
    (void)unused;
    char dir[64], path[128], spec[256];
    const game *g, *othello;
    agent *a;
    assert_non_null(temp_dir_make(dir));
    snprintf(path, sizeof path, "%s/m", dir);
    make_model(path, cases[0].net, 4);
    assert_ok(game_find("tictactoe", &g));
    assert_ok(game_find("othello", &othello));
    assert_err(agent_open(&a, g, "zero"), "zero:model=FILE");
    setenv("KEIKO_MODELS", "/wrong", 1);
    assert_err(agent_open(&a, othello, "zero"), "the folder named by KEIKO_MODELS, /wrong, has no othello.safetensors");
    unsetenv("KEIKO_MODELS");
    assert_true(models_ships("othello.safetensors"));
    assert_false(models_ships("tictactoe.safetensors"));
    assert_err(agent_open(&a, g, "zero:model=/nowhere/x.safetensors"), "/nowhere/x.safetensors");
    assert_err(agent_open(&a, g, "zero:model=nobody"), "nobody");
    snprintf(spec, sizeof spec, "zero:model=%s", path);
    assert_err(agent_open(&a, othello, spec), "boards of 3x3; othello has 8x8");
    FILE *f = fopen(path, "w");
    fputs("this is no weights file", f);
    fclose(f);
    assert_int_not_equal(agent_open(&a, g, spec), ERR_OK);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_and_copies_change_nothing),
        cmocka_unit_test(analyses),
        cmocka_unit_test(endings_are_solved),
        cmocka_unit_test(lost_positions_are_played_on),
        cmocka_unit_test(lost_positions_are_played_by_lot),
        cmocka_unit_test(it_leans_to_the_margin),
        cmocka_unit_test(options_of_the_tree_count),
        cmocka_unit_test(shipped_networks_play),
        cmocka_unit_test(endings_may_be_left_out),
        cmocka_unit_test(threats_are_found),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
