// Othello positions and moves: any text is refused with a sentence, or prints and parses to the same bytes.
#include "games/game.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(ok)                                                                                                      \
    if (!(ok)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const game *g;
    CHECK(game_find("othello", &g) == ERR_OK);
    char *text = malloc(size + 1), out[GAME_TEXT];
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    uint64_t state[8] = {0}, again[8] = {0};
    CHECK(g->state_size <= sizeof state);
    if (g->state_parse(text, state) == ERR_OK) {
        g->state_print(state, out, sizeof out);
        CHECK(g->state_parse(out, again) == ERR_OK);
        CHECK(memcmp(state, again, g->state_size) == 0);
        move_t moves[64], back;
        int n = g->legal(state, moves);
        CHECK(n <= g->max_legal && g->result(state).over == (n == 0));
        for (int i = 0; i < n; i++) {
            g->move_print(state, moves[i], out, sizeof out);
            CHECK(g->move_parse(state, out, &back) == ERR_OK && back == moves[i]);
            memcpy(again, state, sizeof state);
            g->play(again, moves[i], NULL);
        }
        g->draw(state, MOVE_NONE, true, out, sizeof out);
    } else {
        CHECK(err_text()[0] != 0);
    }
    move_t m;
    CHECK(g->init(state, "", (game_key){0, 0}) == ERR_OK);
    if (g->move_parse(state, text, &m) != ERR_OK) CHECK(err_text()[0] != 0);
    free(text);
    return 0;
}
