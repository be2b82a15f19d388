// Any bytes as a position and a move of any game: the first byte chooses the game, a line end parts position and move.
#include "games/game.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const game *g = game_at(data[0] % game_count());
    char *text = malloc(size), *s = calloc(1, g->state_size), *t = calloc(1, g->state_size);
    char *obs = calloc(1, g->obs_size), printed[GAME_TEXT];
    if (text == NULL || s == NULL || t == NULL || obs == NULL) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    char *move = strchr(text, '\n');
    if (move != NULL) *move++ = 0;
    // A text that parses prints to one that parses to the same.
    if (g->state_parse(text, s) == ERR_OK) {
        g->state_print(s, printed, sizeof printed);
        if (g->state_parse(printed, t) != ERR_OK || g->hash(s) != g->hash(t)) abort();
    } else if (g->init(s, "", (game_key){1, 1}) != ERR_OK) {
        abort();
    }
    game_observe(g, s, g->seat(s), obs);
    move_t m;
    if (move != NULL && !g->result(s).over && g->move_parse(obs, move, &m) == ERR_OK) {
        move_t back;
        g->move_print(obs, m, printed, sizeof printed);
        if (g->move_parse(obs, printed, &back) != ERR_OK || back != m) abort();
        g->play(s, m, NULL);
        (void)g->result(s);
    }
    free(obs);
    free(t);
    free(s);
    free(text);
    return 0;
}
