// See names.h.
#include "serve/names.h"

#include "agents/agent.h"
#include "agents/levels.h"
#include "base/file.h"
#include "base/models.h"
#include "base/opt_table.h"
#include "learn/dqn/dqn_train.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool plain(const char *name, size_t n)
{
    if (n == 0 || n > NAMES_MOST || name[0] == '.' || name[0] == '-') return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && strchr("._-", name[i]) == NULL) return false;
    return true;
}

bool names_plain(const char *name)
{
    return plain(name, strlen(name));
}

err names_folder(char path[NAMES_PATH], const char *kind, const char *name)
{
    if (!names_plain(name))
        return err_set(ERR_USAGE,
                       "a name has letters, digits, '.', '-' and '_', at most %d, and does not begin with '.' or '-'",
                       NAMES_MOST);
    snprintf(path, NAMES_PATH, "%s/%s", kind, name);
    return ERR_OK;
}

err names_network(const char *text)
{
    const char *part[8];
    size_t len[8];
    int n = 0;
    for (const char *p = text;; p++) {
        if (n == 8) break;
        part[n] = p;
        len[n] = strcspn(p, "/");
        p += len[n++];
        if (*p == 0) break;
    }
    bool good = n > 0;
    for (int i = 0; i < n; i++) good = good && plain(part[i], len[i]);
    if (n > 1) good = good && len[0] == 4 && strncmp(part[0], "runs", 4) == 0;
    if (n == 5) good = good && len[2] == 11 && strncmp(part[2], "checkpoints", 11) == 0;
    if (!good || (n != 1 && n != 3 && n != 5))
        return err_set(ERR_USAGE, "'%.100s' is not a network: name one of GET models, or runs/NAME/FILE", text);
    return ERR_OK;
}

static const agent_type *type_of(const game *g, const char *name, size_t n)
{
    for (int i = 0; i < agent_type_count(); i++) {
        const agent_type *t = agent_type_at(i);
        if (agent_type_plays(t, g) && strlen(t->name) == n && strncmp(t->name, name, n) == 0) return t;
    }
    return NULL;
}

// Every parameter that names a file, once the spec is read as agent_open reads it.
static err check_files(const agent_type *t, const char *pairs, const char *where)
{
    int n;
    const opt *rows = opt_flat(t->opts, t->n_opts, &n);
    char *params = calloc(1, t->params_size + 1), found[FILE_PATH];
    opt_values *keep = opt_keep();
    err e = params == NULL || keep == NULL ? err_set(ERR_MEMORY, "no memory for an agent") : ERR_OK;
    if (e == ERR_OK) e = opt_pairs(t->opts, t->n_opts, params, pairs, where, keep);
    for (int i = 0; i < n && e == ERR_OK; i++) {
        if (rows[i].name == NULL || (rows[i].kind != OPT_FILE && rows[i].kind != OPT_DIR)) continue;
        const char *value;
        memcpy(&value, params + rows[i].at, sizeof value);
        if (value != NULL && value[0] != 0) e = names_network(value);
        if (value != NULL && value[0] != 0 && e == ERR_OK && strcmp(rows[i].name, "model") == 0)
            e = models_network(value, found, sizeof found); // said now, not when the agent is first asked
    }
    opt_free(keep);
    free(params);
    return e == ERR_MISSING ? ERR_USAGE : e; // the request names it: that is its mistake
}

err names_agent(const game *g, const char *spec)
{
    char full[LEVEL_SPEC], where[200];
    err e = level_expand(g, spec, full, sizeof full);
    if (e != ERR_OK) return e;
    size_t n = strcspn(full, ":");
    const agent_type *t = type_of(g, full, n);
    if (t == NULL) return ERR_OK;
    if (strcmp(t->name, "engine") == 0)
        return err_set(ERR_USAGE, "agents that start programs (engine) can be used in the terminal only");
    snprintf(where, sizeof where, "agent '%.150s'", spec);
    return full[n] == ':' ? check_files(t, full + n + 1, where) : ERR_OK;
}

err names_agents(const game *g, const char *list)
{
    char one[LEVEL_SPEC];
    err e = ERR_OK;
    for (const char *p = list; *p != 0 && e == ERR_OK;) {
        size_t n = strcspn(p, ";");
        if (n >= sizeof one)
            return err_set(ERR_LIMIT, "an agent is written with at most %d characters", LEVEL_SPEC - 1);
        memcpy(one, p, n);
        one[n] = 0;
        e = names_agent(g, one + strspn(one, " "));
        p += n + (p[n] == ';');
    }
    return e;
}

// Read as the trainer reads it: what looks like another player to this file must not be one there.
err names_shares(const game *g, const char *list)
{
    dqn_mix m;
    err e = dqn_mix_parse(list, "players", &m);
    for (int i = 0; i < m.n && e == ERR_OK; i++) e = names_agent(g, m.name[i]);
    return e;
}

err names_teacher(const game *g, const char *who)
{
    err e = names_agent(g, who);
    if (e != ERR_OK || who[0] == 0) return e;
    return agent_check(g, who) == ERR_OK ? ERR_OK : names_network(who);
}
