// Game files and lines of protocols with one mistake each: what is read and answered (tests/app/edits.txt).
#include "app/server.h"
#include "app/session.h"
#include "base/edits.h"

static const game *the_game;
static const char *the_protocol;

static void one_file(void *ctx, const char *text)
{
    session *s = NULL;
    session_source from = {.text = text, .size = strlen(text), .g = the_game, .key = {1, 2}};
    bool good = session_import(&s, &from) == ERR_OK;
    text_buf t = {0};
    if (good) {
        text_printf(&t, "%s %d ", session_game(s)->name, session_at(s));
        assert_ok(session_export(s, FORMAT_TEXT, &t));
        session_close(s);
    }
    edits_saw(ctx, good, text, good ? text_str(&t) : err_text());
    text_free(&t);
}

static void one_line(void *ctx, const char *text)
{
    server *s;
    text_buf out = {0};
    server_options o = {.protocol = the_protocol, .g = the_game, .settings = "", .agent = "greedy", .seed = 1};
    assert_ok(server_open(&s, &o));
    char *copy = strdup(text), *line = copy;
    bool on = true;
    while (on && line != NULL) { // a line end in the text is a line end
        char *end = strchr(line, '\n');
        if (end != NULL) *end++ = 0;
        on = server_line(s, line, &out);
        line = end;
    }
    edits_saw(ctx, on, text, text_str(&out));
    free(copy);
    text_free(&out);
    server_close(s);
}

static void all(void **state)
{
    (void)state;
    static const struct {
        const char *name, *game, *with, *text[4];
    } files[] = {
        {"text",
         NULL,
         "0 =;\nx",
         {"keiko tictactoe\na1; b2 ;c3\n", "keiko contrast plies=150\n", "keiko othello\nf5;d6"}},
        {"moves", "tictactoe", "19; c", {"a1 b2 c3", "1. a1 2. b2"}},
        {"moves of othello", "othello", "f9;- ", {"f5d6c3d3", "F5 d6; c3"}},
        {"sgf", NULL, "[];()a", {"(;GM[2]FF[4];B[fe];W[df](;B[cc])(;B[cd]))", "(;GM[4]SZ[15];B[hh];W[ii];B[ih])"}},
        {"ggf",
         NULL,
         "[];/5",
         {"(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6];)"}},
        {"puyop", NULL, "0_=/", {"http://www.puyop.com/s/420Aa9r9hj_18xWoA4c00"}},
    };
    static const struct {
        const char *protocol, *game, *with, *text[14];
    } lines[] = {
        {"gtp",
         "tictactoe",
         "0 -x#",
         {"7 play b a1", "play w B2\nundo\nundo", "genmove b\nshowboard", "boardsize 3", "known_command undo",
          "komi 6.5", "clear_board", "protocol_version", "list_commands", "play b a1\nplay w a1",
          "time_settings 10 5 1", "time_left b 10 3", "5 quit"}},
        {"gtp", "renju", "0 zi", {"play b h8\nplay w i9\nshowboard", "boardsize 15", "play w h8", "reg_genmove b"}},
        {"gomocup",
         "renju",
         "0, x",
         {"START 15\nTURN 7,7", "START 15\nBEGIN", "START 15\nBOARD\n7,7,1\n8,8,2\nDONE", "INFO timeout_turn 100",
          "START 15\nTURN 7,7\nTAKEBACK 7,7", "RESTART", "RECTSTART 15,15", "START 19", "END"}},
        {"nboard",
         "othello",
         "0 /x",
         {"nboard 2\nset depth 3", "ping 4", "nboard 2\nmove f5//1.2\nping 2", "learn",
          "set game (;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)\nping 1",
          "set contempt 3", "hint 1"}},
    };
    text_buf t = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        edits e = {.name = files[i].name};
        the_game = NULL;
        if (files[i].game != NULL) assert_ok(game_find(files[i].game, &the_game));
        for (int k = 0; k < 4 && files[i].text[k] != NULL; k++) edits_of(files[i].text[k], files[i].with, one_file, &e);
        edits_list(&e, &t);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char name[40];
        edits e = {.name = name};
        snprintf(name, sizeof name, "%s %s", lines[i].protocol, lines[i].game);
        the_protocol = lines[i].protocol;
        assert_ok(game_find(lines[i].game, &the_game));
        for (int k = 0; k < 14 && lines[i].text[k] != NULL; k++)
            edits_of(lines[i].text[k], lines[i].with, one_line, &e);
        edits_list(&e, &t);
    }
    assert_listed(&t, "app/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
