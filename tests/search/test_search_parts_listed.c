// What the parts of the searches say, called one by one on hundreds of positions: Contrast's rules, values and proofs, Puyo's terms,
// rewards, plans and playouts, simulations of the advisor, renju's searches for fours and threes. Each part is one number of
// tests/search/parts.txt; KEIKO_SHOW_EDITS=1 prints the answers themselves.
#include "base/edits.h"
#include "base/pool.h"
#include "search/contrast/contrast_ab.h"
#include "search/contrast/contrast_eval.h"
#include "search/contrast/contrast_proof.h"
#include "search/contrast/contrast_rule.h"
#include "search/puyo/puyo_advisor_sim.h"
#include "search/puyo/puyo_gtr.h"
#include "search/puyo/puyo_lookahead.h"
#include "search/puyo/puyo_playout.h"
#include "search/renju/renju_vcf.h"
#include "search/renju/renju_vct.h"

static text_buf list, said;

// The answer in `said`, which is empty afterwards.
static void saw(edits *e)
{
    assert_ok(text_check(&said));
    edits_saw(e, true, "", text_str(&said));
    text_clear(&said);
}

// --- Contrast

static ctr_state some_contrast(uint32_t k)
{
    const game *g;
    rng r = rng_at(31, k, 0);
    ctr_state s;
    assert_ok(game_find("contrast", &g));
    for (uint32_t try = 0;; try++) {
        assert_ok(g->init(&s, "", (game_key){k, try}));
        game_random_playout(g, &s, &r, (int)rng_below(&r, 50));
        if (!g->result(&s).over) return s;
    }
}

static void contrast(void **state)
{
    (void)state;
    edits rules = {.name = "contrast rules"}, values = {.name = "contrast values"},
          proofs = {.name = "contrast proofs"}, searches = {.name = "contrast searches"};
    ctr_ab *e;
    assert_ok(ctr_ab_new(&e, &(ctr_ab_options){.hash = 1 << 16}));
    for (uint32_t k = 0; k < 2000; k++) {
        ctr_state s = some_contrast(k);
        ctr_choice c = ctr_rule_choose(&s.b);
        text_printf(&said, "%d %d %d", (int)c.move, c.rule, c.score);
        saw(&rules);
        text_printf(&said, "%d %d %d", ctr_eval(&s.b, ctr_weights), ctr_threat(&s.b, 0), ctr_threat(&s.b, 1));
        saw(&values);
        if (k % 4 == 0) {
            text_printf(&said, "%d %d", (int)ctr_proof_win(&s), ctr_prove(NULL, &s));
            saw(&proofs);
        }
        if (k % 16 == 0) {
            static const ctr_ab_limits limits[] = {{.depth = 2}, {.nodes = 300}, {.depth = 3, .nodes = 900}};
            ctr_line lines[3];
            ctr_ab_forget(e);
            int n = ctr_ab_search(e, &s, &limits[k / 16 % 3], 1 + (int)(k / 48 % 3), lines);
            text_printf(&said, "%d %" PRIu64, n, ctr_ab_nodes(e));
            for (int i = 0; i < n; i++) {
                char text[300];
                ctr_ab_print(&s, &lines[i], text, sizeof text);
                text_printf(&said, " | %d %d %s", lines[i].score, lines[i].depth, text);
            }
            saw(&searches);
        }
    }
    ctr_ab_free(e);
    edits_list(&rules, &list);
    edits_list(&values, &list);
    edits_list(&proofs, &list);
    edits_list(&searches, &list);
}

// --- Puyo

static py_field some_field(rng *r, int most)
{
    py_field f = {0};
    for (int c = 0; c < PY_COLS; c++)
        for (int h = 1, top = (int)rng_below(r, (uint32_t)most + 1); h <= top; h++)
            py_set(&f, c, h, rng_below(r, 12) == 0 ? PY_NUISANCE : PY_RED + (int)rng_below(r, 4));
    (void)py_chain(&f); // what holds together is gone
    return f;
}

// A match in its middle: two fields, nuisance on its way, clocks apart.
static py_match some_match(uint32_t k)
{
    static const uint32_t waiting[] = {0, 0, 0, 1, 3, 5, 6, 7, 11, 12, 18, 30, 60};
    py_match m;
    rng r = rng_at(32, k, 0);
    assert_ok(py_match_init(&m, k % 3 == 0 ? "timing=turns" : "", (game_key){5, k}));
    for (int i = 0; i < 2; i++) {
        py_side *s = &m.side[i];
        s->field = some_field(&r, k % 4 == 0 ? 11 : 8);
        s->pending = rng_below(&r, 3) == 0 ? waiting[rng_below(&r, 13)] : 0;
        s->coming = rng_below(&r, 2) == 0 ? waiting[rng_below(&r, 13)] : 0;
        s->clock = 500 + rng_below(&r, 300);
        s->bonus = rng_below(&r, 5) == 0;
    }
    return m;
}

static void puyo_parts(void **state)
{
    (void)state;
    edits terms = {.name = "puyo terms"}, rewards = {.name = "puyo rewards"}, folds = {.name = "puyo folds"};
    puyo_reward_weights w;
    assert_ok(puyo_rewards_parse(
        "shaped:shaping=1,survival=0.5,tempo=0.3,position=2,setup=1.5,defense=0.7,threat=0.2,execution="
        "1.1,dealt=0.9,received=0.8,win=1,loss=1,cluster=0.6",
        &w));
    for (uint32_t k = 0; k < 250; k++) {
        rng r = rng_at(33, k, 0);
        py_match m = some_match(k);
        int me = (int)(k % 2);
        const py_field *f = &m.side[me].field;
        uint8_t pair = m.side[me].window[0];
        puyo_terms t = puyo_terms_of(f, pair, k % 3 != 0, PY_LOSE_TSU, 4);
        text_printf(&said, "%.5g %.5g %.5g %d %d %d, %d %d, %u", (double)t.height, (double)t.balance, (double)t.danger,
                    t.chain, t.triggers, t.threat, puyo_placement_frames(f), puyo_bury_count(f),
                    puyo_columns(f, k % 2 == 0, PY_LOSE_TSU));
        saw(&terms);
        puyo_moment now;
        puyo_ahead ahead[PY_MAX_LEGAL];
        puyo_moment_of(&m, &now);
        int n = puyo_look_ahead(&m, me, &now, &w, 0.95, ahead);
        text_printf(&said, "%d %.5g", n, puyo_phi(&now, me, &w));
        for (int i = 0; i < n; i++)
            text_printf(&said, " %d %d %.5g %.4g", ahead[i].move, ahead[i].over, ahead[i].reward,
                        (double)puyo_cluster(f, ahead[i].move, pair));
        saw(&rewards);
        // the fold stands, and something lies where its tail will be
        py_field fold;
        static const char *const bases[] = {"RG..../RRG.../GGR...", "BY..../BBY.../YYB...", "RG..../RRG.../GGB..."};
        assert_ok(py_field_parse(bases[k % 3], &fold));
        for (int c = 3; c < PY_COLS; c++)
            for (int h = 1, top = (int)rng_below(&r, 5); h <= top; h++)
                py_set(&fold, c, h, PY_RED + (int)rng_below(&r, 4));
        uint8_t colours[2] = {0};
        bool stands = gtr_stands(&fold, colours);
        text_printf(&said, "%d %d %d %d", stands, colours[0], colours[1], gtr_tail_count(&fold));
        if (stands) {
            gtr_tail_view v;
            gtr_look_at_tail(&fold, &v);
            text_printf(&said, " %d: %d %d %d %d", gtr_links(&fold), v.possible, v.filled, v.missing, v.nearest);
            for (int i = 0; i < GTR_GROUPS; i++) text_printf(&said, " %d", v.by_group[i]);
        }
        saw(&folds);
    }
    edits_list(&terms, &list);
    edits_list(&rewards, &list);
    edits_list(&folds, &list);
}

static void puyo_plans(void **state)
{
    (void)state;
    static const puyo_versus_options options[] = {
        {.width = 4,
         .depth = 3,
         .samples = 1,
         .visible = 3,
         .answer = true,
         .finish = true,
         .harass = true,
         .hold = true},
        {.width = 3, .depth = 2, .samples = 2, .visible = 2, .answer = true, .finish = true, .fire = 500},
        {.width = 3, .depth = 4, .samples = 1, .visible = 3, .harass = true, .hold = true, .late = 1, .slip = 30},
        {.width = 5, .depth = 3, .samples = 1, .visible = 3, .answer = true, .harass = true, .scout = 4},
    };
    for (int o = 0; o < 4; o++) {
        char name[40];
        snprintf(name, sizeof name, "puyo plans %d", o);
        edits e = {.name = name};
        puyo_versus *v = puyo_versus_new(&options[o]);
        assert_non_null(v);
        for (uint32_t k = 0; k < 90; k++) {
            rng r = rng_at(34, k, 0);
            py_match m = some_match(4 * k + (uint32_t)o), obs;
            int seat = (int)(k % 2);
            if (seat == 1) m.held = 1; // the first has chosen
            py_match_observe(&m, seat, &obs);
            puyo_plan p = puyo_versus_choose(v, &obs, seat, &r);
            text_printf(&said, "%d %d %.6g %s %" PRIu64, p.move, p.fires, p.expects, p.plan, p.nodes);
            saw(&e);
        }
        puyo_versus_free(v);
        edits_list(&e, &list);
    }
    edits e = {.name = "puyo playouts"};
    puyo_versus *model = puyo_playout_model();
    assert_non_null(model);
    puyo_policy policy = puyo_playout_policy(model);
    for (uint32_t k = 0; k < 4; k++) {
        static const int futures[] = {1, 3, 9, 14};
        rng r = rng_at(35, k, 0);
        py_match m = some_match(4 * k), obs; // high fields: short games
        int moves[PUYO_PLAYOUT_MOVES], n = 0;
        puyo_playout_result got;
        const py_side *s = &m.side[0];
        for (uint32_t mask = py_legal_mask(&s->field, s->window[0], true, PY_LOSE_TSU); mask != 0 && n < 5;
             mask &= mask - 1)
            moves[n++] = __builtin_ctz(mask);
        if (n == 0) continue;
        py_match_observe(&m, 0, &obs);
        puyo_play_on(&policy, &obs, 0, moves, n, (puyo_playout_limits){.futures = futures[k % 4]}, &r, &got);
        text_printf(&said, "%d %d %" PRIu64, got.best, got.futures, got.nodes);
        for (int i = 0; i < n; i++) text_printf(&said, " %.5g", got.share[i]);
        saw(&e);
    }
    puyo_versus_free(model);
    edits_list(&e, &list);
}

static void advisor(void **state)
{
    (void)state;
    edits e = {.name = "advisor's games"};
    pool *one = pool_new(1);
    assert_non_null(one);
    for (int k = 0; k < 18; k++) {
        advisor_tally got = {0};
        advisor_trial t = {.config = &advisor_defaults,
                           .plus = k % 6 == 5,
                           .reach = k % 4 == 1,
                           .kind = k % PY_PAIR_KINDS,
                           .colours = 3 + k % 3,
                           .shown = k % 3,
                           .turns = 4 + k % 7,
                           .blind = k % 2 == 1,
                           .seed = 11,
                           .first = (uint64_t)k,
                           .games = k % 6 == 5 ? 4 : 40,
                           .keep_failures = true};
        assert_ok(advisor_simulate(&t, one, &got));
        text_printf(&said, "%d %d %d %d", (int)got.games, (int)got.successes, (int)got.advices, (int)got.turns);
        for (int i = 0; i < FAILURES; i++) text_printf(&said, " %d", (int)got.failures[i]);
        text_printf(&said, "\n%s", text_str(&got.failed));
        saw(&e);
        text_free(&got.failed);
    }
    pool_free(one);
    edits_list(&e, &list);
}

// --- renju

typedef struct any_state { // its stones lie behind the struct
    uint64_t words[16];
} any_state;

static void put_line(rj_vcf_verdict v, const rj_line *l)
{
    text_printf(&said, "%d: %d %d %" PRIu64 " %d:", v, l->length, l->n, l->nodes, l->shortest);
    for (int i = 0; i < l->n; i++) text_printf(&said, " %d", l->move[i]);
}

static void renju(void **state)
{
    (void)state;
    static const char *const games[] = {"renju", "gomoku", "freestyle"};
    static const rj_vcf_limits limits[] = {
        {.nodes = 400}, {.nodes = 400, .any = true}, {.moves = 3, .nodes = 300}, {.nodes = 400, .lean = true}};
    for (int g = 0; g < 3; g++) {
        char name[2][40];
        const game *of;
        rj_vcf *fours;
        rj_vct *threes;
        snprintf(name[0], sizeof name[0], "%s fours", games[g]);
        snprintf(name[1], sizeof name[1], "%s threes", games[g]);
        edits e[2] = {{.name = name[0]}, {.name = name[1]}};
        assert_ok(game_find(games[g], &of));
        assert_ok(rj_vcf_new(&fours, 8));
        assert_ok(rj_vct_new(&threes, 8));
        for (uint32_t k = 0; k < 160; k++) {
            rng r = rng_at(36, k, (uint32_t)g);
            any_state s;
            rj_board b;
            rj_line l = {0};
            // stones thrown near the middle, black and white in turn
            int stones = 8 + (int)(k % 22);
            assert_ok(of->init(&s, "", (game_key){1, k}));
            for (int i = 0, tries = 0; i < stones && tries < 300 && !of->result(&s).over; tries++) {
                move_t legal[400], want = (move_t)((4 + rng_below(&r, 7)) * 15 + 4 + rng_below(&r, 7));
                int n = of->legal(&s, legal), at = 0;
                while (at < n && legal[at] != want) at++;
                any_state next = s;
                if (at == n) continue;
                of->play(&next, want, NULL);
                if (of->result(&next).over) continue;
                s = next;
                i++;
            }
            rj_board_load(&b, (const rj_state *)(const void *)&s);
            rj_vcf_forget(fours);
            put_line(rj_vcf_solve(fours, &b, &limits[k % 4], &l), &l);
            saw(&e[0]);
            rj_vct_forget(threes);
            l = (rj_line){0};
            put_line(rj_vct_solve(threes, &b, 250, 0, &l), &l);
            saw(&e[1]);
            assert_true(rj_board_ok(&b));
        }
        rj_vcf_free(fours);
        rj_vct_free(threes);
        for (int i = 0; i < 2; i++) edits_list(&e[i], &list);
    }
}

static void all_are_listed(void **state)
{
    (void)state;
    text_free(&said);
    assert_listed(&list, "search/parts.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contrast),   cmocka_unit_test(puyo_parts),
                                       cmocka_unit_test(puyo_plans), cmocka_unit_test(advisor),
                                       cmocka_unit_test(renju),      cmocka_unit_test(all_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
