// Positions and moves of renju and its relatives as text; the first byte chooses the table. Whatever parses prints,
// parses again to the same bytes, and can be played, drawn and encoded.
#include "games/game.h"
#include "games/renju/renju.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const game *g, const rj_any_state *s)
{
    static uint64_t bits[11 * RJ_MAX_WORDS];
    float scalars[1];
    char text[GAME_TEXT];
    move_t moves[RJ_MAX_POINTS];
    const void *obs = s;
    if (g->draw(s, MOVE_NONE, true, text, sizeof text) >= GAME_TEXT) abort();
    for (int i = 0; i < g->n_encodings; i++) g->encodings[i].encode(&obs, 1, bits, scalars);
    int n = g->legal(s, moves);
    if ((n == 0) != g->result(s).over) abort();
    for (int i = 0; i < n; i += 7) {
        rj_any_state t = *s;
        g->play(&t, moves[i], NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[RJ_VARIANTS] = {"renju", "gomoku", "freestyle", "freestyle20"};
    if (size == 0) return 0;
    const game *g = NULL;
    if (game_find(names[data[0] % RJ_VARIANTS], &g) != ERR_OK) abort();
    char *text = malloc(size), printed[GAME_TEXT], again[GAME_TEXT];
    if (text == NULL) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    rj_any_state s, t;
    move_t m;
    memset(&s, 0, sizeof s);
    memset(&t, 0, sizeof t);
    if (g->init(&s, "", (game_key){0, 0}) != ERR_OK) abort();
    (void)g->move_parse(&s, text, &m);
    if (g->state_parse(text, &s) == ERR_OK) {
        if (g->state_print(&s, printed, sizeof printed) >= GAME_TEXT) abort();
        if (g->state_parse(printed, &t) != ERR_OK || memcmp(&s, &t, g->state_size) != 0) abort();
        g->state_print(&t, again, sizeof again);
        if (strcmp(printed, again) != 0) abort();
        use(g, &s);
    }
    free(text);
    return 0;
}
