// Inside a session's texts: one reader and one writer per format. Not for others.
//
// A reader opens the session itself, since only it knows the game and the start. A writer appends.
#ifndef KEIKO_APP_SESSION_FORMATS_H
#define KEIKO_APP_SESSION_FORMATS_H

#include "app/session_inner.h"

err session_read_sgf(session **out, const session_source *from);
err session_write_sgf(session *s, text_buf *t);
err session_read_ggf(session **out, const session_source *from);
err session_write_ggf(session *s, text_buf *t);
err session_read_obf(session **out, const session_source *from);
err session_write_obf(session *s, text_buf *t);
err session_read_puyop(session **out, const session_source *from);
err session_write_puyop(session *s, text_buf *t);

// A game that a text names, or the format implies: the caller's wish must be the same, or there is none.
err session_agree_game(const session_source *from, const char *name, const game **g);
// The moves of the main line in the game's notation, separated by ';'.
void session_write_moves(session *s, text_buf *t);

#endif
