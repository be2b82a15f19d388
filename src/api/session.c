// Sessions of the public API: app/session with strings. See include/keiko.h.
#include "app/session.h"

#include "api/api.h"

#include <stdlib.h>
#include <string.h>

static session *inner(keiko_session *s)
{
    return (session *)(void *)s;
}

static int give(err e, session *s, keiko_session **out)
{
    if (e == ERR_OK) *out = (keiko_session *)(void *)s;
    return (int)e;
}

int keiko_session_open(const keiko_game *g, const char *options, const char *position, uint64_t seed,
                       keiko_session **out)
{
    session *s = NULL;
    session_setup o = {.g = api_game(g), .options = options, .position = position, .key = {seed, 0}};
    err e = session_open(&s, &o);
    return give(e, s, out);
}

int keiko_session_import(const keiko_game *g, const char *text, size_t size, keiko_session **out)
{
    session *s = NULL;
    char *copy = malloc(size + 1); // the readers take strings; a file that was mapped, say, is none
    err e = copy == NULL ? err_set(ERR_MEMORY, "no memory for a text of %zu bytes", size) : ERR_OK;
    if (e == ERR_OK) {
        if (size > 0) memcpy(copy, text, size);
        copy[size] = 0;
        session_source from = {.text = copy, .size = size, .g = g == NULL ? NULL : api_game(g)};
        e = session_import(&s, &from);
    }
    free(copy);
    return give(e, s, out);
}

void keiko_session_close(keiko_session *s)
{
    session_close(inner(s));
}

static err check_seat(keiko_session *s, int seat)
{
    if (seat >= 0 && seat < session_game(inner(s))->n_seats) return ERR_OK;
    return err_set(ERR_USAGE, "there is no seat %d", seat);
}

int keiko_session_seat(keiko_session *s, int seat, const char *player)
{
    err e = check_seat(s, seat);
    return (int)(e == ERR_OK ? session_seat_player(inner(s), seat, player) : e);
}

int keiko_session_play(keiko_session *s, const char *move)
{
    return (int)session_play_text(inner(s), move);
}

int keiko_session_think(keiko_session *s)
{
    agent_choice c;
    return (int)session_think_play(inner(s), &c, NULL);
}

int keiko_session_back(keiko_session *s)
{
    return session_back(inner(s)) ? 0 : (int)err_set(ERR_USAGE, "this is the start");
}

int keiko_session_forward(keiko_session *s)
{
    return session_forward(inner(s)) ? 0 : (int)err_set(ERR_USAGE, "this is the end of the line");
}

int keiko_session_goto(keiko_session *s, int node)
{
    return (int)session_goto(inner(s), node);
}

int keiko_session_promote(keiko_session *s, int node)
{
    return (int)session_promote(inner(s), node);
}

int keiko_session_delete(keiko_session *s, int node)
{
    return (int)session_delete(inner(s), node);
}

int keiko_session_resign(keiko_session *s, int seat)
{
    return (int)session_resign(inner(s), seat);
}

void keiko_session_stop(keiko_session *s)
{
    session_stop(inner(s));
}

int keiko_session_position(keiko_session *s, keiko_position **out)
{
    return api_position(session_game(inner(s)), session_state(inner(s), session_at(inner(s))), out);
}

int keiko_session_json(keiko_session *s, int seat, char **json)
{
    text_buf t = {0};
    err e = seat < 0 ? ERR_OK : check_seat(s, seat);
    if (e == ERR_OK) e = session_to_json(inner(s), seat < 0 ? SESSION_NONE : seat, &t);
    return api_text(e, &t, json);
}

int keiko_session_analyse(keiko_session *s, const char *who, int lines, char **json)
{
    text_buf t = {0};
    int n = 0;
    agent_choice *c = NULL;
    err e = lines < 1 || lines > 64 ? err_set(ERR_USAGE, "1 to 64 lines, not %d", lines) : ERR_OK;
    if (e == ERR_OK && (c = calloc((size_t)lines, sizeof *c)) == NULL) e = err_set(ERR_MEMORY, "no memory");
    if (e == ERR_OK) e = session_set_helper(inner(s), who);
    if (e == ERR_OK) e = session_analyse(inner(s), lines, c, &n);
    if (e == ERR_OK) {
        json_writer w = json_begin(&t, true);
        session_lines_json(inner(s), c, n, &w);
        e = json_finish(&w);
    }
    free(c);
    return api_text(e, &t, json);
}

int keiko_session_review(keiko_session *s, const char *who, char **json)
{
    text_buf t = {0};
    session_review r = {0};
    err e = session_set_helper(inner(s), who != NULL ? who : session_reviewer(session_game(inner(s))));
    if (e == ERR_OK) e = session_review_run(inner(s), NULL, NULL, &r);
    if (e == ERR_OK) {
        json_writer w = json_begin(&t, true);
        session_review_json(inner(s), &r, &w);
        e = json_finish(&w);
    }
    session_review_free(&r);
    return api_text(e, &t, json);
}

int keiko_session_export(keiko_session *s, const char *format, char **text)
{
    text_buf t = {0};
    err e = err_set(ERR_USAGE, "unknown format '%s'; there are: text, moves, json, sgf, ggf, obf, puyop", format);
    for (int f = FORMAT_AUTO + 1; f < FORMAT_COUNT; f++)
        if (strcmp(session_format_name((session_format)f), format) == 0)
            e = session_export(inner(s), (session_format)f, &t);
    return api_text(e, &t, text);
}
