// Any bytes as a file of labelled games, and as the games of a block whose checksum is right: read or refused, never a crash.
#include "learn/distil/labels.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    label_set s = {0};
    size_t used;
    if (size < 4) return 0;
    if (data[0] % 2 == 0) {
        (void)labels_parse(&s, data + 1, size - 1, 0, NULL, &used);
    } else { // kind of game, games, positions, then the games
        label_head h = {.options = "pairs=uniform", .seed = 1};
        label_block b = {.games = data[2], .positions = data[3]};
        text_buf file = {0};
        strcpy(h.game, data[1] % 2 == 0 ? "puyo-solo" : "puyo");
        text_append_n(&b.raw, (const char *)data + 4, size - 4);
        if (size > 4 && labels_head_bytes(&h, &file) == ERR_OK && labels_block_bytes(&b, 0, &file) == ERR_OK)
            (void)labels_parse(&s, file.data, file.len, 0, NULL, &used);
        for (size_t i = 0; i < s.n; i++)
            if (!after_position_ok(&s.sample[i].at) || s.sample[i].n > PY_MAX_LEGAL) abort();
        text_free(&b.raw);
        text_free(&file);
    }
    label_set_free(&s);
    return 0;
}
