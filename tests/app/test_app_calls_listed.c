// Hundreds of calls of the page in a random order, good ones and bad ones: what each answers is part of one number for each game,
// tests/app/calls.txt. KEIKO_SHOW_EDITS=1 prints calls and answers.
#include "app/puyo_call.h"
#include "app/server.h"
#include "app/session.h"
#include "app/session_call.h"
#include "base/edits.h"

enum { CALLS = 260, ARGS = 5 };

typedef struct one_call {
    const char *verb;
    call_arg arg[ARGS];
    int n;
    char text[400];
} one_call;

static void add(one_call *c, const char *key, const char *value)
{
    c->arg[c->n++] = (call_arg){key, value};
}

static const char *pick(rng *r, const char *const *list, size_t n)
{
    return list[rng_below(r, (uint32_t)n)];
}
#define PICK(r, list) pick(r, list, sizeof list / sizeof *(list))

static void answered(edits *e, const one_call *c, err r, text_buf *out)
{
    char shown[300];
    int n = snprintf(shown, sizeof shown, "%s", c->verb);
    for (int i = 0; i < c->n && n < (int)sizeof shown; i++)
        n += snprintf(shown + n, sizeof shown - (size_t)n, " %s=%s", c->arg[i].key, c->arg[i].value);
    edits_saw(e, r == ERR_OK, shown, r == ERR_OK ? text_str(out) : err_text());
    text_clear(out);
}

static const char *const games[] = {"othello",     "contrast",  "renju", "gomoku",
                                    "freestyle20", "tictactoe", "puyo",  "puyo-solo"};

// A legal move of the position, by the session's own list, or none.
static void some_move(session *s, rng *r, char move[64])
{
    const game *g = session_game(s);
    move_t legal[4096];
    void *obs = calloc(1, g->obs_size);
    const void *now = session_state(s, session_at(s));
    int n = g->legal(now, legal);
    strcpy(move, "a1");
    if (n > 0) {
        game_observe(g, now, g->seat(now), obs);
        g->move_print(obs, legal[rng_below(r, (uint32_t)n)], move, 64);
    }
    free(obs);
}

static void make_call(one_call *c, session *s, rng *r, const char *name)
{
    static const char *const verbs[] = {"state",   "play",  "play",  "play",    "play",   "look",    "back",
                                        "forward", "goto",  "line",  "undo",    "redo",   "promote", "delete",
                                        "choose",  "think", "think", "analyse", "review", "note",    "resign",
                                        "export",  "swap2", "seats", "new",     "nothing"};
    static const char *const numbers[] = {"0", "1", "2", "3", "5", "7", "12", "99", "-1", "x", ""};
    static const char *const agents[] = {"greedy", "random", "nobody", "mcts:sims=6", "human", "1"};
    static const char *const formats[] = {"sgf", "json", "text", "ggf", "obf", "url", "moves", "nothing", "keiko"};
    static const char *const marks[] = {"?", "??", "!", "", "?!", "x"};
    static const char *const values[] = {"0.5", "1", "0", "-1", "2", "nan", "x"};
    static const char *const swaps[] = {"", "black", "two", "two white", "red", "two two"};
    char *text = c->text;
    *c = (one_call){.verb = PICK(r, verbs)};
    text = c->text;
    const char *v = c->verb;
    if (strcmp(v, "play") == 0 || strcmp(v, "look") == 0) {
        if (s != NULL) some_move(s, r, text);
        if (rng_below(r, 12) == 0) strcpy(text, "z9");
        add(c, "move", text);
    } else if (strcmp(v, "goto") == 0 || strcmp(v, "promote") == 0 || strcmp(v, "delete") == 0) {
        add(c, "node", PICK(r, numbers));
    } else if (strcmp(v, "line") == 0) {
        if (s != NULL) some_move(s, r, text);
        add(c, "moves", rng_below(r, 3) == 0 ? "" : text);
    } else if (strcmp(v, "undo") == 0 || strcmp(v, "redo") == 0 || strcmp(v, "resign") == 0) {
        if (rng_below(r, 2)) add(c, "seat", PICK(r, numbers));
    } else if (strcmp(v, "choose") == 0) {
        add(c, "agent", PICK(r, agents));
    } else if (strcmp(v, "analyse") == 0) {
        add(c, "helper", "mcts:sims=8");
        if (rng_below(r, 2)) add(c, "count", PICK(r, numbers));
    } else if (strcmp(v, "review") == 0) {
        add(c, "helper", "mcts:sims=3");
    } else if (strcmp(v, "note") == 0) {
        if (rng_below(r, 2)) add(c, "node", PICK(r, numbers));
        if (rng_below(r, 2)) add(c, "value", PICK(r, values));
        if (rng_below(r, 2)) add(c, "mark", PICK(r, marks));
        if (rng_below(r, 2)) add(c, "comment", "a \"good\" one; \\ yes]");
    } else if (strcmp(v, "export") == 0) {
        add(c, "format", PICK(r, formats));
    } else if (strcmp(v, "swap2") == 0) {
        add(c, "choices", PICK(r, swaps));
    } else if (strcmp(v, "seats") == 0) {
        add(c, "first", PICK(r, agents));
        add(c, "second", PICK(r, agents));
        if (rng_below(r, 2)) add(c, "secondName", "B <b>");
    } else if (strcmp(v, "new") == 0 && rng_below(r, 3) == 0) {
        add(c, "game", name);
        add(c, "seed", PICK(r, numbers));
    }
    if (rng_below(r, 10) == 0) add(c, "viewer", PICK(r, numbers));
    if (rng_below(r, 20) == 0 && c->n < ARGS) add(c, "quiet", "1");
    if (rng_below(r, 40) == 0 && c->n < ARGS) add(c, "other", "1");
}

static void sessions(void **state)
{
    (void)state;
    text_buf list = {0}, out = {0};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        session *s = NULL;
        rng r = rng_at(12, (uint32_t)k, 0);
        edits e = {.name = games[k]};
        call_arg open[] = {{"game", games[k]}, {"seed", "3"}, {"second", "greedy"}, {"helper", "mcts:sims=4"}};
        one_call first = {.verb = "new"};
        answered(&e, &first, session_call(&s, "new", open, 4, NULL, &out), &out);
        assert_non_null(s);
        for (int i = 0; i < CALLS; i++) {
            one_call c;
            if (i % 50 == 49) answered(&e, &first, session_call(&s, "new", open, 4, NULL, &out), &out);
            make_call(&c, s, &r, games[k]);
            for (int a = 0; a < c.n; a++) // the text moved with the struct
                if (c.arg[a].value >= c.text && c.arg[a].value < c.text + sizeof c.text) c.arg[a].value = c.text;
            answered(&e, &c, session_call(&s, c.verb, c.arg, c.n, NULL, &out), &out);
        }
        session_close(s);
        edits_list(&e, &list);
    }
    text_free(&out);
    assert_listed(&list, "app/calls.txt");
}

static void puyo(void **state)
{
    (void)state;
    static const char *const verbs[] = {"advise",    "practice",  "simulate",  "placements", "chain",    "live-new",
                                        "live-rest", "live-rest", "live-rest", "live-pass",  "live-ask", "nothing"};
    static const char *const fields[] = {"",       "RB..../RR..../BB....", "R...../RB..../RRB.../BBGGG.", "RX",
                                         "......", "N....N/RRRB.."};
    static const char *const pairs[] = {"RG", "BB", "YR", "XX", "R", ""};
    static const char *const numbers[] = {"0", "1", "2", "5", "12", "300", "-1", "x"};
    static const char *const moves[] = {"3u", "1r", "6l", "4d", "6r", "9u", ""};
    static const char *const modes[] = {"seed", "plus", "none"};
    text_buf list = {0}, out = {0};
    puyo_live live = {0};
    rng r = rng_at(13, 0, 0);
    edits e = {.name = "puyo calls"};
    char frame[20];
    for (int i = 0; i < 2 * CALLS; i++) {
        one_call c = {.verb = PICK(&r, verbs)};
        const char *v = c.verb;
        snprintf(frame, sizeof frame, "%d", i * 25);
        if (strcmp(v, "advise") == 0 || strcmp(v, "placements") == 0) {
            add(&c, "field", PICK(&r, fields));
            if (rng_below(&r, 8)) add(&c, "pair", PICK(&r, pairs));
            if (v[0] == 'a' && rng_below(&r, 2)) add(&c, "next", PICK(&r, pairs));
            if (v[0] == 'a' && rng_below(&r, 3) == 0) add(&c, "mode", PICK(&r, modes));
            if (rng_below(&r, 4) == 0) add(&c, "reach", PICK(&r, numbers));
        } else if (strcmp(v, "chain") == 0) {
            add(&c, "field", PICK(&r, fields));
            if (rng_below(&r, 3) == 0) add(&c, "pairs", PICK(&r, pairs));
        } else if (strcmp(v, "practice") == 0) {
            add(&c, "seed", PICK(&r, numbers));
            add(&c, "number", PICK(&r, numbers));
            if (rng_below(&r, 2)) add(&c, "moves", rng_below(&r, 2) ? "3u;4u" : PICK(&r, moves));
        } else if (strcmp(v, "simulate") == 0) {
            add(&c, "turns", "6");
            add(&c, "seed", PICK(&r, numbers));
            add(&c, "first", PICK(&r, numbers));
            add(&c, "games", rng_below(&r, 4) ? "2" : PICK(&r, modes));
        } else if (strcmp(v, "live-new") == 0) {
            add(&c, "seed", PICK(&r, numbers));
        } else if (strcmp(v, "live-rest") == 0) {
            add(&c, "seat", rng_below(&r, 2) ? "0" : PICK(&r, numbers));
            add(&c, "move", PICK(&r, moves));
            add(&c, "frame", frame);
        } else if (strcmp(v, "live-pass") == 0) {
            add(&c, "frame", frame);
        } else if (strcmp(v, "live-ask") == 0) {
            add(&c, "seat", PICK(&r, numbers));
        }
        answered(&e, &c, puyo_call(&live, c.verb, c.arg, c.n, &out), &out);
    }
    edits_list(&e, &list);
    text_free(&out);
    assert_listed(&list, "app/calls_puyo.txt");
}

// Conversations with the three protocols, words of them in random order.
static void servers(void **state)
{
    (void)state;
    static const struct {
        const char *protocol, *game, *lines[34];
    } rows[] = {
        {"gtp",
         "othello",
         {"genmove b",
          "genmove w",
          "play b f5",
          "play w d6",
          "play b pass",
          "undo",
          "showboard",
          "final_score",
          "boardsize 8",
          "clear_board",
          "time_settings 10 5 1",
          "time_left b 3 1",
          "keiko-position",
          "reg_genmove b",
          "reg_genmove w",
          "set_game renju",
          "set_game othello",
          "list_games",
          "komi 2",
          "play w",
          "genmove",
          "undo 2",
          "known_command undo",
          "12 genmove b",
          "time_settings x",
          "lz-analyze b 1",
          "kata-analyze 1 maxmoves 2",
          "play B C4",
          "x\ty",
          "  # no",
          "genmove x",
          "time_left w 1 0"}},
        {"gtp", "renju", {"genmove b",      "genmove w",     "play b h8",    "play w i9",       "play w j9",
                          "undo",           "showboard",     "final_score",  "boardsize 15",    "clear_board",
                          "keiko-position", "reg_genmove b", "boardsize 19", "set_game gomoku", "set_game chess",
                          "play b z9",      "7 play w g8",   "play b pass",  "genmove b",       "genmove w"}},
        {"gtp",
         "tictactoe",
         {"genmove b", "genmove w", "play b a1", "play w b2", "undo", "showboard", "final_score", "clear_board",
          "keiko-position", "genmove b", "genmove w", "genmove b", "genmove w"}},
        {"gomocup",
         "freestyle",
         {"START 15",
          "START 20",
          "START x",
          "BEGIN",
          "TURN 7,7",
          "TURN 8,8",
          "TURN 1,1",
          "TURN 1",
          "TURN 99,99",
          "BOARD",
          "7,7,1",
          "8,8,2",
          "9,9,3",
          "x",
          "DONE",
          "RESTART",
          "TAKEBACK 7,7",
          "TAKEBACK 1,1",
          "INFO rule 1",
          "INFO rule 9",
          "INFO timeout_turn x",
          "INFO",
          "ABOUT",
          "RECTSTART 15,15",
          "RECTSTART 15,10",
          "NONSENSE",
          "SWAP2BOARD",
          "7,7",
          "8,8",
          "INFO max_memory 0"}},
        {"gomocup",
         "renju",
         {"START 15", "BEGIN", "TURN 7,7", "TURN 8,8", "TURN 6,8", "TURN 9,9", "RESTART", "BOARD", "7,7,1", "8,8,2",
          "DONE", "INFO rule 4", "INFO rule 0", "SWAP2BOARD", "7,7", "7,8", "6,6", "DONE"}},
        {"nboard",
         "othello",
         {"nboard 1",
          "nboard 2",
          "set depth 3",
          "set depth x",
          "set contempt 5",
          "set game (;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//1];)",
          "set game x",
          "move F5",
          "move D6",
          "move PA",
          "move A1",
          "move C3//0.2",
          "hint 2",
          "go",
          "go",
          "ping 3",
          "ping",
          "learn",
          "analyze",
          "quit 1",
          "x"}},
    };
    text_buf list = {0}, out = {0};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const game *g;
        server *s;
        char name[60];
        rng r = rng_at(14, (uint32_t)k, 0);
        uint32_t n = 0;
        while (n < 34 && rows[k].lines[n] != NULL) n++;
        snprintf(name, sizeof name, "%s %s", rows[k].protocol, rows[k].game);
        edits e = {.name = name};
        assert_ok(game_find(rows[k].game, &g));
        assert_ok(server_open(
            &s, &(server_options){.protocol = rows[k].protocol, .g = g, .settings = "", .agent = "greedy", .seed = 1}));
        for (uint32_t i = 0; i < n + 500; i++) {
            const char *line = rows[k].lines[i < n ? i : rng_below(&r, n)];
            bool goes_on = server_line(s, line, &out);
            for (char *p = out.len > 0 ? strstr(out.data, "nodestats") : NULL; p != NULL; p = strstr(p, "nodestats"))
                while (*p != 0 && *p != '\n') *p++ = '.'; // times
            edits_saw(&e, goes_on, line, text_str(&out));
            text_clear(&out);
        }
        server_close(s);
        edits_list(&e, &list);
    }
    text_free(&out);
    assert_listed(&list, "app/calls_servers.txt");
}

// Games that ended in every way, written in every format and read again.
static void round_trips(void **state)
{
    (void)state;
    static const char *const ends[][2] = {{"", ""}, {"resign", "0"}, {"resign", "1"}, {"play", ""}};
    text_buf list = {0}, out = {0};
    for (size_t k = 0; k < sizeof games / sizeof *games; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s as text", games[k]);
        edits e = {.name = name};
        for (int end = 0; end < 4; end++) {
            session *s = NULL;
            call_arg open[] = {{"game", games[k]},
                               {"seed", "9"},
                               {"first", "greedy"},
                               {"second", "greedy"},
                               {"secondName", "B \\ [x]"}};
            assert_ok(session_call(&s, "new", open, 5, NULL, &out));
            for (int i = 0; i < 4; i++) (void)session_call(&s, "think", NULL, 0, NULL, &out);
            call_arg note[] = {{"mark", "?"}, {"comment", "a: \"b\"; c]"}};
            (void)session_call(&s, "note", note, 2, NULL, &out);
            call_arg seat = {"seat", ends[end][1]};
            if (ends[end][0][0] == 'r') (void)session_call(&s, "resign", &seat, 1, NULL, &out);
            for (int i = 0; i < 60 && ends[end][0][0] == 'p'; i++)
                if (session_call(&s, "think", NULL, 0, NULL, &out) != ERR_OK) break;
            for (int who = 0; who < session_game(s)->n_seats; who++) { // last, so that nothing runs
                session_set_clock(s, who,
                                  &(session_clock){.main = 60 + who,
                                                   .increment = 2,
                                                   .period = 5,
                                                   .period_moves = 3 + end,
                                                   .turn = 7,
                                                   .told = true});
                session_tell_clock(s, who, 30.5 + end, who + 1);
            }
            for (int f = FORMAT_AUTO + 1; f < FORMAT_COUNT; f++) {
                text_buf written = {0};
                session *back = NULL;
                one_call c = {.verb = session_format_name((session_format)f)};
                err r = session_export(s, (session_format)f, &written);
                text_clear(&out);
                text_append(&out, text_str(&written));
                answered(&e, &c, r, &out);
                if (r == ERR_OK) {
                    call_arg load[] = {{"text", text_str(&written)}, {"game", games[k]}};
                    r = session_call(&back, "load", load, 2, NULL, &out);
                    answered(&e, &c, r, &out);
                    if (r == ERR_OK) session_result_text(back, &out);
                    answered(&e, &c, ERR_OK, &out);
                    session_close(back);
                }
                text_free(&written);
            }
            session_close(s);
            text_clear(&out);
        }
        edits_list(&e, &list);
    }
    text_free(&out);
    assert_listed(&list, "app/calls_texts.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions), cmocka_unit_test(puyo), cmocka_unit_test(servers),
                                       cmocka_unit_test(round_trips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
