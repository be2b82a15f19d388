// Files for `verify puyo-chains`: counted or refused with a place, never more exact rows than rows.
#include "games/puyo/puyo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, const py_chain_row *want, const py_chain_row *got)
{
    if (strcmp(want->name, got->name) != 0 || want->line != got->line || want->line < 1) abort();
    ++*(int *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    int exact = -1, total = -1, differ = 0;
    if (py_verify_chains(text, count, &differ, &exact, &total) == ERR_OK) {
        if (total < 1 || exact < 0 || exact + differ != total) abort();
    } else if (strlen(err_text()) == 0 || exact != -1) {
        abort();
    }
    free(text);
    return 0;
}
