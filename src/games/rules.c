// Looking up the text of a game's rules. See rules.h.
#include "games/rules.h"

#include "base/embedded.h"

#include <stdio.h>
#include <string.h>

err game_rules(const game *g, const char *language, const char **text)
{
    char path[256];
    size_t size;
    if (g->text != NULL) {
        *text = g->text;
        return ERR_OK;
    }
    const char *page = g->rules != NULL ? g->rules : g->name;
    const char *folder = strcmp(language, "en") == 0 ? "" : language;
    snprintf(path, sizeof path, "docs/%s%srules/%s.md", folder, folder[0] == 0 ? "" : "/", page);
    if (embedded_find(path, text, &size)) return ERR_OK;
    if (embedded_name(0) == NULL)
        return err_set(ERR_MISSING, "this build contains no texts (-DKEIKO_EMBED=OFF); read %s of the source", path);
    return err_set(ERR_MISSING, "there is no text about the rules of %s in this language", g->name);
}
