// Any bytes as a conversation with a protocol server: the first byte chooses the protocol and game.
#include "app/server.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const kinds[][2] = {{"gtp", "othello"},       {"gtp", "contrast"},   {"gtp", "renju"},
                                           {"gtp", "puyo"},          {"nboard", "othello"}, {"gomocup", "renju"},
                                           {"gomocup", "freestyle"}, {"gtp", "tictactoe"}};
    if (size < 1) return 0;
    const char *const *kind = kinds[data[0] % 8];
    const game *g;
    server *s;
    if (game_find(kind[1], &g) != ERR_OK) abort();
    server_options o = {.protocol = kind[0], .g = g, .settings = "", .agent = "greedy", .seed = 1};
    if (server_open(&s, &o) != ERR_OK) abort();
    char *text = malloc(size);
    text_buf out = {0};
    if (text == NULL) abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    int lines = 0;
    for (char *p = text; p < text + size - 1 && lines < 60; lines++) {
        char *end = memchr(p, '\n', (size_t)(text + size - 1 - p));
        if (end != NULL) *end = 0;
        text_clear(&out);
        if (!server_line(s, p, &out) || end == NULL) break;
        p = end + 1;
    }
    text_free(&out);
    free(text);
    server_close(s);
    return 0;
}
