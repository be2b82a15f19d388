// Any bytes as a game file in every format; the first byte may name the game. What is read is written and read again, which
// must give the same game, and walked about in.
#include "app/session.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

static void same_main_line(session *a, session *b)
{
    int x = session_main_end(a), y = session_main_end(b);
    must(session_game(a) == session_game(b));
    must(session_node_of(a, x)->ply == session_node_of(b, y)->ply);
    must(session_game(a)->hash(session_state(a, x)) == session_game(b)->hash(session_state(b, y)));
}

static void there_and_back(session *s, session_format f)
{
    text_buf t = {0};
    session *back = NULL;
    if (session_export(s, f, &t) == ERR_OK) {
        session_source from = {.text = text_str(&t), .size = t.len, .g = session_game(s)};
        must(session_format_by_content(text_str(&t), t.len) == f);
        must(session_import(&back, &from) == ERR_OK);
        same_main_line(s, back);
        session_close(back);
    }
    text_free(&t);
}

static void walk(session *s, uint8_t how)
{
    text_buf t = {0};
    for (int i = 0; i < 8 && session_back(s); i++)
        ;
    for (int viewer = SESSION_NONE; viewer < session_game(s)->n_seats; viewer++) {
        text_clear(&t);
        must(session_to_json(s, viewer, &t) == ERR_OK);
    }
    int at = session_at(s);
    if (how & 1) must(session_promote(s, at) == ERR_OK);
    if ((how & 2) && at != 0) must(session_delete(s, at) == ERR_OK);
    if (how & 4) session_forward(s);
    session_resign(s, 0);
    must(session_to_json(s, SESSION_NONE, &t) == ERR_OK);
    text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    session *s = NULL;
    if (size < 1 || size > 1 << 16) return 0;
    char *text = malloc(size);
    if (text == NULL) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    const game *g = data[0] % 16 < game_count() ? game_at(data[0] % 16) : NULL;
    session_source from = {.text = text, .size = size - 1, .g = g, .key = {1, 2}, .which = data[0] >> 7};
    if (session_import(&s, &from) == ERR_OK) {
        there_and_back(s, FORMAT_JSON);
        there_and_back(s, FORMAT_TEXT);
        there_and_back(s, FORMAT_SGF);
        there_and_back(s, FORMAT_GGF);
        walk(s, data[0] >> 4);
    }
    session_close(s);
    free(text);
    return 0;
}
