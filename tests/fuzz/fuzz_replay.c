// Any bytes as a replay file, as a block of samples, as games in flight and as a finished game: read or refused, never a crash.
// Files carry a checksum, which no fuzzer guesses; so the first byte chooses what the rest is taken for.
#include "learn/zero/replay.h"
#include "learn/zero/selfplay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static samples_shape shape;
static az_config config;
static selfplay *play;

static void set_up(void)
{
    const game *g;
    if (play != NULL) return;
    if (game_find("tictactoe", &g) != ERR_OK || samples_shape_make(&shape, g, &g->encodings[0]) != ERR_OK) abort();
    if (opt_defaults(az_opts, az_n_opts, &config) != ERR_OK) abort();
    config.in_flight = 2;
    if (selfplay_new(&play, &shape, &config, 1, 1, false) != ERR_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    samples s = {0};
    uint64_t first;
    size_t used;
    set_up();
    if (size == 0) return 0;
    int kind = data[0] == 255 ? 3 : data[0] % 3;
    data++;
    size--;
    if (kind == 0) (void)replay_parse(&shape, data, size, &first, &s);
    if (kind == 1 && samples_read(&s, &shape, data, size, &used) == ERR_OK) {
        text_buf t = {0}; // what was read is written to the same bytes
        if (samples_write(&s, &shape, &t) != ERR_OK || t.len != used) abort();
        text_free(&t);
    }
    if (kind == 2) (void)selfplay_load(play, data, size);
    finished_game g;
    if (kind == 3 && finished_game_read(&g, &shape, data, size) == ERR_OK) {
        text_buf t = {0};
        if (finished_game_write(&g, &shape, &t) != ERR_OK || t.len != size) abort();
        text_free(&t);
        finished_game_free(&g);
    }
    samples_free(&s);
    return 0;
}
