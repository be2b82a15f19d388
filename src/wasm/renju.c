// The numbers of the renju engine in the browser: a file that the page fetches when such an agent first thinks, so that they do
// not hold up the first board. Stands in for search/renju/renju_weights.c and renju_shipped.c. The file has the bytes of
// rj_weights_of; web/build.mjs writes it.
#include "base/embedded.h"
#include "search/renju/renju_weights.h"

const rj_weights *rj_weights_shipped(rj_rule rule)
{
    const char *data;
    size_t size;
    if (!embedded_find("models/renju-weights.bin", &data, &size) || size != 3 * sizeof(rj_weights)) return NULL;
    return (const rj_weights *)(const void *)data + rule; // keiko_alloc aligns it
}
