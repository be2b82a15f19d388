// See bus.h: a build without libnats. Opening says so; nothing else is ever reached.
#include "dist/bus.h"

bool bus_built(void)
{
    return false;
}

static err missing(void)
{
    return err_set(ERR_MISSING, "this keiko was built without NATS (install libnats-dev and build again)");
}

err bus_open(bus **out, const bus_options *o, const char *name, const bus_patience *p)
{
    (void)out, (void)o, (void)name, (void)p;
    return missing();
}

// clang-format off
#define UNUSED2(a, b) (void)a, (void)b
void bus_close(bus *b) { (void)b; }
bool bus_connected(bus *b) { (void)b; return false; }
uint64_t bus_reconnects(bus *b) { (void)b; return 0; }
err bus_stream_make(bus *b, const bus_stream *s) { UNUSED2(b, s); return missing(); }
err bus_stream_look(bus *b, const char *name, bus_stream_state *out) { UNUSED2(b, name); (void)out; return missing(); }
err bus_stream_remove(bus *b, const char *name) { UNUSED2(b, name); return missing(); }
err bus_stream_purge(bus *b, const char *name, const char *subject, uint64_t below) { UNUSED2(b, name); UNUSED2(subject, below); return missing(); }
err bus_stream_trim(bus *b, const char *name, uint64_t last) { UNUSED2(b, name); (void)last; return missing(); }
err bus_last(bus *b, const char *stream, const char *subject, text_buf *out, bool *found) { UNUSED2(b, stream); UNUSED2(subject, out); (void)found; return missing(); }
err bus_put(bus *b, const char *subject, const char *id, const void *data, size_t size, const bus_patience *p) { UNUSED2(b, subject); UNUSED2(id, data); UNUSED2(size, p); return missing(); }
void bus_message_free(bus_message *m) { (void)m; }
err bus_reader_open(bus_reader **out, bus *b, const char *stream, const char *subject, bool whole, uint64_t from) { UNUSED2(out, b); UNUSED2(stream, subject); UNUSED2(whole, from); return missing(); }
void bus_reader_close(bus_reader *r) { (void)r; }
err bus_reader_next(bus_reader *r, double wait, bus_message *m, bool *got) { UNUSED2(r, wait); UNUSED2(m, got); return missing(); }
void bus_reader_seek(bus_reader *r, uint64_t from) { UNUSED2(r, from); }
err bus_table_make(bus *b, int replicas) { UNUSED2(b, replicas); return missing(); }
err bus_table_put(bus *b, const char *key, const char *value, size_t size, const bus_patience *p) { UNUSED2(b, key); UNUSED2(value, p); (void)size; return missing(); }
err bus_table_get(bus *b, const char *key, text_buf *out, bool *found) { UNUSED2(b, key); UNUSED2(out, found); return missing(); }
err bus_table_keys(bus *b, const char *prefix, char ***keys, int *n) { UNUSED2(b, prefix); UNUSED2(keys, n); return missing(); }
void bus_table_keys_free(char **keys, int n) { UNUSED2(keys, n); }
err bus_table_remove(bus *b, const char *key) { UNUSED2(b, key); return missing(); }
err bus_say(bus *b, const char *subject, const char *text) { UNUSED2(b, subject); (void)text; return missing(); }
err bus_listen(bus_ear **out, bus *b, const char *subject) { UNUSED2(out, b); (void)subject; return missing(); }
err bus_hear(bus_ear *l, double wait, bus_message *m, bool *got) { UNUSED2(l, wait); UNUSED2(m, got); return missing(); }
void bus_ear_close(bus_ear *l) { (void)l; }
err bus_jobs_open(bus_jobs **out, bus *b, const char *stream, const char *subject, double at_work) { UNUSED2(out, b); UNUSED2(stream, subject); (void)at_work; return missing(); }
void bus_jobs_close(bus_jobs *j) { (void)j; }
err bus_job_take(bus_jobs *j, double wait, bus_job **out) { UNUSED2(j, wait); (void)out; return missing(); }
const char *bus_job_data(const bus_job *j, size_t *size) { (void)j; *size = 0; return ""; }
void bus_job_at_work(bus_job *j) { (void)j; }
err bus_job_done(bus_job *j) { (void)j; return missing(); }
void bus_job_later(bus_job *j, double wait) { UNUSED2(j, wait); }
void bus_job_drop(bus_job *j) { (void)j; }
// clang-format on
