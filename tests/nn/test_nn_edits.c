// Descriptions of networks and learning rates with one mistake each: what is read and what is said (tests/nn/edits.txt).
#include "base/edits.h"
#include "nn/desc.h"
#include "nn/optim.h"

static void one_desc(void *ctx, const char *text)
{
    nn_desc d;
    char said[NN_TEXT + 200];
    bool good = nn_desc_parse(text, &d) == ERR_OK;
    if (good) {
        nn_layout at;
        int n = nn_desc_print(&d, said, NN_TEXT);
        nn_layout_make(&d, &at);
        snprintf(said + n, sizeof said - (size_t)n, " %zu %zu %d %d %d %zu %.9g", at.n_all, at.n_train, nn_out_size(&d),
                 nn_policy_heads(&d), nn_params(&d, NULL, 0), nn_in_bits(&d), nn_flops(&d));
    }
    edits_saw(ctx, good, text, good ? said : err_text());
}

static void one_rate(void *ctx, const char *text)
{
    nn_lr lr;
    char said[NN_TEXT];
    bool good = nn_lr_parse(text, &lr) == ERR_OK;
    if (good) {
        static const uint64_t at[] = {0, 1, 4, 5, 9, 10, 99, 100, 250, 100000, 1000000};
        int n = nn_lr_print(&lr, said, sizeof said);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++)
            n += snprintf(said + n, sizeof said - (size_t)n, " %.3g", (double)nn_lr_at(&lr, at[i]));
    }
    edits_saw(ctx, good, text, good ? said : err_text());
}

static void all(void **state)
{
    (void)state;
    static const char *const nets[] = {"planes=3 scalars=2 size=8x8 c=16 b=2 policy=2:65 scalar=1:8:1 value=1:8",
                                       "planes=1 scalars=1 size=1x8 mlp=32 duel=0:32:3:21 noisy=1",
                                       "planes=32 size=5x5 c=32 b=1 se=8 policy=4:625 policy=2:51 value=1:16"};
    static const char *const rates[] = {"0.001", "cosine:0.001:100000:0.00001", "step:0.01:100:0.5,warmup=5",
                                        "cosine:1:1"};
    text_buf t = {0};
    edits desc = {.name = "networks"}, rate = {.name = "learning rates"};
    for (int i = 0; i < 3; i++) edits_of(nets[i], "0=:x 9", one_desc, &desc);
    for (int i = 0; i < 4; i++) edits_of(rates[i], "0:.,e-", one_rate, &rate);
    edits_list(&desc, &t);
    edits_list(&rate, &t);
    assert_listed(&t, "nn/edits.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
