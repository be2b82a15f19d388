// labels: threads
// Many positions at once: encodings, evaluators, analysis, environments, benches and lists through keiko.h.
#include "keiko.h"
#include "test.h"

#include <math.h>
#include <stdbool.h>

enum { N = 300 };

static void random_positions(const keiko_game *g, keiko_position **p, int n)
{
    uint16_t *moves = malloc((size_t)keiko_game_max_legal(g) * sizeof *moves);
    for (int i = 0; i < n; i++) {
        assert_int_equal(keiko_position_new(g, NULL, 1, (uint64_t)i, &p[i]), 0);
        for (int k = 0; k < i % 70; k++) {
            int legal = keiko_position_legal(p[i], moves);
            if (legal == 0) break;
            assert_int_equal(keiko_position_play(p[i], moves[(i * 7 + k * 13) % legal]), 0);
        }
    }
    free(moves);
}

static void encodings_have_sizes_and_names(void **state)
{
    (void)state;
    for (int i = 0; i < keiko_game_count(); i++) {
        const keiko_game *g = keiko_game_at(i);
        for (int k = 0; k < keiko_game_encodings(g); k++) {
            char name[100];
            keiko_shape s;
            assert_int_equal(keiko_game_shape(g, keiko_game_encoding(g, k), &s), 0);
            for (int c = 0; c < s.planes + s.scalars; c++)
                if (keiko_game_plane_name(g, keiko_game_encoding(g, k), c, name, sizeof name) == 0)
                    fail_msg("%s, %s: plane %d has no name", keiko_game_name(g), keiko_game_encoding(g, k), c);
            keiko_game_plane_name(g, keiko_game_encoding(g, k), s.planes + s.scalars, name, sizeof name);
            if (name[0] != 0)
                fail_msg("%s, %s: a name too many: %s", keiko_game_name(g), keiko_game_encoding(g, k), name);
        }
        assert_null(keiko_game_encoding(g, keiko_game_encodings(g)));
    }
    const keiko_game *g = keiko_game_find("othello");
    keiko_position *p;
    float planes[3 * 64];
    uint8_t mask[65];
    char text[40];
    assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
    assert_int_equal(keiko_encode((const keiko_position *const *)&p, 1, NULL, planes), 0);
    keiko_position_mask(p, mask);
    float sum = 0;
    for (int i = 0; i < 64; i++) {
        sum += planes[i] + planes[64 + i];
        assert_true((planes[128 + i] == 1.0f) == (mask[i] == 1));
    }
    assert_true(sum == 4.0f);
    keiko_game_plane_name(g, "mask", 1, text, sizeof text);
    assert_string_equal(text, "opponent's discs");
    keiko_game_plane_name(keiko_game_find("contrast"), "c66", 31, text, sizeof text);
    assert_string_equal(text, "grey tiles 8");
    assert_int_not_equal(keiko_encode((const keiko_position *const *)&p, 1, "nothing", planes), 0);
    keiko_position_free(p);
}

static void batches_are_evaluated_as_single_positions(void **state)
{
    (void)state;
    const keiko_game *g = keiko_game_find("contrast");
    keiko_evaluator *e;
    keiko_position *p[N];
    const size_t all_moves = (size_t)keiko_game_moves(g);
    if (keiko_evaluator_open(g, "contrast", NULL, &e) != 0) skip_because("%s", keiko_error());
    float *policy = malloc(N * all_moves * sizeof *policy), *one = malloc(all_moves * sizeof *one), values[N], value;
    uint16_t *moves = malloc((size_t)keiko_game_max_legal(g) * sizeof *moves);
    random_positions(g, p, N);
    assert_int_equal(keiko_evaluate(e, (const keiko_position *const *)p, N, values, policy), 0);
    for (int i = 0; i < N; i++) {
        int n = keiko_position_legal(p[i], moves);
        float sum = 0, all = 0;
        const float *here = policy + (size_t)i * all_moves;
        for (int k = 0; k < n; k++) sum += here[moves[k]];
        for (size_t k = 0; k < all_moves; k++) all += here[k];
        assert_true(n == 0 ? all == 0.0f : fabsf(sum - 1) < 1e-4f && fabsf(all - sum) < 1e-4f);
        assert_true(values[i] >= -1 && values[i] <= 1);
        if (i % 29 != 0) continue;
        assert_int_equal(keiko_evaluate(e, (const keiko_position *const *)&p[i], 1, &value, one), 0);
        assert_true(value == values[i]);
        assert_memory_equal(one, here, all_moves * sizeof *one);
    }
    keiko_position *other;
    assert_int_equal(keiko_position_new(keiko_game_find("tictactoe"), NULL, 1, 0, &other), 0);
    assert_int_not_equal(keiko_evaluate(e, (const keiko_position *const *)&other, 1, values, NULL), 0);
    assert_non_null(strstr(keiko_error(), "is of tictactoe, not of contrast"));
    keiko_position_free(other);
    for (int i = 0; i < N; i++) keiko_position_free(p[i]);
    keiko_evaluator_close(e);
    free(policy);
    free(one);
    free(moves);
    assert_int_not_equal(keiko_evaluator_open(g, "no-such-model", NULL, &e), 0);
}

// Every line of play can be played.
static void analysis_gives_lines(void **state)
{
    (void)state;
    static const struct {
        const char *game, *agent;
    } rows[] = {{"othello", "alphabeta:depth=6"},
                {"contrast", "alphabeta:depth=3"},
                {"renju", "alphabeta:depth=4"},
                {"othello", "mcts:sims=200"},
                {"renju", "mcts:sims=300"},
                {"tictactoe", "mcts:sims=400"},
                {"othello", "greedy"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const keiko_game *g = keiko_game_find(rows[r].game);
        keiko_position *p, *q;
        keiko_agent *a;
        keiko_line lines[3];
        int n;
        assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
        assert_int_equal(keiko_agent_open(g, rows[r].agent, &a), 0);
        keiko_agent_begin(a, 1, 0, 0);
        assert_int_equal(keiko_agent_analyse(a, p, 3, lines, &n), 0);
        assert_true(n >= 1 && n <= 3);
        for (int i = 0; i < n; i++) {
            assert_int_equal(lines[i].pv[0], lines[i].move);
            assert_int_equal(keiko_position_copy(p, &q), 0);
            for (int k = 0; k < lines[i].length; k++) assert_int_equal(keiko_position_play(q, lines[i].pv[k]), 0);
            keiko_position_free(q);
            if (strncmp(rows[r].agent, "mcts", 4) == 0) assert_true(lines[i].prior >= 0 && lines[i].visits > 0);
        }
        keiko_agent_close(a);
        keiko_position_free(p);
    }
}

static void environments_step(void **state)
{
    (void)state;
    uint8_t masks[4 * 65], seats[4], over[4];
    float rewards[8];
    const int32_t any[4] = {-1, -1, -1, -1};
    keiko_env *e;
    keiko_env_buffers b = {.size = sizeof b, .masks = masks, .seats = seats, .rewards = rewards, .terminated = over};
    keiko_env_options o = {.size = sizeof o, .game = keiko_game_find("othello"), .n = 4, .threads = 2};
    assert_int_equal(keiko_env_open(&o, &b, &e), 0);
    assert_int_equal(keiko_env_reset(e, NULL), 0);
    int ended = 0;
    for (int i = 0; i < 300; i++) {
        keiko_position *p;
        uint8_t mask[65];
        assert_int_equal(keiko_env_step(e, any), 0);
        assert_int_equal(keiko_env_position(e, 2, &p), 0);
        keiko_position_mask(p, mask);
        assert_memory_equal(mask, masks + (size_t)2 * 65, 65);
        keiko_position_free(p);
        for (int k = 0; k < 4; k++) ended += over[k];
    }
    assert_in_range(ended, 15, 25); // about 60 moves per game
    static const int32_t wrong[] = {-2, INT32_MIN, 65, 70000, INT32_MAX};
    for (int i = 0; i < 5; i++) {
        assert_int_not_equal(keiko_env_step(e, (const int32_t[]){-1, -1, wrong[i], -1}), 0);
        assert_non_null(strstr(keiko_error(), "game 2: move"));
    }
    keiko_env *none;
    assert_int_not_equal(keiko_env_open(&(keiko_env_options){.size = sizeof o, .n = 1}, &b, &none), 0);
    assert_string_equal(keiko_error(), "keiko_env_options name no game");
    static const int nowhere[] = {-1, 4, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        keiko_position *p;
        assert_int_not_equal(keiko_env_position(e, nowhere[i], &p), 0);
        assert_non_null(strstr(keiko_error(), "there is no game"));
    }
    keiko_env_close(e);
    o.size = 8;
    assert_int_not_equal(keiko_env_open(&(keiko_env_options){.size = sizeof o + 8}, &b, &e), 0);
    assert_non_null(strstr(keiko_error(), "compile against the header of this library"));
}

// An agent would read one game's position as another's.
static void agents_refuse_other_games(void **state)
{
    (void)state;
    keiko_agent *a;
    keiko_position *p;
    keiko_line line;
    uint16_t move;
    int n;
    assert_int_equal(keiko_agent_open(keiko_game_find("renju"), "greedy", &a), 0);
    assert_int_equal(keiko_position_new(keiko_game_find("tictactoe"), NULL, 1, 0, &p), 0);
    keiko_agent_begin(a, 1, 0, 0);
    assert_int_not_equal(keiko_agent_choose(a, p, &move), 0);
    assert_string_equal(keiko_error(), "the position is of tictactoe, and the agent plays renju");
    assert_int_not_equal(keiko_agent_analyse(a, p, 1, &line, &n), 0);
    assert_string_equal(keiko_error(), "the position is of tictactoe, and the agent plays renju");
    keiko_agent_saw(a, p, 0);
    keiko_position_free(p);
    keiko_agent_close(a);
}

// Bytes or floats, every buffer that there is: what it holds is what the positions themselves say.
static void environments_fill_every_buffer(void **state)
{
    (void)state;
    enum { LANES = 3, STEPS = 40, MOST = 10 };
    const keiko_game *g = keiko_game_find("puyo");
    keiko_shape size;
    assert_int_equal(keiko_game_shape(g, NULL, &size), 0);
    size_t cells = (size_t)size.planes * (size_t)size.rows * (size_t)size.cols, numbers = (size_t)size.scalars;
    size_t square = (size_t)size.rows * (size_t)size.cols;
    uint8_t *bytes = calloc(2 * LANES, cells), over[2][LANES], cut[2][LANES], seats[2][LANES];
    float *floats = calloc(2 * LANES * cells, sizeof *floats), *scalars = calloc(4 * LANES * numbers, sizeof *scalars);
    float *whole = calloc(cells + numbers * square, sizeof *whole), rewards[2][2 * LANES];
    int32_t lengths[2][LANES], events[2][KEIKO_ENV_EVENTS * LANES];
    keiko_env *e[2];
    for (int k = 0; k < 2; k++) {
        keiko_env_options o = {
            .size = sizeof o, .game = g, .n = LANES, .threads = 1, .max_plies = MOST, .floats = k, .seed = 5};
        keiko_env_buffers b = {.size = sizeof b,
                               .planes = k ? (void *)floats : bytes,
                               .scalars = scalars + (size_t)k * LANES * numbers,
                               .seats = seats[k],
                               .rewards = rewards[k],
                               .terminated = over[k],
                               .truncated = cut[k],
                               .lengths = lengths[k],
                               .events = events[k],
                               .final_planes = k ? (void *)(floats + LANES * cells) : bytes + LANES * cells,
                               .final_scalars = scalars + (size_t)(2 + k) * LANES * numbers};
        assert_int_equal(keiko_env_open(&o, &b, &e[k]), 0);
        assert_int_equal(keiko_env_reset(e[k], NULL), 0);
    }
    const int32_t any[LANES] = {-1, -1, -1};
    int cuts = 0;
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < 2; k++) assert_int_equal(keiko_env_step(e[k], any), 0);
        for (size_t i = 0; i < 2 * LANES * cells; i++) assert_true(floats[i] == (float)bytes[i]);
        assert_memory_equal(scalars, scalars + LANES * numbers, LANES * numbers * sizeof *scalars);
        assert_memory_equal(scalars + 2 * LANES * numbers, scalars + 3 * LANES * numbers,
                            LANES * numbers * sizeof *scalars);
        assert_memory_equal(rewards[0], rewards[1], sizeof rewards[0]);
        assert_memory_equal(lengths[0], lengths[1], sizeof lengths[0]);
        assert_memory_equal(events[0], events[1], sizeof events[0]);
        for (int i = 0; i < LANES; i++) {
            keiko_position *p;
            assert_int_equal(keiko_env_position(e[0], i, &p), 0);
            assert_int_equal(keiko_position_seat(p), seats[0][i]);
            assert_int_equal(keiko_encode((const keiko_position *const *)&p, 1, NULL, whole), 0);
            assert_memory_equal(whole, floats + (size_t)i * cells, cells * sizeof *whole);
            for (size_t c = 0; c < numbers; c++)
                assert_true(whole[cells + c * square] == scalars[(size_t)i * numbers + c]);
            keiko_position_free(p);
            if (cut[0][i]) assert_int_equal(lengths[0][i], MOST);
            assert_int_equal(over[0][i], 0); // nobody loses in ten moves
            cuts += cut[0][i];
        }
    }
    assert_int_equal(cuts, LANES * STEPS / MOST);
    for (int k = 0; k < 2; k++) keiko_env_close(e[k]);
    free(bytes);
    free(floats);
    free(scalars);
    free(whole);
}

static void benches_and_lists_are_json(void **state)
{
    (void)state;
    char *json;
    assert_int_equal(keiko_list("games", NULL, &json), 0);
    assert_non_null(strstr(json, "othello"));
    keiko_text_free(json);
    assert_int_equal(keiko_list("agents", keiko_game_find("renju"), &json), 0);
    assert_non_null(strstr(json, "alphabeta"));
    assert_null(strstr(json, "\"beam\"")); // plays Puyo only
    keiko_text_free(json);
    assert_int_equal(keiko_list("agents", NULL, &json), 0);
    assert_non_null(strstr(json, "\"beam\""));
    keiko_text_free(json);
    assert_int_equal(keiko_list("models", NULL, &json), 0);
    assert_non_null(strstr(json, "\"othello-patterns"));
    keiko_text_free(json);
    assert_int_not_equal(keiko_list("cooks", NULL, &json), 0);
    int got = keiko_bench("{\"game\": \"tictactoe\", \"players\": [\"random\", \"greedy\"], \"gamesPerPair\": 20}",
                          NULL, 2, &json);
    if (got != 0 && strstr(keiko_error(), "without JSON") != NULL) skip_because("%s", keiko_error());
    if (got != 0) fail_msg("%s", keiko_error());
    assert_non_null(strstr(json, "\"gamesPerPair\""));
    keiko_text_free(json);
    assert_int_not_equal(keiko_bench("{\"game\": 3}", NULL, 2, &json), 0);
    static const int crowds[] = {-1, 1025, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        keiko_score s;
        assert_int_not_equal(keiko_bench("{\"game\": \"tictactoe\"}", NULL, crowds[i], &json), 0);
        assert_non_null(strstr(keiko_error(), "0 to 1024 threads"));
        assert_int_not_equal(keiko_match(keiko_game_find("tictactoe"), "1", "1", 1, 1, crowds[i], &s), 0);
        assert_non_null(strstr(keiko_error(), "0 to 1024 threads"));
    }
}

static void play_text(keiko_position *p, const char *text)
{
    uint16_t m;
    assert_int_equal(keiko_move_parse(p, text, &m), 0);
    assert_int_equal(keiko_position_play(p, m), 0);
}

// X takes the left column while O stands in the middle one; score[] is by seat.
static void a_result_has_both_scores(void **state)
{
    (void)state;
    static const char *const moves[] = {"a1", "b1", "a2", "b2", "a3"};
    for (int who = 0; who < 2; who++) { // once more with the seats exchanged: X begins in a corner and O wins
        keiko_position *p;
        double score[2] = {-1, -1};
        assert_int_equal(keiko_position_new(keiko_game_find("tictactoe"), NULL, 1, 0, &p), 0);
        if (who == 1) play_text(p, "c3");
        for (int i = 0; i < 5; i++) {
            assert_false(keiko_position_over(p, NULL));
            play_text(p, moves[i]);
        }
        assert_true(keiko_position_over(p, score));
        assert_true(score[who] == 1 && score[!who] == 0);
        keiko_position_free(p);
    }
}

static void games_are_listed(void **state)
{
    (void)state;
    int n = keiko_game_count();
    assert_true(n >= 5);
    assert_null(keiko_game_at(-1));
    assert_null(keiko_game_at(n));
    assert_non_null(keiko_game_at(n - 1));
    assert_null(keiko_game_find("checkers"));
    const keiko_game *g = keiko_game_at(0);
    assert_ptr_equal(keiko_game_find(keiko_game_name(g)), g);
    assert_null(keiko_game_encoding(g, -1));
    assert_non_null(keiko_game_encoding(g, 0));
    assert_int_equal(keiko_game_seats(keiko_game_find("othello")), 2);
    assert_int_equal(keiko_game_moves(keiko_game_find("othello")), 65);
    assert_int_equal(keiko_game_moves(keiko_game_find("tictactoe")), 9);
    keiko_shape s;
    assert_int_equal(keiko_game_shape(keiko_game_find("othello"), "mask", &s), 0);
    assert_true(s.planes == 3 && s.scalars == 0 && s.rows == 8 && s.cols == 8);
    assert_int_not_equal(keiko_game_shape(g, "nothing", &s), 0);
    char name[8] = "before";
    assert_int_equal(keiko_game_plane_name(g, "nothing", 0, name, sizeof name), 0);
    assert_string_equal(name, "");
    assert_int_equal(keiko_game_plane_name(keiko_game_find("othello"), "mask", 1, NULL, 0), 16);
    assert_true(strlen(keiko_version()) > 0 && strlen(keiko_build()) > 0 && keiko_api_version() == KEIKO_API_VERSION);
    assert_non_null(keiko_features());
}

static void positions_refuse_what_is_no_move(void **state)
{
    (void)state;
    const keiko_game *g = keiko_game_find("tictactoe");
    keiko_position *p = NULL, *q = NULL;
    keiko_agent *a;
    keiko_line lines[9];
    char text[200], other[200];
    uint16_t m = 0;
    uint8_t mask[9];
    int n = 7;
    assert_int_not_equal(keiko_position_new(keiko_game_find("puyo"), "colour=red", 1, 0, &p), 0);
    assert_int_not_equal(keiko_position_parse(g, "xyz", &p), 0);
    assert_null(p);
    assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
    assert_int_equal(keiko_agent_open(g, "mcts:sims=300", &a), 0);
    assert_int_equal(keiko_position_play(p, 8), 0); // the last of the list: what was legal before is not legal now
    assert_int_not_equal(keiko_position_play(p, 8), 0);
    keiko_position_free(p);
    assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
    assert_int_equal(keiko_position_play(p, 0), 0);
    assert_int_not_equal(keiko_position_play(p, 0), 0);
    assert_string_equal(keiko_error(), "move 0 is not legal here");
    assert_int_not_equal(keiko_position_play(p, 9), 0);
    assert_int_equal(keiko_position_copy(p, &q), 0);
    assert_true(keiko_position_hash(p) == keiko_position_hash(q));
    keiko_position_mask(p, mask);
    for (int i = 0; i < 9; i++) assert_int_equal(mask[i], i != 0);
    assert_int_equal(keiko_position_perft(p, 1), 8);
    assert_int_equal(keiko_position_perft(p, 2), 56);
    assert_int_equal(keiko_position_perft(p, -1), 0);
    // All moves for 0 and for too many; as many as are asked for otherwise.
    keiko_agent_begin(a, 1, 0, 1);
    static const int want[][2] = {{0, 8}, {-1, 8}, {1, 1}, {2, 2}, {9, 8}, {10, 8}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(keiko_agent_analyse(a, p, want[i][0], lines, &n), 0);
        assert_int_equal(n, want[i][1]);
    }
    for (int i = 0; i < n; i++) assert_true(lines[i].length >= 1 && lines[i].value >= -1 && lines[i].value <= 1);
    assert_int_equal(keiko_agent_choose(a, p, &m), 0);
    assert_int_equal(mask[m], 1);
    keiko_agent_saw(a, p, m);
    static const uint16_t rest[] = {3, 1, 4, 2}; // the first row
    for (int i = 0; i < 4; i++) assert_int_equal(keiko_position_play(p, rest[i]), 0);
    assert_true(keiko_position_hash(p) != keiko_position_hash(q));
    assert_int_not_equal(keiko_position_play(p, 8), 0);
    assert_string_equal(keiko_error(), "the game is over");
    m = 77;
    assert_int_not_equal(keiko_agent_choose(a, p, &m), 0);
    assert_string_equal(keiko_error(), "the game is over");
    assert_int_equal(m, 77);
    assert_int_not_equal(keiko_agent_analyse(a, p, 3, lines, &n), 0);
    assert_string_equal(keiko_error(), "the game is over");
    assert_int_equal(n, 0);
    n = keiko_position_draw(p, 0, text, sizeof text);
    assert_int_equal(n, (int)strlen(text));
    assert_null(strchr(text, '\x1b'));
    assert_true(keiko_position_draw(p, 1, other, sizeof other) > n);
    assert_non_null(strchr(other, '\x1b'));
    keiko_agent_close(a);
    assert_int_not_equal(keiko_agent_open(g, "nobody", &a), 0);
    keiko_position_free(p);
    keiko_position_free(q);
    keiko_position_free(NULL);
}

// An agent without a network has no prior, one that does not count discs no margin.
static void lines_say_what_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *game, *agent;
        bool prior, margin, search;
    } rows[] = {{"othello", "alphabeta:depth=4", false, true, true},
                {"othello", "mcts:sims=100", true, false, true},
                {"othello", "greedy", false, false, false},
                {"tictactoe", "greedy", false, false, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const keiko_game *g = keiko_game_find(rows[r].game);
        keiko_position *p;
        keiko_agent *a;
        keiko_line line;
        int n;
        assert_int_equal(keiko_position_new(g, NULL, 1, 0, &p), 0);
        assert_int_equal(keiko_agent_open(g, rows[r].agent, &a), 0);
        keiko_agent_begin(a, 1, 0, 0);
        assert_int_equal(keiko_agent_analyse(a, p, 1, &line, &n), 0);
        assert_int_equal(n, 1);
        assert_true(rows[r].prior ? line.prior > 0 && line.prior < 1 : line.prior == -1);
        assert_int_equal(line.has_margin, rows[r].margin);
        assert_true(line.has_margin || line.margin == 0);
        assert_true(rows[r].search ? line.depth >= 4 && line.length >= 2 && line.text[0] != 0
                                   : line.depth == 0 && line.length == 1 && line.text[0] == 0);
        assert_true(line.visits > 0);
        keiko_agent_close(a);
        keiko_position_free(p);
    }
}

static void batches_are_checked(void **state)
{
    (void)state;
    const keiko_game *g = keiko_game_find("othello");
    keiko_position *p[3];
    float planes[3][3 * 64], one[3 * 64];
    random_positions(g, p, 3);
    play_text(p[0], "f5");
    assert_int_equal(keiko_encode(NULL, 0, NULL, NULL), 0); // nothing to do
    assert_int_equal(keiko_encode(NULL, -1, "nothing", NULL), 0);
    assert_int_equal(keiko_encode((const keiko_position *const *)p, 3, "mask", planes[0]), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(keiko_encode((const keiko_position *const *)&p[i], 1, "mask", one), 0);
        assert_memory_equal(one, planes[i], sizeof one);
    }
    keiko_position_free(p[2]);
    assert_int_equal(keiko_position_new(keiko_game_find("tictactoe"), NULL, 1, 0, &p[2]), 0);
    assert_int_not_equal(keiko_encode((const keiko_position *const *)p, 3, "mask", planes[0]), 0);
    assert_string_equal(keiko_error(), "position 2 is of tictactoe, not of othello");
    for (int i = 0; i < 3; i++) keiko_position_free(p[i]);
    keiko_evaluator *e;
    keiko_evaluator_options o = {.size = sizeof o + 1};
    assert_int_not_equal(keiko_evaluator_open(g, "othello", &o, &e), 0);
    assert_non_null(strstr(keiko_error(), "keiko_evaluator_options.size is"));
    o.size = sizeof o.size - 1;
    assert_int_not_equal(keiko_evaluator_open(g, "othello", &o, &e), 0);
    assert_non_null(strstr(keiko_error(), "keiko_evaluator_options.size is"));
    o.size = sizeof o.size; // the size alone: all members have their defaults
    assert_int_not_equal(keiko_evaluator_open(g, "no-such-model", &o, &e), 0);
    assert_null(strstr(keiko_error(), "keiko_evaluator_options"));
    o = (keiko_evaluator_options){.size = sizeof o, .backend = "abacus"};
    assert_int_not_equal(keiko_evaluator_open(g, "othello", &o, &e), 0);
    assert_non_null(strstr(keiko_error(), "abacus"));
    keiko_evaluator_close(NULL);
}

static void matches_count_every_game(void **state)
{
    (void)state;
    keiko_score s;
    const keiko_game *g = keiko_game_find("tictactoe");
    assert_int_equal(keiko_match(g, "random", "random", 50, 3, 1, &s), 0);
    assert_int_equal(s.games, 100);
    assert_int_equal(s.wins + s.draws + s.losses, 100);
    assert_true(s.wins > 0 && s.draws > 0 && s.losses > 0);
    assert_true(fabs(s.score - ((double)s.wins + 0.5 * (double)s.draws) / 100) < 1e-12 && s.low < s.score &&
                s.score < s.high);
    assert_int_equal(keiko_match(g, "mcts:sims=200", "random", 10, 3, 1, &s), 0);
    assert_true(s.wins > s.losses && s.score > 0.7);
    assert_int_equal(keiko_match(g, "random", "mcts:sims=200", 10, 3, 1, &s), 0);
    assert_true(s.wins < s.losses && s.score < 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITHOUT_THREADS(games_are_listed),
        WITHOUT_THREADS(positions_refuse_what_is_no_move),
        WITHOUT_THREADS(lines_say_what_is_known),
        WITHOUT_THREADS(batches_are_checked),
        WITHOUT_THREADS(matches_count_every_game),
        cmocka_unit_test(encodings_have_sizes_and_names),
        cmocka_unit_test(batches_are_evaluated_as_single_positions),
        cmocka_unit_test(analysis_gives_lines),
        cmocka_unit_test(environments_step),
        cmocka_unit_test(agents_refuse_other_games),
        WITHOUT_THREADS(environments_fill_every_buffer),
        cmocka_unit_test(benches_and_lists_are_json),
        cmocka_unit_test(a_result_has_both_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
