// Renju records: SGF files and lists of moves; the first byte chooses the variant. Whatever is read is written, read
// again and written the same.
#include "games/renju/renju_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(int variant, const char *text)
{
    uint16_t moves[RJ_MAX_POINTS], again[RJ_MAX_POINTS];
    int n = 0, m = 0;
    char list[3 * RJ_MAX_POINTS + 1];
    if (rj_moves_parse(variant, text, moves, &n) != ERR_OK) return;
    if (rj_moves_print(variant, moves, n, list, sizeof list) >= (int)sizeof list) abort();
    if (rj_moves_parse(variant, list, again, &m) != ERR_OK) abort();
    if (n != m || memcmp(moves, again, (size_t)n * sizeof *moves) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    int variant = data[0] % RJ_VARIANTS;
    rj_record a, b;
    if (rj_record_read((const char *)data + 1, size - 1, 0, variant, &a) == ERR_OK) {
        char *text = NULL, *again = NULL;
        if (rj_record_write(&a, &text) != ERR_OK) abort();
        if (rj_record_read(text, strlen(text), 0, 0, &b) != ERR_OK) abort();
        if (a.n_moves != b.n_moves || memcmp(a.move, b.move, (size_t)a.n_moves * sizeof *a.move) != 0) abort();
        if (rj_record_write(&b, &again) != ERR_OK || strcmp(text, again) != 0) abort();
        free(text);
        free(again);
        rj_record_free(&a);
        rj_record_free(&b);
    }
    char *list = malloc(size);
    if (list == NULL) return 0;
    memcpy(list, data + 1, size - 1);
    list[size - 1] = 0;
    check_list(variant, list);
    free(list);
    return 0;
}
