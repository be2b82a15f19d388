// labels: threads
// The whole loop: it learns tic-tac-toe, and a run that was interrupted ends with the same bytes as one that was not.
#include "arena/tour.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/temp_dir.h"
#include "learn/zero/az.h"
#include "learn/zero/perfect.h"
#include "run/run_log.h"
#include "test.h"

#include <math.h>

static const char tiny[] =
    "net='c=16 "
    "b=1',in-flight=16,sims=12,full=0.6,fast-sims=5,round=60,openings=2,fill=150,batch=32,samples=3,lr=0.003,ema=0.9,threads=1,backend=cpu,"
    "buffer-min=300,buffer-max=2000,cache=1,eval-every=0,checkpoint=0";

static void config_make(az_config *c, opt_values *keep, const char *more)
{
    memset(c, 0, sizeof *c);
    assert_ok(opt_defaults(az_opts, az_n_opts, c));
    assert_ok(opt_pairs(az_opts, az_n_opts, c, tiny, "tiny", keep));
    assert_ok(opt_pairs(az_opts, az_n_opts, c, more, "more", keep));
}

typedef struct stops { // ask for an end in these rounds
    uint64_t every;
    int asked;
} stops;

static bool stop_sometimes(void *ctx, const train_state *z)
{
    stops *s = ctx;
    if (s->every > 0 && z->round % s->every == 0) {
        s->asked++;
        stop_request();
    }
    return true;
}

// The log says where self-play's time went: shares of a whole.
static void shares_add_up(const char *dir)
{
    run_book *book;
    assert_ok(run_book_read(&book, dir));
    double sum = 0;
    const char *const names[] = {"tree", "encode", "kernel", "idle"};
    for (int i = 0; i < 4; i++) {
        double share = run_book_last_value(book, "shares", names[i]);
        assert_true(share >= 0 && share <= 1);
        sum += share;
    }
    assert_float_equal(sum, 1, 1e-6);
    double busy = run_book_last_value(book, "shares", "busy");
    // Some thread is in a kernel whenever the mean one is; on a crowded machine a thread may wait between two clocks.
    assert_true(busy > 0 && busy <= 1 && busy >= run_book_last_value(book, "shares", "kernel") - 0.25);
    assert_true(run_book_last_value(book, "selfplay", "games") > 0);
    assert_true(isnan(run_book_last_value(book, "selfplay", "resign_wrong"))); // these runs never resign
    run_book_free(book);
}

// Games of self-play go to the log as moves that the rules allow, to the end that their score says.
static void games_can_be_replayed(const char *dir)
{
    run_book *book;
    const game *g;
    assert_ok(run_book_read(&book, dir));
    assert_ok(game_find("tictactoe", &g));
    const run_record *r = run_book_last(book, "game");
    assert_non_null(r);
    char moves[256], *rest;
    snprintf(moves, sizeof moves, "%s", run_record_text(r, "moves"));
    void *state = calloc(1, g->state_size);
    assert_ok(g->init(state, "", (game_key){0}));
    for (char *word = strtok_r(moves, ";", &rest); word != NULL; word = strtok_r(NULL, ";", &rest)) {
        move_t m;
        assert_ok(g->move_parse(state, word, &m));
        g->play(state, m, NULL);
    }
    assert_true(g->result(state).over);
    assert_float_equal(g->result(state).score[0], atof(run_record_text(r, "score")), 0);
    free(state);
    run_book_free(book);
}

// Trains in `dir` up to `steps`, as often stopped and resumed as the rule says; returns the final weights' bytes.
static char *train(az_config *c, const char *dir, int64_t steps, int threads, uint64_t every, size_t *size)
{
    const game *g;
    train_end how = TRAIN_STOPPED;
    stops s = {every, 0};
    char path[FILE_PATH], *data;
    assert_ok(game_find("tictactoe", &g));
    for (int start = 0; how == TRAIN_STOPPED; start++) {
        run_home *home;
        stop_reset();
        assert_true(start < 100);
        assert_ok(run_open(&home, &(run_options){.dir = dir,
                                                 .game = g->name,
                                                 .algo = "zero",
                                                 .resume = start > 0,
                                                 .opts = az_opts,
                                                 .n_opts = az_n_opts,
                                                 .values = c,
                                                 .no_events = true}));
        c->common.seed = 42;
        c->common.threads = threads;
        c->common.backend = "cpu";
        c->common.steps = steps;
        assert_ok(
            az_train(&(train_options){.g = g, .home = home, .each = stop_sometimes, .ctx = &s}, c, NULL, NULL, &how));
        run_close(home);
    }
    stop_reset();
    if (every > 0) assert_true(s.asked >= 2);
    shares_add_up(dir);
    games_can_be_replayed(dir);
    assert_ok(file_join(path, sizeof path, dir, "final.safetensors"));
    assert_ok(file_read(path, 1 << 26, &data, size));
    return data;
}

// Games between the references that count in the run's last checkpoint.
typedef struct reference_games {
    tour_setup setup;
    int n;
} reference_games;

static err count_references(void *ctx, const match_record *r)
{
    reference_games *c = ctx;
    bool both = true;
    for (int i = 0; i < 2; i++) both = both && strchr(c->setup.player[r->what.player[i]].name, ' ') == NULL;
    c->n += both;
    return ERR_OK;
}

static run_home *reopen(const az_config *c, const char *dir)
{
    run_home *home;
    assert_ok(run_open(&home, &(run_options){.dir = dir,
                                             .game = "tictactoe",
                                             .algo = "zero",
                                             .resume = true,
                                             .opts = az_opts,
                                             .n_opts = az_n_opts,
                                             .values = c,
                                             .no_events = true}));
    return home;
}

// The network in a checkpoint says of which step it is, not of which step the last rated one was.
static void checkpoint_names_its_step(const az_config *c, const char *dir)
{
    run_home *home = reopen(c, dir);
    nn_net *net;
    char path[FILE_PATH], step[64];
    assert_ok(run_point_path(run_resumed(home), "net.safetensors", path));
    assert_ok(nn_net_load(&net, path));
    snprintf(step, sizeof step, "\nstep = %lld\n", (long long)run_resumed(home)->step);
    assert_non_null(strstr(net->note, step));
    nn_net_free(net);
    run_close(home);
}

static int between_references(const az_config *c, const char *dir)
{
    run_home *home = reopen(c, dir);
    store *games;
    reference_games count = {.n = 0};
    tour_state state;
    char path[FILE_PATH], *text, *rest;
    size_t size;
    int run;
    assert_ok(run_point_path(run_resumed(home), "ratings.txt", path));
    assert_ok(file_read(path, 1 << 20, &text, &size));
    assert_ok(file_join(path, sizeof path, dir, "ratings.db"));
    assert_ok(store_open_file(&games, path, false));
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, "run %d", &run) != 1) continue;
        assert_ok(store_load(games, run, &count.setup, &state));
        assert_true(state.ended > 0);
        assert_ok(store_games(games, run, count_references, &count));
        tour_setup_free(&count.setup);
    }
    store_close(games);
    free(text);
    run_close(home);
    return count.n;
}

static void a_resumed_run_ends_the_same(void **unused)
{
    (void)unused;
    const char *const more[] = {"",
                                "gumbel=4,noise=0,mix=0.3,policy-loss=heads,optimiser=sgd,lr=0.05,ema=0,precision=int8",
                                "eval-every=10,eval-games=8,eval-sims=4,references=random;greedy"};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        az_config c;
        opt_values *keep = opt_keep();
        char root[64], dir[3][FILE_PATH];
        size_t size[3];
        char *data[3];
        assert_non_null(temp_dir_make(root));
        config_make(&c, keep, more[k]);
        for (int i = 0; i < 3; i++) assert_ok(file_join(dir[i], FILE_PATH, root, (const char *[]){"a", "b", "c"}[i]));
        int runs = UNDER_TSAN ? 1 : 3;                                 // the first has all threads
        data[0] = train(&c, dir[0], 24, 2, 2, &size[0]);               // two threads, stopped in every other round
        if (runs > 1) data[1] = train(&c, dir[1], 24, 1, 0, &size[1]); // in one go
        if (runs > 2) data[2] = train(&c, dir[2], 24, 1, 3, &size[2]);
        for (int i = 1; i < runs; i++) {
            assert_int_equal(size[i], size[0]);
            assert_memory_equal(data[i], data[0], size[0]);
        }
        for (int i = 0; i < runs && k == 2; i++) assert_int_equal(between_references(&c, dir[i]), 4); // once per run
        checkpoint_names_its_step(&c, dir[0]);
        for (int i = 0; i < runs; i++) free(data[i]);
        temp_dir_remove(root);
        opt_free(keep);
    }
}

// The asynchronous learner, and a gate before new weights: other results, but again the same on one thread and on two.
static void async_and_gate_repeat(void **unused)
{
    (void)unused;
    const char *const more[] = {"async", "gate,gate-games=16,eval-every=10,eval-games=2,eval-sims=4,references=random"};
    for (int k = 0; k < 2; k++) {
        az_config c;
        opt_values *keep = opt_keep();
        char root[64], dir[FILE_PATH];
        size_t size[2];
        char *data[2];
        assert_non_null(temp_dir_make(root));
        config_make(&c, keep, more[k]);
        int runs = UNDER_TSAN ? 1 : 2;
        for (int i = 0; i < runs; i++) {
            assert_ok(file_join(dir, sizeof dir, root, i == 0 ? "a" : "b"));
            data[i] = train(&c, dir, 20, 2 - i, 0, &size[i]);
        }
        assert_int_equal(size[0], size[runs - 1]);
        assert_memory_equal(data[0], data[runs - 1], size[0]);
        for (int i = 0; i < runs; i++) free(data[i]);
        temp_dir_remove(root);
        opt_free(keep);
    }
}

static void tic_tac_toe_is_learned(void **unused)
{
    (void)unused;
    az_config c;
    opt_values *keep = opt_keep();
    const game *g;
    perfect *p;
    perfect_score before, after, searched;
    nn_net *net;
    nn_desc d;
    evaluator *e;
    config_make(&c, keep,
                "sims=14,full=1,in-flight=32,round=120,samples=6,batch=64,fill=400,buffer-min=2000,buffer-max=20000,"
                "lr=0.004,noise=0.25,openings=4");
    assert_ok(game_find("tictactoe", &g));
    assert_ok(perfect_new(&p, g, 10000));
    assert_int_equal(perfect_positions(p), 4520);
    assert_ok(az_net_desc(&c, g, &g->encodings[0], &d));
    assert_ok(nn_net_new(&net, &d, 1));
    assert_ok(evaluator_new(&e, g, net, NULL));
    assert_ok(perfect_raw(p, e, &before));
    evaluator_free(e);
    nn_net_free(net);
    c.common.steps = 300;
    assert_ok(az_train(&(train_options){.g = g}, &c, NULL, &net, NULL));
    assert_ok(evaluator_new(&e, g, net, &(eval_options){.cache = 1 << 22}));
    assert_ok(perfect_raw(p, e, &after));
    assert_ok(perfect_search(p, e, &(mcts_options){.no_solver = true}, 25, &searched));
    printf(
        "raw policy right in %zu of 4520 before, %zu after; with 25 simulations in %zu; value error %.2f, then %.2f\n",
        before.right, after.right, searched.right, before.value_error, after.value_error);
    assert_true(after.right > 4520 * 85 / 100);
    assert_true(after.right > before.right + 300);
    assert_true(searched.right > 4520 * 96 / 100);
    assert_true(after.value_error < 0.8 * before.value_error);
    evaluator_free(e);
    nn_net_free(net);
    perfect_free(p);
    opt_free(keep);
}

// Self-play's weights before anything is learned are the file's, and a file that does not fit is named.
static bool is_the_file(void *ctx, const train_state *z)
{
    const nn_net *net = ctx;
    assert_int_equal(z->step, 0);
    assert_memory_equal(z->net->w, net->w, net->at.n_all * sizeof *net->w);
    return false;
}

static void a_run_begins_with_a_network(void **unused)
{
    (void)unused;
    az_config c;
    opt_values *keep = opt_keep();
    const game *g, *other;
    nn_net *net;
    char root[64], path[FILE_PATH], more[FILE_PATH + 64];
    assert_non_null(temp_dir_make(root));
    assert_ok(file_join(path, sizeof path, root, "first.safetensors"));
    assert_ok(game_find("tictactoe", &g));
    assert_ok(game_find("othello", &other));
    train_options o = {.g = g};
    config_make(&c, keep, "steps=3");
    assert_ok(az_train(&o, &c, NULL, &net, NULL));
    assert_ok(nn_net_save(net, path));
    snprintf(more, sizeof more, "init=%s", path);
    config_make(&c, keep, more);
    c.common.seed = 2;
    o.each = is_the_file;
    o.ctx = net;
    assert_ok(az_train(&o, &c, NULL, NULL, NULL));
    snprintf(more, sizeof more, "init=%s,net='c=16 b=2'", path); // a block more: it grows
    config_make(&c, keep, more);
    assert_ok(az_check(&o, &c));
    snprintf(more, sizeof more, "init=%s,net='c=24 b=2'", path);
    config_make(&c, keep, more);
    assert_err(az_check(&o, &c), "the network is another one: --net 'planes=");
    o.g = other;
    assert_err(az_check(&o, &c), "this network was trained for tictactoe, not for othello");
    config_make(&c, keep, "init=/nowhere/net");
    assert_err(az_check(&o, &c), "--init /nowhere/net");
    nn_net_free(net);
    opt_free(keep);
    temp_dir_remove(root);
}

// A network of gomoku reads freestyle's board the same way; on the larger board or in renju nothing fits.
static void a_run_begins_with_a_network_of_a_game_like_it(void **unused)
{
    (void)unused;
    az_config c = {.net = "c=8 b=1", .encoding = "threats"};
    const game *gomoku, *other;
    const encoding *enc;
    nn_desc d;
    nn_net *net;
    char root[64], path[FILE_PATH];
    assert_non_null(temp_dir_make(root));
    assert_ok(file_join(path, sizeof path, root, "gomoku.safetensors"));
    assert_ok(game_find("gomoku", &gomoku));
    assert_ok(game_encoding(gomoku, c.encoding, &enc));
    assert_ok(az_net_desc(&c, gomoku, enc, &d));
    assert_ok(nn_net_new(&net, &d, 3));
    assert_ok(nn_net_set_note(net, "game = gomoku\nencoding = threats\n"));
    assert_ok(nn_net_save(net, path));
    nn_net_free(net);
    assert_ok(game_find("freestyle", &other));
    assert_ok(az_named_net(other, "init", path, &net, &enc));
    assert_string_equal(enc->name, "threats");
    assert_non_null(strstr(net->note, "game = gomoku"));
    nn_net_free(net);
    assert_err(az_named_net(other, "teacher", path, &net, &enc),
               "this network was trained for gomoku, not for freestyle");
    assert_ok(game_find("renju", &other));
    assert_err(az_named_net(other, "init", path, &net, &enc), "this network was trained for gomoku, not for renju");
    assert_ok(game_find("freestyle20", &other));
    assert_err(az_named_net(other, "init", path, &net, &enc), "trained for gomoku, not for freestyle20");
    temp_dir_remove(root);
}

static void bad_options_are_named(void **unused)
{
    (void)unused;
    az_config c;
    opt_values *keep = opt_keep();
    const game *g, *puyo, *othello;
    const char *text;
    assert_ok(game_find("tictactoe", &g));
    assert_ok(game_find("puyo", &puyo));
    assert_ok(game_find("othello", &othello));
    train_options o = {.g = g};
    config_make(&c, keep, "");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "say how long to train");
    config_make(&c, keep, "steps=1,net='c=16 b=1 policy=2:10'");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "policy head 1 has 10 outputs; tictactoe needs 9");
    config_make(&c, keep, "steps=1,net='c=blue'");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "--net");
    config_make(&c, keep, "steps=1,lr=fast");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "--lr");
    config_make(&c, keep, "steps=1,encoding=mask");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "mask");
    config_make(&c, keep, "steps=1,buffer-min=100,buffer-max=50");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "--buffer-max");
    config_make(&c, keep, "steps=1,lean=0.4");
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "--margin plays for the margin, and tictactoe has none");
    o.g = othello;
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "--margin needs a network that learns the margin");
    assert_err(opt_pairs(az_opts, az_n_opts, &c, "ema=1", "", keep), "ema must be"); // self-play would never learn
    config_make(&c, keep, "steps=1");
    o.g = puyo;
    assert_err(az_train(&o, &c, NULL, NULL, NULL), "puyo");
    assert_err(az_preset(g, "slow", &text), "no preset 'slow'");
    opt_free(keep);
}

// Every preset of every board game: its options exist and its network fits.
static void presets_are_sound(void **unused)
{
    (void)unused;
    for (int i = 0; i < game_count(); i++) {
        const game *g = game_at(i);
        for (int k = 0; k < 3; k++) {
            az_config c;
            nn_desc d;
            nn_train_options to;
            nn_lr lr;
            nn_net *net;
            const encoding *enc;
            opt_values *keep = opt_keep();
            assert_ok(az_config_make(&c, g, (const char *[]){"seed", "fast", "strong"}[k], NULL, 0, keep));
            assert_ok(game_encoding(g, c.encoding, &enc));
            assert_ok(az_net_desc(&c, g, enc, &d));
            assert_ok(nn_net_new(&net, &d, 1));
            assert_ok(eval_fit(g, net, enc->name, &enc));
            assert_ok(az_train_options(&c, NULL, &to, &lr));
            nn_net_free(net);
            opt_free(keep);
        }
    }
}

// --- which network is `best`

typedef struct after_step { // in the first round that learned something: ask for an end, or let the limit pass
    bool stop;
    double wait_until;
    uint64_t step;
} after_step;

static bool end_after_step(void *ctx, const train_state *z)
{
    after_step *a = ctx;
    if (z->step == 0) return true;
    a->step = z->step;
    if (a->stop) stop_request();
    while (!a->stop && clock_seconds() < a->wait_until) clock_sleep(0.05);
    return true;
}

static uint64_t step_of(const char *dir, const char *file, bool *rated)
{
    char path[FILE_PATH], value[64];
    nn_net *net;
    assert_ok(file_join(path, sizeof path, dir, file));
    assert_ok(nn_net_load(&net, path));
    assert_true(eval_note(net->note, "step", value, sizeof value));
    uint64_t step = strtoull(value, NULL, 10);
    *rated = eval_note(net->note, "elo", value, sizeof value);
    nn_net_free(net);
    return step;
}

static train_state run_until(const char *dir, const char *more, after_step *a, train_end *how)
{
    az_config c;
    opt_values *keep = opt_keep();
    const game *g;
    run_home *home;
    train_state s;
    stop_reset();
    assert_ok(game_find("tictactoe", &g));
    config_make(&c, keep, "eval-every=1000,eval-games=100,eval-sims=4,references=random;greedy");
    assert_ok(opt_pairs(az_opts, az_n_opts, &c, more, "more", keep));
    assert_ok(run_open(&home, &(run_options){.dir = dir,
                                             .game = g->name,
                                             .algo = "zero",
                                             .opts = az_opts,
                                             .n_opts = az_n_opts,
                                             .values = &c,
                                             .no_events = true}));
    assert_ok(az_train(&(train_options){.g = g, .home = home, .each = end_after_step, .ctx = a}, &c, &s, NULL, how));
    run_close(home);
    opt_free(keep);
    stop_reset();
    return s;
}

// Only the random weights that it began with are rated: the last network is best.safetensors nevertheless. It is
// final.safetensors, too, although the run was stopped.
static void best_was_trained(void **unused)
{
    (void)unused;
    char root[64], dir[FILE_PATH];
    bool rated;
    train_end how;
    after_step a = {.stop = true};
    assert_non_null(temp_dir_make(root));
    assert_ok(file_join(dir, sizeof dir, root, "run"));
    train_state s = run_until(dir, "steps=1000", &a, &how);
    assert_int_equal(how, TRAIN_STOPPED);
    assert_true(s.rated && s.elo_step == 0 && s.step > 0);
    assert_int_equal(step_of(dir, "best.safetensors", &rated), a.step);
    assert_false(rated);
    assert_int_equal(step_of(dir, "final.safetensors", &rated), a.step);
    temp_dir_remove(root);
}

// The limit has passed when the last network is to be rated: a pair against each opponent is played nevertheless.
static void the_last_network_is_rated(void **unused)
{
    (void)unused;
    char root[64], dir[FILE_PATH];
    bool rated;
    train_end how;
    after_step a = {.wait_until = clock_seconds() + 4.5};
    assert_non_null(temp_dir_make(root));
    assert_ok(file_join(dir, sizeof dir, root, "run"));
    train_state s = run_until(dir, "minutes=0.06", &a, &how);
    assert_int_equal(how, TRAIN_LIMIT);
    assert_true(s.rated && s.step > 0);
    assert_int_equal(s.elo_step, s.step);
    assert_int_equal(step_of(dir, "best.safetensors", &rated), s.step);
    assert_true(rated);
    temp_dir_remove(root);
}

// --- a folder that is moved away

typedef struct mover {
    const char *from, *to;
} mover;

static bool move_away(void *ctx, const train_state *z)
{
    const mover *m = ctx;
    if (z->round == 3) assert_int_equal(rename(m->from, m->to), 0);
    return true;
}

// The run ends with a sentence, and nothing is made anew where the folder was.
static void a_moved_folder_stays_away(void **unused)
{
    (void)unused;
    char root[64], dir[FILE_PATH], other[FILE_PATH];
    const game *g;
    az_config c;
    run_home *home;
    opt_values *keep = opt_keep();
    assert_non_null(temp_dir_make(root));
    assert_ok(file_join(dir, sizeof dir, root, "run"));
    assert_ok(file_join(other, sizeof other, root, "other"));
    assert_ok(game_find("tictactoe", &g));
    for (int async = 0; async < 2; async++) {
        config_make(&c, keep, "steps=100");
        c.async = async != 0;
        assert_ok(run_open(&home, &(run_options){.dir = dir, .game = g->name, .algo = "zero", .no_events = true}));
        mover m = {dir, other};
        assert_err(az_train(&(train_options){.g = g, .home = home, .each = move_away, .ctx = &m}, &c, NULL, NULL, NULL),
                   "was moved or removed during the run");
        run_close(home);
        assert_false(file_exists(dir));
        temp_dir_remove(other);
    }
    opt_free(keep);
    temp_dir_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(best_was_trained),
        WITHOUT_THREADS(a_moved_folder_stays_away),
        WITHOUT_THREADS(the_last_network_is_rated),
        WITHOUT_THREADS(tic_tac_toe_is_learned),
        WITHOUT_THREADS(bad_options_are_named),
        WITHOUT_THREADS(presets_are_sound),
        WITHOUT_THREADS(a_run_begins_with_a_network),
        cmocka_unit_test(a_run_begins_with_a_network_of_a_game_like_it),
        cmocka_unit_test(a_resumed_run_ends_the_same),
        cmocka_unit_test(async_and_gate_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
