// Files of openings with one mistake each: what is read and what is said (tests/arena/edits.txt).
#include "arena/openings.h"
#include "base/edits.h"

static const game *the_game;

static void one_file(void *ctx, const char *text)
{
    openings o = {0};
    text_buf t = {0};
    bool good = openings_read(&o, the_game, "", text, "file") == ERR_OK;
    for (uint32_t i = 0; good && i < o.n; i++) {
        text_printf(&t, "%s:", o.line[i].name);
        for (int k = 0; k < o.line[i].plies; k++) text_printf(&t, " %u", (unsigned)o.line[i].moves[k]);
        text_char(&t, '\n');
    }
    edits_saw(ctx, good, text, good ? text_str(&t) : err_text());
    if (good) openings_free(&o);
    text_free(&t);
}

static void all(void **state)
{
    (void)state;
    static const struct {
        const char *game, *text[2];
    } rows[] = {
        {"othello", {"# first\none : f5;d6 ; c3\r\n\nf5;f6\n  d3 # last", "name: f5"}},
        {"tictactoe", {"a1;b2;c3;b1;b3\nx:y: a1", "a1;b2;a2;b3;a3"}},
        {"renju", {"h8;i9;g7\n26: h8;h9;h10"}},
    };
    text_buf t = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        edits e = {.name = rows[i].game};
        assert_ok(game_find(rows[i].game, &the_game));
        for (int k = 0; k < 2 && rows[i].text[k] != NULL; k++) edits_of(rows[i].text[k], "0:;# \nc", one_file, &e);
        edits_list(&e, &t);
    }
    // As long as a line and a name may be, and one more.
    edits e = {.name = "limits"};
    assert_ok(game_find("freestyle20", &the_game));
    for (int plies = OPENING_PLIES - 1; plies <= OPENING_PLIES + 1; plies++) {
        char text[400] = "";
        for (int i = 0; i < plies; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%c%d", i > 0 ? ";" : "", 'a' + i % 10,
                     1 + 2 * (i / 10) + i % 2);
        one_file(&e, text);
    }
    for (int n = OPENING_NAME - 2; n <= OPENING_NAME; n++) {
        char text[100];
        snprintf(text, sizeof text, "%.*s: a1", n, "0123456789012345678901234567890123456789012345678901234567890");
        one_file(&e, text);
    }
    edits_list(&e, &t);
    assert_listed(&t, "arena/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
