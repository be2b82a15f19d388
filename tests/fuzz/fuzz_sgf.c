// SGF files: whatever parses prints, parses again and prints the same.
#include "games/sgf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sgf *s = NULL, *t = NULL;
    char *text = NULL, *again = NULL;
    if (sgf_parse((const char *)data, size, &s) != ERR_OK) return 0;
    if (sgf_print(s, &text) != ERR_OK) abort();
    if (sgf_parse(text, strlen(text), &t) != ERR_OK) abort();
    if (sgf_games(s) != sgf_games(t)) abort();
    if (sgf_print(t, &again) != ERR_OK || strcmp(text, again) != 0) abort();
    free(text);
    free(again);
    sgf_free(s);
    sgf_free(t);
    return 0;
}
