// keiko rules: the rules and the notation of a game, printed as they stand in docs/rules.
#include "cli/cli.h"
#include "games/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    common all;
    const char *game, *lang;
} options;

static const opt args[] = {
    ARG_GAME(options, true),
};

static const opt opts[] = {
    {.name = "lang",
     .kind = OPT_CHOICE,
     .at = offsetof(options, lang),
     .value = "LANGUAGE",
     .choices = "en|ja",
     .help = "English or Japanese; default: by the locale (LC_ALL, LC_MESSAGES, LANG)"},
};

// As programs choose the language of their messages: the first of these that is set decides.
static const char *language_of_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (int i = 0; i < COUNT(names); i++) {
        const char *v = getenv(names[i]);
        if (v != NULL && v[0] != 0) return strncmp(v, "ja", 2) == 0 ? "ja" : "en";
    }
    return "en";
}

static int run(const void *options_)
{
    const options *o = options_;
    const game *g;
    const char *text;
    err e = game_find(o->game, &g);
    if (e == ERR_OK) e = game_rules(g, o->lang != NULL ? o->lang : language_of_locale(), &text);
    if (e != ERR_OK) return cli_fail("rules");
    fputs(text, stdout);
    return 0;
}

const command cmd_rules = {
    CALLED("rules", "Print the rules and the notation of a game"),
    .about =
        "Prints how a game is played, how it ends, and how moves and positions are written, with examples that every command accepts.",
    .examples = "keiko rules renju\nkeiko rules puyo --lang ja\nkeiko rules contrast | less",
    RUNS(run, options, WITH_ROWS(args, opts)),
};
