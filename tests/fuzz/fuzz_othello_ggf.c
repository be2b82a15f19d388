// GGF files: every game is refused with a sentence, or prints to a record that reads back the same; reading always
// ends.
#include "games/othello/oth_ggf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(ok)                                                                                                      \
    if (!(ok)) abort()

static void check_record(const oth_record *r)
{
    static char one[OTH_GGF_TEXT], two[OTH_GGF_TEXT];
    static oth_record back;
    size_t at = 0;
    bool found = false;
    int len = oth_ggf_print(r, one, sizeof one);
    CHECK(len > 0 && len < OTH_GGF_TEXT);
    CHECK(oth_ggf_next(one, &at, &back, &found) == ERR_OK && found && one[at] == 0);
    CHECK(back.n == r->n && back.result == r->result && back.has_result == r->has_result);
    for (int i = 0; i < r->n; i++) CHECK(back.moves[i].sq == r->moves[i].sq && back.moves[i].eval == r->moves[i].eval);
    oth_ggf_print(&back, two, sizeof two);
    CHECK(strcmp(one, two) == 0);
    oth_state a = oth_record_at(r, r->n), b = oth_record_at(&back, back.n);
    CHECK(memcmp(&a, &b, sizeof a) == 0 && oth_board_ok(a.b));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    size_t at = 0, length = strlen(text);
    for (;;) {
        static oth_record r;
        bool found = false;
        size_t before = at;
        err e = oth_ggf_next(text, &at, &r, &found);
        CHECK(at <= length && (at > before || !found));
        if (e != ERR_OK) {
            CHECK(err_text()[0] != 0 && at > before);
            continue;
        }
        if (!found) break;
        check_record(&r);
    }
    free(text);
    return 0;
}
