// Any bytes as a file of Othello pattern weights: refused, or read, written and read to the same.
#include "search/othello/oth_eval.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    oth_weights *w = NULL, *again = NULL;
    if (oth_weights_read(&w, data, size) != ERR_OK) return 0;
    text_buf t = {0};
    if (oth_weights_write(w, &t) != ERR_OK || oth_weights_read(&again, t.data, t.len) != ERR_OK) abort();
    if (memcmp(w, again, sizeof *w) != 0) abort();
    text_free(&t);
    oth_weights_free(again);
    oth_weights_free(w);
    return 0;
}
