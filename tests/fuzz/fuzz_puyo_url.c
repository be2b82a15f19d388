// Any bytes as an address of puyop.com: what parses is a settled field with legal steps, prints, and parses to the same.
#include "games/puyo/puyo_url.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    py_url u, back;
    char address[PY_URL_TEXT], *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (py_url_parse(text, &u) == ERR_OK) {
        must(py_field_ok(&u.field, 5));
        must(u.n >= 0 && u.n <= PY_URL_STEPS);
        for (int i = 0; i < u.n; i++) {
            if (u.step[i].pair == 0) continue;
            must(py_pair_ok(u.step[i].pair, 5));
            must(u.step[i].move == PY_NOT_PLACED || u.step[i].move < PY_MOVES);
        }
        must(py_url_print(&u, address, sizeof address) < PY_URL_TEXT);
        must(py_url_parse(address, &back) == ERR_OK);
        must(memcmp(&u, &back, sizeof u) == 0);
    }
    free(text);
    return 0;
}
