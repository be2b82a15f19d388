// Fields for people: what parses prints and parses back; what does not leaves a sentence.
#include "games/puyo/puyo.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), again[PY_FIELD_TEXT];
    memcpy(text, data, size);
    text[size] = 0;
    py_field f, g;
    if (py_field_parse(text, &f) == ERR_OK) {
        if (!py_field_ok(&f, 5)) abort();
        int n = py_field_print(&f, again, sizeof again);
        if (n <= 0 || n >= PY_FIELD_TEXT || py_field_parse(again, &g) != ERR_OK || memcmp(&f, &g, sizeof f) != 0)
            abort();
        // Chains of all versions agree.
        py_chain_result r = py_chain(&g);
        for (const py_version *v = py_versions(); v->name != NULL; v++) {
            if (!v->usable()) continue;
            py_field a = f, b = f;
            py_chain_result other = v->chain(&a);
            if (memcmp(&r, &other, sizeof r) != 0 || v->links(&b) != r.links) abort();
            if (memcmp(&a, &g, sizeof a) != 0 || memcmp(&b, &g, sizeof b) != 0) abort();
        }
    } else if (strlen(err_text()) == 0) {
        abort();
    }
    free(text);
    return 0;
}
