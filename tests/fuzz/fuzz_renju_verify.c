// Files of renju positions with their fouls: any bytes give counts or a sentence, and every row that differs is
// reported.
#include "games/renju/renju.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, const char *line)
{
    if (line[0] == 0) abort();
    ++*(int *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    int exact = 0, total = 0, reported = 0;
    if (rj_verify_forbidden(text, count, &reported, &exact, &total) == ERR_OK) {
        if (exact + reported != total) abort();
    } else if (err_text()[0] == 0) {
        abort();
    }
    free(text);
    return 0;
}
