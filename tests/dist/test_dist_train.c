// A learner and three workers over a real nats-server learn tic-tac-toe, and the books agree.
#include "crew.h"
#include "learn/zero/perfect.h"
#include "nn/net.h"

static void three_workers_teach_tic_tac_toe(void **unused)
{
    (void)unused;
    crew c;
    char path[200];
    crew_start(&c, "");
    for (int i = 0; i < 3; i++) crew_work(&c, i, "");
    crew_learn(&c,
               "--net 'c=16 b=2' --sims 24 --in-flight 32 --round 120 --batch 64 --fill 1000 --samples 1.5 --lr 0.004 "
               "--ema 0.98 --mix 0.25 --steps 900 --backlog 1000");
    assert_int_equal(reap(c.learner, 120), 0);
    c.learner = 0;
    const game *g;
    perfect *p;
    nn_net *net;
    evaluator *e;
    perfect_score raw, searched;
    assert_ok(game_find("tictactoe", &g));
    assert_ok(perfect_new(&p, g, 10000));
    snprintf(path, sizeof path, "%s/r/final.safetensors", c.k.dir);
    assert_ok(nn_net_load(&net, path));
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.cache = 1 << 22}));
    nn_net *blank;
    perfect_score untrained;
    assert_ok(nn_net_new(&blank, &net->desc, 1));
    assert_ok(evaluator_update(e, blank));
    assert_ok(perfect_search(p, e, &(mcts_options){0}, 150, &untrained));
    assert_true(untrained.right < 4520); // the search alone does not do it
    nn_net_free(blank);
    assert_ok(evaluator_update(e, net));
    assert_ok(perfect_raw(p, e, &raw));
    assert_ok(perfect_search(p, e, &(mcts_options){0}, 150, &searched));
    printf("the network alone is right in %zu of 4520 positions, with 150 simulations in %zu (untrained %zu)\n",
           raw.right, searched.right, untrained.right);
    assert_int_equal(searched.right, 4520); // no mistake
    assert_true(raw.right > 4520 * 93 / 100);
    evaluator_free(e);
    nn_net_free(net);
    perfect_free(p);
    // Games that nobody has read are still there; what was read is counted without gaps.
    ledger l = {0};
    assert_true(crew_ledger(&c, &l));
    ledger_row sum = ledger_sum(&l);
    assert_int_equal(l.n, 3);
    assert_int_equal(sum.counted, sum.highest);
    assert_true(sum.counted > 500);
    ledger_free(&l);
    crew_end(&c);
}

static void who_works_is_shown(void **unused)
{
    (void)unused;
    crew c;
    char log[200];
    crew_start(&c, "");
    crew_learn(&c, "--minutes 10 --backlog 500"); // what waits must be read at the end
    crew_work(&c, 0, "");
    wait_counted(&c, 20, 60);
    crew_log(&c, "view", log);
    assert_int_equal(reap(shell(log, "%s workers --nats %s", KEIKO_PROGRAM, c.url), 60), 0);
    assert_true(log_says(&c, "view", "1 workers:"));
    assert_true(log_says(&c, "view", "generation"));
    assert_true(log_says(&c, "view", "w1 "));
    crew_log(&c, "json", log);
    assert_int_equal(reap(shell(log, "%s workers --nats %s --json", KEIKO_PROGRAM, c.url), 60), 0);
    assert_true(log_says(&c, "json", "\"kind\": \"learner\""));
    assert_true(log_says(&c, "json", "\"run\": \"r\""));
    crew_stop(&c, 60);
    books b = crew_audit(&c);
    assert_int_equal(b.refused, 0);
    // another folder under the same name is refused, until the first run is removed
    crew_log(&c, "second", log);
    const char *again = "%s train tictactoe --run %s/s --nats-run r --nats %s --minutes 1 " SMALL;
    assert_int_equal(reap(shell(log, again, KEIKO_PROGRAM, c.k.dir, c.url), 60), 2);
    assert_true(log_says(&c, "second", "the server has another run named r (tictactoe)"));
    assert_int_equal(reap(shell(log, "%s workers --nats %s --remove r", KEIKO_PROGRAM, c.url), 60), 0);
    bus *b2 = bus_of(&c.k);
    bus_stream_state st;
    assert_err(bus_stream_look(b2, "keiko-r-games", &st), "no stream");
    bus_close(b2);
    crew_end(&c);
}

static double played_for(const crew *c, const char *run)
{
    char path[200], part[40], *text = NULL;
    double seconds = 0;
    crew_log(c, "w1", path);
    assert_ok(file_read(path, 1 << 24, &text, NULL));
    snprintf(part, sizeof part, " games for run %s in ", run);
    const char *at = strstr(text, part);
    if (at == NULL || sscanf(at + strlen(part), "%lf s of play", &seconds) != 1) fail_msg("%s", text);
    free(text);
    return seconds;
}

// One worker, two runs, three to one. The shares are of its time; how many games that makes is up to the networks, which differ.
static void several_runs_by_shares(void **unused)
{
    (void)unused;
    crew c;
    char log[200], who[20];
    pid_t learner[2];
    crew_start(&c, "");
    for (int i = 0; i < 2; i++) {
        snprintf(who, sizeof who, "l%c", 'a' + i);
        crew_log(&c, who, log);
        learner[i] = shell(log, "%s train tictactoe --run %s/%c --nats %s --minutes 10 --checkpoint 1 -v " SMALL,
                           KEIKO_PROGRAM, c.k.dir, 'a' + i, c.url);
        wait_for_log(&c, who, "on the server, from message", 60); // so that the worker finds both at once
    }
    crew_work(&c, 0, "--runs 'a:3,b:1'");
    bus *b = bus_of(&c.k);
    bus_stream_state st = {0};
    for (double until = clock_seconds() + 120; clock_seconds() < until && st.last < 2000; clock_sleep(0.1))
        (void)bus_stream_look(b, "keiko-b-games", &st);
    bus_close(b);
    kill(c.worker[0], SIGTERM);
    assert_int_equal(reap(c.worker[0], 60), 0);
    c.worker[0] = 0;
    double a = played_for(&c, "a"), ratio = a / played_for(&c, "b");
    printf("shares of %.2f to 1\n", ratio);
    assert_true(st.last >= 2000);
    assert_true(ratio > 2.5 && ratio < 3.5);
    for (int i = 0; i < 2; i++) kill_9(&learner[i]);
    crew_end(&c);
}

static void words_are_checked(void **unused)
{
    (void)unused;
    crew c;
    char log[200];
    crew_start(&c, "");
    crew_log(&c, "words", log);
    assert_int_equal(reap(shell(log, "%s worker --nats %s --runs 'a:x'", KEIKO_PROGRAM, c.url), 60), 2);
    assert_true(log_says(&c, "words", "'x' is no share of run a"));
    assert_int_equal(reap(shell(log, "%s worker --nats %s --name 'a b'", KEIKO_PROGRAM, c.url), 60), 2);
    assert_true(log_says(&c, "words", "'a b' cannot name a worker"));
    const char *alone = "%s train tictactoe --run %s/x --minutes 1 --max-stale 3";
    assert_int_equal(reap(shell(log, alone, KEIKO_PROGRAM, c.k.dir), 60), 2);
    assert_true(log_says(&c, "words", "--max-stale has no meaning without --nats"));
    crew_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_workers_teach_tic_tac_toe),
        cmocka_unit_test(who_works_is_shown),
        cmocka_unit_test(several_runs_by_shares),
        cmocka_unit_test(words_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
