// Any text as a checkpoint's ratings: read or refused; what is read is written and reads to the same.
#include "learn/zero/az_inner.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    az_ratings a = {0}, b = {0};
    text_buf x = {0}, y = {0};
    const game *g;
    if (game_find("tictactoe", &g) != ERR_OK || store_open_memory(&a.games) != ERR_OK) abort();
    if (size < 4096 && az_ratings_read(&a, g, (const char *)data, size) == ERR_OK) {
        b.games = a.games;
        if (az_ratings_write(&a, &x) != ERR_OK) abort();
        if (az_ratings_read(&b, g, text_str(&x), x.len) != ERR_OK || az_ratings_write(&b, &y) != ERR_OK) abort();
        if (x.len != y.len || (x.len > 0 && memcmp(x.data, y.data, x.len) != 0) || a.all.n != b.all.n) abort();
    }
    b.games = NULL;
    az_ratings_free(&a);
    az_ratings_free(&b);
    text_free(&x);
    text_free(&y);
    return 0;
}
