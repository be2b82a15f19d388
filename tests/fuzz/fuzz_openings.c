// Any bytes as a file of openings, for three games: refused with a line, or every opening is playable.
#include "arena/openings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "failed: %s\n", what);
    abort();
}

static void try_game(const char *name, const char *text)
{
    const game *g;
    openings o;
    check(game_find(name, &g) == ERR_OK, "game");
    if (openings_read(&o, g, "", text, "file") != ERR_OK) {
        check(strncmp(err_text(), "file", 4) == 0, "an error names the file");
        return;
    }
    char *state = calloc(1, g->state_size);
    move_t *legal = calloc((size_t)g->max_legal, sizeof *legal);
    check(state != NULL && legal != NULL && o.n > 0, "memory");
    for (uint32_t i = 0; i < o.n; i++) {
        check(g->init(state, "", (game_key){0, 0}) == ERR_OK, "init");
        for (int k = 0; k < o.line[i].plies; k++) {
            int n = g->legal(state, legal), found = 0;
            for (int m = 0; m < n; m++) found |= legal[m] == o.line[i].moves[k];
            check(found, "a legal move");
            g->play(state, o.line[i].moves[k], NULL);
        }
        check(!g->result(state).over, "the game goes on");
    }
    free(state);
    free(legal);
    openings_free(&o);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);
    check(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = 0;
    try_game("othello", text);
    try_game("renju", text);
    try_game("contrast", text);
    free(text);
    return 0;
}
