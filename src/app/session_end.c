// How a game of a session ended. See session.h.
#include "app/session_inner.h"

session_result session_result_of(const session *s)
{
    outcome o = session_outcome(s);
    session_result r = {.loser = SESSION_NONE};
    if (o.over) {
        r.end = END_RULES;
        r.reason = o.reason;
        for (int i = 0; i < 2; i++) r.score[i] = o.score[i];
        if (s->g->n_seats == 2 && o.score[0] != o.score[1]) r.loser = o.score[0] > o.score[1];
    } else if (s->end != END_NONE && s->end_at == s->at) {
        r.end = s->end;
        r.loser = s->loser;
        if (s->g->n_seats == 2)
            for (int i = 0; i < 2; i++) r.score[i] = s->loser == SESSION_NONE ? 0.5f : s->loser == i ? 0.0f : 1.0f;
        else
            r.score[0] = o.score[0];
    }
    return r;
}

static err end_here(session *s, session_end end, int seat)
{
    if (seat < 0 || seat >= s->g->n_seats) return err_set(ERR_USAGE, "there is no seat %d", seat);
    if (session_result_of(s).end != END_NONE) return err_set(ERR_USAGE, "the game is over");
    s->end = end;
    s->end_at = s->at;
    s->loser = seat;
    return ERR_OK;
}

err session_resign(session *s, int seat)
{
    return end_here(s, END_RESIGNED, seat);
}

err session_fail(session *s, int seat)
{
    return end_here(s, END_FAILED, seat);
}

err session_flag(session *s, int seat)
{
    return end_here(s, END_TIME, seat);
}

void session_end_here(session *s, session_end end, int loser)
{
    s->end = end;
    s->end_at = s->at;
    s->loser = loser;
}

void session_forget_end(session *s)
{
    s->end = END_NONE;
    s->end_at = s->loser = SESSION_NONE;
}

const char *session_end_name(session_end e)
{
    static const char *const names[] = {"none", "rules", "resigned", "time", "failed", "record"};
    return e >= END_NONE && e <= END_IMPORTED ? names[e] : "none";
}

void session_result_text(const session *s, text_buf *t)
{
    session_result r = session_result_of(s);
    char name[GAME_SEAT_TEXT];
    const char *how = r.end == END_RULES      ? reason_words(r.reason)
                      : r.end == END_RESIGNED ? "by resignation"
                      : r.end == END_TIME     ? "on time"
                      : r.end == END_FAILED   ? "the other side failed"
                                              : "by the record";
    if (r.end == END_NONE)
        text_append(t, "unfinished");
    else if (s->g->n_seats == 1)
        text_printf(t, "%g points (%s)", (double)r.score[0], how);
    else if (r.loser == SESSION_NONE)
        text_printf(t, "a draw (%s)", how);
    else
        text_printf(t, "%s wins (%s)", game_seat_name(s->g, !r.loser, false, name), how);
}
