// See status.h.
#include "dist/status.h"

#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(dist_status, field)
// clang-format off
const opt dist_status_opts[] = {
    ROW_TEXT("kind", AT(kind), NULL, "", "worker or learner"),
    ROW_TEXT("name", AT(name), NULL, "", "of the worker, or of the learner's run"),
    ROW_TEXT("host", AT(host), NULL, "", "machine"),
    ROW_TEXT("version", AT(version), NULL, "", "of keiko"),
    ROW_TEXT("run", AT(run), NULL, "", "that it works for"),
    ROW_TEXT("backend", AT(backend), NULL, "", "cpu or cuda"),
    ROW_TEXT("state", AT(state), NULL, "", "what it does"),
    ROW_INT("process", AT(process), NULL, "0", 0, 0, "process number"),
    ROW_INT("threads", AT(threads), NULL, "0", 0, 0, "threads"),
    ROW_INT("generation", AT(generation), NULL, "0", 0, 0, "of the weights"),
    ROW_INT("games", AT(games), NULL, "0", 0, 0, "finished games"),
    ROW_INT("step", AT(step), NULL, "0", 0, 0, "training steps"),
    ROW_NUMBER("games-s", AT(games_s), NULL, "0", 0, 0, "games per second"),
    ROW_NUMBER("positions-s", AT(positions_s), NULL, "0", 0, 0, "positions per second"),
    ROW_NUMBER("sims-s", AT(sims_s), NULL, "0", 0, 0, "simulations per second"),
    ROW_INT("lag", AT(lag), NULL, "0", 0, 0, "games that wait"),
    ROW_INT("stale", AT(stale), NULL, "0", 0, 0, "games too old to learn from"),
    ROW_INT("repeated", AT(repeated), NULL, "0", 0, 0, "messages that came twice"),
    ROW_INT("refused", AT(refused), NULL, "0", 0, 0, "damaged or foreign messages"),
    ROW_INT("positions", AT(positions), NULL, "0", 0, 0, "positions"),
    ROW_INT("workers", AT(workers), NULL, "0", 0, 0, "incarnations of workers so far"),
    ROW_NUMBER("uptime", AT(uptime), NULL, "0", 0, 0, "seconds"),
};
// clang-format on
const int dist_status_n_opts = ROWS(dist_status_opts);

err dist_status_write(const dist_status *s, text_buf *out)
{
    err e = opt_config_print(dist_status_opts, dist_status_n_opts, s, NULL, out);
    return e == ERR_OK ? text_check(out) : e;
}

err dist_status_read(dist_status *s, const char *text, size_t size, opt_values *keep)
{
    memset(s, 0, sizeof *s);
    err e = opt_defaults(dist_status_opts, dist_status_n_opts, s);
    return e == ERR_OK ? opt_config_text(dist_status_opts, dist_status_n_opts, s, "status", text, size, keep) : e;
}

const char *dist_host(char buf[DIST_HOST])
{
    if (gethostname(buf, DIST_HOST) != 0) buf[0] = 0;
    buf[DIST_HOST - 1] = 0;
    if (buf[0] == 0) strcpy(buf, "unknown");
    return buf;
}
