// The list of backends. See backend.h.
#include "nn/backend.h"

#include <string.h>

static const nn_backend *const backends[] = {
#if defined(KEIKO_CUDA)
    &nn_backend_cuda,
#endif
    &nn_backend_cpu,
};

int nn_backend_count(void)
{
    return (int)(sizeof backends / sizeof backends[0]);
}

const nn_backend *nn_backend_at(int i)
{
    return backends[i];
}

err nn_backend_find(const char *name, const nn_backend **out)
{
    char why[256];
    for (int i = 0; i < nn_backend_count(); i++) {
        const nn_backend *b = backends[i];
        bool named = strcmp(name, b->name) == 0;
        if (!named && strcmp(name, "auto") != 0) continue;
        if (b->available(why, sizeof why)) {
            *out = b;
            return ERR_OK;
        }
        if (named) return err_set(ERR_MISSING, "the backend '%s' cannot run here: %s", name, why);
    }
    if (strcmp(name, "cuda") == 0)
        return err_set(ERR_MISSING, "this build has no CUDA backend; build with -DKEIKO_CUDA=ON, or use cpu");
    return err_set(ERR_USAGE, "there is no backend '%s'; known are auto, cpu and cuda", name);
}
