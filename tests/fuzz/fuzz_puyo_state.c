// Any text either is a position, which then prints, parses back to the same bytes and can be played on, or is refused.
// The first byte chooses the game and how to play.
#include "games/game.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok) abort();
}

static void round_trip(const game *g, const void *s)
{
    char text[GAME_TEXT], again[GAME_TEXT], back[1024];
    int n = g->state_print(s, text, sizeof text);
    must(n > 0 && n < GAME_TEXT);
    must(g->state_parse(text, back) == ERR_OK);
    must(memcmp(s, back, g->state_size) == 0);
    g->state_print(back, again, sizeof again);
    must(strcmp(text, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const game *g;
    must(game_find(data[0] & 1 ? "puyo-solo" : "puyo", &g) == ERR_OK);
    must(g->state_size <= 1024);
    char *text = malloc(size), s[1024], obs[1024], other[1024], drawn[GAME_TEXT];
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    if (g->state_parse(text, s) == ERR_OK) {
        rng r = rng_at(data[0], size, 0);
        round_trip(g, s);
        for (int i = 0; i < 8; i++) {
            move_t moves[64];
            int n = g->legal(s, moves);
            must((n == 0) == g->result(s).over);
            game_observe(g, s, g->seat(s), obs);
            must(g->draw(obs, MOVE_NONE, true, drawn, sizeof drawn) < GAME_TEXT);
            if (n == 0) break;
            game_sample(g, obs, &r, other);
            round_trip(g, other);
            g->play(s, moves[rng_below(&r, (uint32_t)n)], NULL);
            round_trip(g, s);
        }
    } else {
        must(strlen(err_text()) > 0);
    }
    move_t m;
    must(g->init(s, "", (game_key){1, 1}) == ERR_OK);
    game_observe(g, s, 0, obs);
    (void)g->move_parse(obs, text, &m);
    (void)g->init(s, text, (game_key){1, 2});
    free(text);
    return 0;
}
