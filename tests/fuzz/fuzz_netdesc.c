// Any text as a network description: what parses prints and parses to the same again, and its tensors can be listed.
#include "nn/desc.h"
#include "nn/optim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), again[NN_TEXT];
    memcpy(text, data, size);
    text[size] = 0;
    nn_desc d, e;
    nn_lr lr;
    if (nn_desc_parse(text, &d) == ERR_OK) {
        int n = nn_desc_print(&d, again, sizeof again);
        if (n >= NN_TEXT || nn_desc_parse(again, &e) != ERR_OK || !nn_desc_equal(&d, &e)) abort();
        nn_layout at;
        nn_layout_make(&d, &at);
        if (nn_params(&d, NULL, 0) < 1 || at.n_all < at.n_train) abort();
    }
    if (nn_lr_parse(text, &lr) == ERR_OK && nn_lr_print(&lr, again, sizeof again) >= (int)sizeof again) abort();
    free(text);
    return 0;
}
