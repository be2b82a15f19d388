// A session driven by words: what the page asks of the server and of the engine in the browser alike.
//
// A call is a verb with named texts; the answer is one JSON object. The server makes calls out of HTTP requests, the browser
// build out of messages to its worker, so that the page speaks one language to both.
//
//   new game [options position seed moves]   load text [game name]      open a game; both take the seats' arguments, too
//   seats [first second firstName secondName helper]                    who plays and what they are called in files
//   state                 play move          look move                  the position; a move; what a move would do
//   back, forward         goto node          line moves                 walk in the tree
//   undo, redo [seat]     promote node       delete node                as a player; change the tree
//   choose [agent]        think              analyse [helper count]     an agent's move; the same, played; its best moves
//   review [helper]       note [node value margin depth nodes mark comment]
//   resign [seat]         export format      swap2 [choices agent]      the opening rule of renju and gomoku
//
// Answers that change the position hold the session (session_json) and the view of its board. Two arguments go with all of
// them: `viewer`, a seat whose knowledge is shown, and `quiet`, which leaves both out. An argument that a verb does not take is
// an error.
#ifndef KEIKO_APP_SESSION_CALL_H
#define KEIKO_APP_SESSION_CALL_H

#include "app/session.h"

typedef struct call_arg {
    const char *key, *value;
} call_arg;

// Who waits for the answer. Everything may be NULL.
typedef struct call_host {
    bool (*each)(void *ctx, int done, int all); // progress of a review; false ends it
    void *ctx;
    bool later; // open agents when they are first asked, not when they sit down
} call_host;

// "new" and "load" open *s, in the place of what was there; every other verb needs one. On an error *s is as before and
// nothing is appended to `out`.
const char *session_call_verb(int i); // all of them, in no order; NULL behind the last
// Is `key` one of `keys`, which blanks separate? ERR_USAGE with a sentence that names both.
err session_call_keys(const char *keys, const char *key);
err session_call(session **s, const char *verb, const call_arg *args, int n, const call_host *host, text_buf *out);

#endif
