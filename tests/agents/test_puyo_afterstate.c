// The player that compares Puyo afterstates with a network: what it chooses with random weights, looking ahead and not.
#include "agents/agent.h"
#include "base/cpu.h"
#include "base/temp_dir.h"
#include "base/text.h"
#include "eval/puyo_after.h"
#include "games/puyo/puyo_solo.h"
#include "nn/net.h"
#include "test.h"

static char dir[64], model[128];

static void save(const char *path, const char *text, const char *note)
{
    nn_desc d;
    nn_net *net;
    assert_ok(nn_desc_parse(text, &d));
    assert_ok(nn_net_new(&net, &d, 5));
    if (note != NULL) assert_ok(nn_net_set_note(net, note));
    assert_ok(nn_net_save(net, path));
    nn_net_free(net);
}

static int setup(void **state)
{
    (void)state;
    if (temp_dir_make(dir) == NULL) return 1;
    char text[200];
    snprintf(model, sizeof model, "%s/plain.safetensors", dir);
    snprintf(text, sizeof text, "planes=%d scalars=%d size=13x6 mlp=16 scalar=0:0:1 scalar=0:0:1", AFTER_PLANES,
             after_scalars(AFTER_PLAIN));
    save(model, text, "encoding = plain\n");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

// Moves, nodes and words of the first placements, then of those of a high field.
static void plays(const char *game_name, const char *more, int plies, int heat, const char *expected)
{
    const game *g;
    agent *a;
    char spec[300];
    text_buf t = {0};
    assert_ok(game_find(game_name, &g));
    snprintf(spec, sizeof spec, "afterstate:model=%s%s", model, more);
    assert_ok(agent_open(&a, g, spec));
    void *s = calloc(1, g->state_size), *obs = calloc(1, g->obs_size);
    assert_ok(g->init(s, "", (game_key){7, 3}));
    rng r = rng_at(1, 2, 3);
    if (heat > 0) game_random_playout(g, s, &r, heat);
    agent_begin(a, (game_key){7, 3}, g->seat(s));
    for (int ply = 0; ply < plies && !g->result(s).over; ply++) {
        agent_choice c;
        char move[32];
        a->seat = g->seat(s);
        game_observe(g, s, g->seat(s), obs);
        assert_ok(agent_choose(a, obs, &c));
        g->move_print(obs, c.move, move, sizeof move);
        text_printf(&t, "%s%s %d%s%s", ply > 0 ? " " : "", move, (int)c.nodes, c.text[0] != 0 ? " " : "", c.text);
        assert_int_equal(c.depth, 1 + (strstr(more, "search=3") != NULL ? 3 : 0));
        g->play(s, c.move, NULL);
    }
    assert_string_equal(text_str(&t), expected);
    text_free(&t);
    agent_close(a);
    free(s);
    free(obs);
}

static void choices_are_known(void **state)
{
    (void)state;
    assert_ok(cpu_limit("scalar")); // every machine adds in the same order
    plays("puyo-solo", "", 8, 0, "2r 11 3r 22 3u 22 3u 22 3d 22 1d 22 3u 22 4d 22");
    plays(
        "puyo-solo", ",search=3,width=6,samples=4", 6, 0,
        "2r 77 expects 93 points 4l 88 expects 177 points 5u 88 expects 700 points 6l 88 expects 700 points 1u 88 expects 700 points 4d 88 expects 817 points");
    plays("puyo-solo", ",search=3,width=22,samples=3,trust=0", 3, 12,
          "5l 154 fires 40 points 6u 77 expects 180 points 1d 154 expects 40 points");
    plays("puyo", "", 8, 0, "2r 11 2r 11 3r 22 3r 22 3u 22 3u 22 3u 22 3u 22");
    plays(
        "puyo", ",search=3,width=5,samples=6", 6, 20,
        "4r 82 expects 553 points 3d 82 expects 90 points 3r 82 expects 743 points 5l 82 expects 113 points 6d 82 expects 757 points 2l 82 expects 287 points");
    plays("puyo", ",search=3,width=1,samples=6", 4, 30, "1r 22 1r 22 2r 11 1u 22");
    assert_ok(cpu_limit("auto"));
}

// A search may prefer another placement, but never one that is not among the `width` best.
static void width_bounds_the_search(void **state)
{
    (void)state;
    const game *g;
    agent *alone, *narrow, *wide;
    char spec[300];
    int other = 0;
    assert_ok(game_find("puyo-solo", &g));
    snprintf(spec, sizeof spec, "afterstate:model=%s", model);
    assert_ok(agent_open(&alone, g, spec));
    snprintf(spec, sizeof spec, "afterstate:model=%s,search=2,width=1", model);
    assert_ok(agent_open(&narrow, g, spec));
    snprintf(spec, sizeof spec, "afterstate:model=%s,search=2,width=22,trust=1000", model);
    assert_ok(agent_open(&wide, g, spec));
    for (uint64_t k = 0; k < 6; k++) {
        py_solo s;
        agent_choice a, b, c;
        rng r = rng_at(1, 2, (uint32_t)k);
        assert_ok(g->init(&s, "", (game_key){9, k}));
        game_random_playout(g, &s, &r, 10);
        if (g->result(&s).over) continue;
        agent_begin(alone, (game_key){1, k}, 0), agent_begin(narrow, (game_key){1, k}, 0);
        agent_begin(wide, (game_key){1, k}, 0);
        assert_ok(agent_choose(alone, &s, &a));
        assert_ok(agent_choose(narrow, &s, &b));
        assert_ok(agent_choose(wide, &s, &c));
        assert_int_equal(a.move, b.move);
        assert_int_equal(a.nodes, b.nodes); // nothing to compare, nothing searched
        assert_true(c.nodes > a.nodes);
        other += a.move != c.move;
    }
    assert_true(other > 0);
    agent_close(alone), agent_close(narrow), agent_close(wide);
}

// Seat 0 can fire two links with an all clear (37 nuisance) at a field that six bury. Then twelve nuisance are on their way to
// it, which bury it unless it does. A network of random weights does not know; the games that it plays on show it.
static void playing_on_finds_the_win(void **state)
{
    (void)state;
    const game *g;
    agent *alone, *on;
    agent_choice a, b, again;
    char spec[300];
    py_match m, obs;
    assert_ok(game_find("puyo", &g));
    assert_ok(py_match_init(&m, "", (game_key){1, 1}));
    assert_ok(py_field_parse("G...../G...../R...../RG..../RGG...", &m.side[0].field));
    m.side[0].window[0] = m.side[1].window[0] = m.queue.ring[0] = PY_RED | PY_BLUE << 4;
    m.side[0].bonus = 1;
    m.side[1].clock = 5; // not at the same moment
    for (int c = 0; c < PY_COLS; c++)
        for (int r = 1; r <= (c == PY_SPAWN ? 11 : 10); r++) py_set(&m.side[1].field, c, r, PY_RED + (r + 2 * c) % 4);
    snprintf(spec, sizeof spec, "afterstate:model=%s", model);
    assert_ok(agent_open(&alone, g, spec));
    snprintf(spec, sizeof spec, "afterstate:model=%s,playouts=12", model);
    assert_ok(agent_open(&on, g, spec));
    agent_begin(alone, (game_key){3, 3}, 0), agent_begin(on, (game_key){3, 3}, 0);
    py_match_observe(&m, 0, &obs);
    assert_ok(agent_choose(alone, &obs, &a));
    assert_ok(agent_choose(on, &obs, &b));
    assert_true(a.move == b.move && a.nodes == b.nodes); // an empty field and nothing on its way: too early

    m.side[0].pending = 12;
    for (int c = PY_SPAWN; c < PY_COLS; c++)
        for (int r = c == PY_SPAWN ? 2 : 1; r <= 10; r++) py_set(&m.side[0].field, c, r, PY_NUISANCE);
    py_match_observe(&m, 0, &obs);
    agent_begin(on, (game_key){3, 3}, 0);
    assert_ok(agent_choose(on, &obs, &b));
    agent_begin(on, (game_key){3, 3}, 0);
    assert_ok(agent_choose(on, &obs, &again));
    assert_true(b.move == again.move && b.nodes == again.nodes && b.nodes > a.nodes);
    assert_string_equal(b.text, "wins 100 % of the games played on");
    py_field f = m.side[0].field;
    py_place(&f, b.move, m.side[0].window[0]);
    assert_int_equal(py_chain(&f).links, 2);
    agent_close(alone), agent_close(on);
}

static void wrong_networks_are_refused(void **state)
{
    (void)state;
    const game *g;
    agent *a = NULL;
    static const struct {
        const char *net, *note;
    } rows[] = {{"planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", NULL},
                {"planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = other\n"},
                {"planes=7 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = plain\n"},
                {"planes=8 scalars=3%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = plain\n"},
                {"planes=8 scalars=%d size=12x6 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = plain\n"},
                {"planes=8 scalars=%d size=13x7 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = plain\n"},
                {"planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1", "encoding = plain\n"},
                {"planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:2", "encoding = plain\n"},
                {"planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1", "encoding = trigger\n"}};
    char path[128], text[200], spec[200];
    assert_ok(game_find("puyo-solo", &g));
    snprintf(path, sizeof path, "%s/bad.safetensors", dir);
    snprintf(spec, sizeof spec, "afterstate:model=%s", path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, rows[i].net, after_scalars(AFTER_PLAIN));
        save(path, text, rows[i].note);
        assert_err(agent_open(&a, g, spec), "does not value Puyo afterstates: networks of keiko train puyo-solo do");
    }
    snprintf(text, sizeof text, "planes=8 scalars=%d size=13x6 mlp=8 scalar=0:0:1 scalar=0:0:1",
             after_scalars(AFTER_TRIGGER));
    save(path, text, "encoding = trigger\n");
    assert_ok(agent_open(&a, g, spec));
    agent_close(a);
    assert_err(agent_open(&a, g, "afterstate"), "afterstate needs a network: afterstate:model=FILE");
    assert_err(agent_open(&a, g, "afterstate:model=/nowhere/x.safetensors"), "/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_known),
        cmocka_unit_test(width_bounds_the_search),
        cmocka_unit_test(playing_on_finds_the_win),
        cmocka_unit_test(wrong_networks_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
