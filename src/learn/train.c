// See train.h.
#include "learn/train.h"

#include "base/models.h"

err train_first_net(nn_net **out, const run_home *home, const char *init)
{
    char path[FILE_PATH];
    const run_point *from = home != NULL ? run_resumed(home) : NULL;
    err e = from != NULL ? run_point_path(from, "model.safetensors", path) : models_network(init, path, sizeof path);
    return e == ERR_OK ? nn_net_load(out, path) : e;
}
