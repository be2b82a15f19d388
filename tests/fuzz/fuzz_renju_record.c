// Renju records as SGF files; the first byte chooses the variant. Whatever is read can be played again.
#include "games/renju/renju_game.h"
#include "games/renju/renju_record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    rj_record r;
    rj_any_state s;
    if (rj_record_read((const char *)data + 1, size - 1, 0, data[0] % RJ_VARIANTS, &r) == ERR_OK &&
        rj_record_state(&r, r.n_moves, &s.s) != ERR_OK)
        abort();
    return 0;
}
