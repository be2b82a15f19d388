// keiko rules: every game has its rules in both languages, they fit a terminal of 80 columns, and the examples in them run.
#include "cli/program.h"
#include "games/game.h"

// Columns that a line of UTF-8 takes: two for the scripts and signs of Japanese.
static int columns(const char *line, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c & 0xc0) == 0x80) continue; // inside a character
        width += c >= 0xe3 && c < 0xf0 ? 2 : 1;
    }
    return width;
}

static void fits(const char *name, const char *language)
{
    for (const char *p = output; *p;) {
        size_t n = strcspn(p, "\n");
        if (columns(p, n) > 80) fail_msg("%s (%s): longer than 80 columns: %.*s", name, language, (int)n, p);
        p += n + (p[n] == '\n');
    }
}

// Runs the lines "    keiko show …" (and the like) of the text in `output`; returns how many.
static int run_examples(const char *name)
{
    static const char *const harmless[] = {"show ", "analyse ", "puyo ", "advise --field", "rules "};
    static char text[sizeof output];
    int ran = 0;
    strcpy(text, output);
    for (const char *p = text; *p;) {
        char line[256];
        size_t n = strcspn(p, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, p);
        p += n + (p[n] == '\n');
        if (strncmp(line, "    keiko ", 10) != 0) continue;
        for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
            if (strncmp(line + 10, harmless[i], strlen(harmless[i])) != 0) continue;
            if (keiko(line + 10) != 0) fail_msg("rules of %s: '%s' failed: %s", name, line, output);
            ran++;
        }
    }
    return ran;
}

static void every_game_has_rules(void **state)
{
    static const char *const languages[] = {"en", "ja"};
    (void)state;
    assert_true(game_count() >= 9);
    for (int i = 0; i < game_count(); i++)
        for (int k = 0; k < 2; k++) {
            char args[128];
            const char *name = game_at(i)->name;
            snprintf(args, sizeof args, "rules %s --lang %s", name, languages[k]);
            says(args, 0, "keiko play ");
            assert_true(strncmp(output, "# ", 2) == 0);
            assert_true(strstr(output, "\n## ") != NULL);
            said(k == 0 ? "## Notation" : "## 表記");
            fits(name, languages[k]);
            assert_true(run_examples(name) > 0);
        }
}

static void variants_share_a_page(void **state)
{
    (void)state;
    says("rules freestyle20 --lang en", 0, "# Gomoku and freestyle");
    says("rules puyo-solo --lang en", 0, "# Puyo Puyo");
}

static void the_locale_chooses_the_language(void **state)
{
    (void)state;
    assert_int_equal(keiko_after("LC_ALL= LC_MESSAGES= LANG=ja_JP.UTF-8", "rules renju"), 0);
    said("# 連珠");
    assert_int_equal(keiko_after("LC_ALL= LC_MESSAGES=en_GB.UTF-8 LANG=ja_JP.UTF-8", "rules renju"), 0);
    said("# Renju");
    assert_int_equal(keiko_after("LC_ALL=C LC_MESSAGES=ja_JP LANG=ja_JP.UTF-8", "rules renju"), 0);
    said("# Renju");
    assert_int_equal(keiko_after("LC_ALL=C", "rules renju --lang ja"), 0);
    said("# 連珠");
}

static void mistakes_are_answered(void **state)
{
    (void)state;
    says("rules chess", 2, "chess");
    says("rules", 2, "GAME");
    says("rules othello --lang fr", 2, "en");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_game_has_rules),
        cmocka_unit_test(variants_share_a_page),
        cmocka_unit_test(the_locale_chooses_the_language),
        cmocka_unit_test(mistakes_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
