// Any bytes as a Contrast state, and what follows the first newline as a move in it: whatever parses prints and parses back
// to the same bytes, plays on, and nothing crashes.
#include "games/contrast/contrast.h"

#include <stdlib.h>
#include <string.h>

extern const game game_contrast;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

static void check_state(const ctr_state *s)
{
    char text[GAME_TEXT];
    ctr_state back;
    int n = game_contrast.state_print(s, text, sizeof text);
    must(n > 0 && n < GAME_TEXT);
    memset(&back, 0xa5, sizeof back);
    must(game_contrast.state_parse(text, &back) == ERR_OK);
    must(memcmp(s, &back, sizeof back) == 0);
    must(ctr_board_error(&s->b) == NULL);
    move_t moves[CTR_MAX_LEGAL];
    int legal = game_contrast.legal(s, moves);
    must((legal == 0) == game_contrast.result(s).over);
    must(game_contrast.draw(s, MOVE_NONE, true, text, sizeof text) < GAME_TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    char *line = strchr(text, '\n'), *move = text;
    if (line != NULL) {
        *line = 0;
        move = line + 1;
    }
    ctr_state s;
    if (game_contrast.state_parse(text, &s) == ERR_OK)
        check_state(&s);
    else
        must(game_contrast.state_parse("start", &s) == ERR_OK && err_text()[0] != 0);
    move_t m;
    if (game_contrast.move_parse(&s, move, &m) == ERR_OK) {
        char printed[64];
        move_t back;
        must(ctr_legal(&s.b, m));
        game_contrast.move_print(&s, m, printed, sizeof printed);
        must(game_contrast.move_parse(&s, printed, &back) == ERR_OK && back == m);
        game_contrast.play(&s, m, NULL);
        check_state(&s);
    } else {
        must(err_text()[0] != 0);
    }
    free(text);
    return 0;
}
