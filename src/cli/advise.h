// What the parts of `keiko advise` share: the options, one question to the advisor, and its answer in words, as a drawing and
// as JSON.
#ifndef KEIKO_CLI_ADVISE_H
#define KEIKO_CLI_ADVISE_H

#include "base/json.h"
#include "cli/cli.h"
#include "search/puyo/puyo_advisor.h"

typedef struct advise_options {
    common all;
    const char *field, *pair, *next, *mode, *pairs, *turns, *config, *failures, *replay;
    int64_t games, seed, threads, top, colours, shown, index, line;
    bool simulate, practice, json, reach, blind;
} advise_options;

typedef struct question {
    const advisor_config *config;
    bool plus, reach;
    py_field field;
    uint8_t pair;
    advisor_future future;
} question;

err advise_ask(const question *q, advice *out);
err advise_kind(const char *name, int *kind); // "arcade", … as PY_ARCADE, …
err advise_pair(const char *text, uint8_t *pair);

// The field with the pairs beside it; the puyos of `ghost` (may be NULL) in small letters.
void advise_draw(text_buf *t, const question *q, const advisor_move *ghost, bool colour);
void advise_tail(text_buf *t, const py_field *f); // how the tail agrees with the 403; nothing while there is no fold
void advise_explain(text_buf *t, const question *q, const advice *a, int top);
void advise_json(json_writer *w, const question *q, const advice *a, const char *mode);
void advise_move_text(const advisor_move *m, char buf[8]);

int advise_practice(const advise_options *o, const advisor_config *c);

#endif
