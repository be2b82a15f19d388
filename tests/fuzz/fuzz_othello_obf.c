// OBF files: any text is refused with a sentence, or each problem prints to a line that parses to the same.
#include "games/othello/oth_obf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(ok)                                                                                                      \
    if (!(ok)) abort()

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), line[OTH_OBF_TEXT], line2[OTH_OBF_TEXT];
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    oth_problem *list = NULL, p;
    int n = 0;
    if (oth_obf_read(text, &list, &n) == ERR_OK) {
        for (int i = 0; i < n; i++) {
            int len = oth_obf_print(&list[i], line, sizeof line);
            CHECK(len > 0 && len < OTH_OBF_TEXT);
            CHECK(oth_obf_parse(line, &p) == ERR_OK);
            CHECK(memcmp(&p.s, &list[i].s, sizeof p.s) == 0 && p.n == list[i].n);
            CHECK(memcmp(p.moves, list[i].moves, (size_t)p.n * sizeof *p.moves) == 0);
            oth_obf_print(&p, line2, sizeof line2);
            CHECK(strcmp(line, line2) == 0);
        }
        free(list);
    } else {
        CHECK(err_text()[0] != 0 && list == NULL);
    }
    if (oth_obf_parse(text, &p) == ERR_OK) CHECK(oth_board_ok(p.s.b));
    free(text);
    return 0;
}
