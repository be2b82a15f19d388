// See bus.h: connection, streams, table and plain messages over NATS. bus_nats_read.c has readers and jobs.
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "dist/bus_inner.h"
#include "dist/timed_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bus_built(void)
{
    return true;
}

// "cannot …: what the server or the library said"
err bus_fail(const bus *b, natsStatus s, jsErrCode code, const char *fmt, ...)
{
    char what[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    natsStatus last = NATS_OK;
    const char *why = nats_GetLastError(&last);
    if (last != s || why == NULL || *why == 0) why = natsStatus_GetText(s);
    const char *place = why[0] == '(' ? strstr(why, "): ") : NULL; // "(conn.c:2088): " is of the library's source
    if (place != NULL) why = place + 3;
    if (s == NATS_NO_SERVER) why = "no NATS server answers there";
    err kind = s == NATS_NO_MEMORY ? ERR_MEMORY : s == NATS_TIMEOUT ? ERR_STOPPED : ERR_IO;
    if (code == JSNotEnabledErr || code == JSNotEnabledForAccountErr)
        return err_set(ERR_MISSING, "%s has no JetStream: start it with nats-server --jetstream", b->url);
    if (code == JSStorageResourcesExceededErr || code == JSInsufficientResourcesErr)
        return err_set(
            ERR_LIMIT,
            "%s (%s): it has not that much room; raise max_file_store there, or ask for less (--backlog-mib)", what,
            b->url);
    if (s == NATS_NO_RESPONDERS) why = "nobody answers there; is JetStream on (nats-server --jetstream)?";
    if (s == NATS_TIMEOUT) why = "no answer in time";
    return err_set(kind, "%s (%s): %s", what, b->url, why);
}

// --- the connection

static void reconnected(natsConnection *nc, void *closure)
{
    bus *b = closure;
    (void)nc;
    atomic_fetch_add(&b->reconnects, 1);
}

static void nothing(natsConnection *nc, natsSubscription *sub, natsStatus s, void *closure)
{
    (void)nc, (void)sub, (void)s, (void)closure; // without a handler the library prints to stderr
}

// A URL for people: what stands before '@' may be a secret.
static void hide_secrets(char out[BUS_TEXT], const char *url)
{
    const char *scheme = strstr(url, "://"), *at = strrchr(url, '@');
    if (at == NULL)
        snprintf(out, BUS_TEXT, "%.*s", BUS_TEXT - 1, url);
    else
        snprintf(out, BUS_TEXT, "%.*s%.100s", scheme != NULL ? (int)(scheme - url + 3) : 0, url, at + 1);
}

static err read_url(const char *url, char *out, size_t n)
{
    char *text = NULL;
    if (*url != '@') {
        if (strlen(url) >= n) return err_set(ERR_LIMIT, "--nats: the URL is too long");
        snprintf(out, n, "%s", url);
        return ERR_OK;
    }
    err e = file_read(url + 1, 1 << 16, &text, NULL);
    if (e != ERR_OK) return err_prefix(e, "--nats");
    text[strcspn(text, "\r\n")] = 0;
    snprintf(out, n, "%s", text);
    free(text);
    return *out != 0 ? ERR_OK : err_set(ERR_PARSE, "--nats: the first line of %s is empty", url + 1);
}

// The public key: a word that begins with 'U' and has 56 characters.
static err nkey_public(const char *file, char key[64])
{
    char *text = NULL;
    err e = file_read(file, 1 << 16, &text, NULL);
    if (e != ERR_OK) return err_prefix(e, "--nats-nkey");
    *key = 0;
    for (char *rest = NULL, *word = strtok_r(text, " \t\r\n#", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n#", &rest))
        if (word[0] == 'U' && strlen(word) == 56) strcpy(key, word);
    free(text);
    if (*key != 0) return ERR_OK;
    return err_set(ERR_PARSE, "--nats-nkey %s: no public key in it; add a line with it (U…, 56 characters)", file);
}

static bool given(const char *s)
{
    return s != NULL && *s != 0;
}

static natsStatus set_servers(natsOptions *o, char *urls)
{
    const char *one[16];
    int n = 0;
    char *rest = NULL;
    for (char *u = strtok_r(urls, ", ", &rest); u != NULL && n < 16; u = strtok_r(NULL, ", ", &rest)) one[n++] = u;
    return natsOptions_SetServers(o, one, n);
}

static natsStatus set_security(natsOptions *o, const bus_options *w, const char *nkey)
{
    natsStatus s = NATS_OK;
    if (given(w->creds)) s = natsOptions_SetUserCredentialsFromFiles(o, w->creds, NULL);
    if (s == NATS_OK && given(w->nkey)) s = natsOptions_SetNKeyFromSeed(o, nkey, w->nkey);
    if (s == NATS_OK && (given(w->ca) || given(w->cert))) s = natsOptions_SetSecure(o, true);
    if (s == NATS_OK && given(w->ca)) s = natsOptions_LoadCATrustedCertificates(o, w->ca);
    if (s == NATS_OK && given(w->cert)) s = natsOptions_LoadCertificatesChain(o, w->cert, w->key);
    return s;
}

static err make_options(natsOptions **out, const bus_options *w, const char *name, bus *b)
{
    char urls[1024], nkey[64] = "";
    err e = read_url(w->url, urls, sizeof urls);
    if (e == ERR_OK && given(w->nkey)) e = nkey_public(w->nkey, nkey);
    if (e == ERR_OK && given(w->cert) != given(w->key))
        e = err_set(ERR_USAGE, "--nats-cert and --nats-key belong together: give both");
    if (e != ERR_OK) return e;
    hide_secrets(b->url, urls);
    bool tls = strncmp(urls, "tls://", 6) == 0;
    natsOptions *o = NULL;
    natsStatus s = natsOptions_Create(&o);
    if (s == NATS_OK) s = set_servers(o, urls);
    if (s == NATS_OK) s = natsOptions_SetName(o, name);
    if (s == NATS_OK) s = natsOptions_SetTimeout(o, 5000);
    // A lost peer shows after a quarter of a minute. Jitter: a thousand workers must not come back in one moment.
    if (s == NATS_OK) s = natsOptions_SetPingInterval(o, 5000);
    if (s == NATS_OK) s = natsOptions_SetMaxPingsOut(o, 2);
    if (s == NATS_OK) s = natsOptions_SetMaxReconnect(o, -1);
    if (s == NATS_OK) s = natsOptions_SetReconnectWait(o, 250);
    if (s == NATS_OK) s = natsOptions_SetReconnectJitter(o, 500, 1000);
    if (s == NATS_OK) s = natsOptions_SetWriteDeadline(o, 20000);
    if (s == NATS_OK) s = natsOptions_SetReconnectedCB(o, reconnected, b);
    if (s == NATS_OK) s = natsOptions_SetErrorHandler(o, nothing, NULL);
    if (s == NATS_OK && tls) s = natsOptions_SetSecure(o, true);
    if (s == NATS_OK) s = set_security(o, w, nkey);
    if (s != NATS_OK) {
        e = bus_fail(b, s, 0, "cannot use these NATS options");
        natsOptions_Destroy(o);
        return e;
    }
    *out = o;
    return ERR_OK;
}

static bool hopeless(natsStatus s)
{
    return s == NATS_CONNECTION_AUTH_FAILED || s == NATS_NOT_PERMITTED || s == NATS_SSL_ERROR ||
           s == NATS_SECURE_CONNECTION_WANTED || s == NATS_SECURE_CONNECTION_REQUIRED || s == NATS_INVALID_ARG ||
           s == NATS_ADDRESS_MISSING || s == NATS_NO_MEMORY;
}

// The pause grows to about a second. False: `p` has lost patience, or there was none.
static bool pause(const bus_patience *p, double begun, double *wait)
{
    if (p == NULL || p->wait == NULL || !p->wait(p->ctx, err_text(), clock_seconds() - begun)) return false;
    clock_sleep(*wait);
    *wait = *wait < 0.6 ? 1.7 * *wait : 1;
    return true;
}

static err connect_to(bus *b, natsOptions *o, const bus_patience *p)
{
    double begun = clock_seconds(), wait = 0.1;
    for (;;) {
        natsStatus s = natsConnection_Connect(&b->nc, o);
        if (s == NATS_OK) return ERR_OK;
        err e = s == NATS_CONNECTION_AUTH_FAILED
                    ? err_set(ERR_USAGE, "%s refuses these credentials; see --nats-creds and --nats-nkey", b->url)
                    : bus_fail(b, s, 0, "cannot connect");
        if (hopeless(s) || !pause(p, begun, &wait)) return e;
    }
}

// The table of a cluster is made by whoever comes first, with one replica; the learner may want more.
static err replicate_table(bus *b, int replicas)
{
    jsStreamInfo *is = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&is, b->js, "KV_" BUS_TABLE, NULL, &code);
    if (s == NATS_OK && is->Config->Replicas < replicas) {
        is->Config->Replicas = replicas;
        s = js_UpdateStream(NULL, b->js, is->Config, NULL, &code);
    }
    jsStreamInfo_Destroy(is);
    return s == NATS_OK ? ERR_OK : bus_fail(b, s, code, "cannot keep %d replicas of the table of runs", replicas);
}

err bus_table_make(bus *b, int replicas)
{
    kvStore *kv = NULL;
    natsStatus s = js_KeyValue(&kv, b->js, BUS_TABLE);
    if (s == NATS_NOT_FOUND) {
        kvConfig c;
        kvConfig_Init(&c);
        c.Bucket = BUS_TABLE;
        c.History = 1;
        s = js_CreateKeyValue(&kv, b->js, &c);
        if (s != NATS_OK) s = js_KeyValue(&kv, b->js, BUS_TABLE); // somebody was faster
    }
    if (s != NATS_OK) return bus_fail(b, s, 0, "cannot open the table of runs");
    if (b->kv == NULL)
        b->kv = kv; // it is only a name: the first one serves for ever
    else
        kvStore_Destroy(kv);
    return replicas > 1 ? replicate_table(b, replicas) : ERR_OK;
}

err bus_open(bus **out, const bus_options *o, const char *name, const bus_patience *p)
{
    if (!given(o->url)) return err_set(ERR_USAGE, "--nats needs the server's URL, as nats://127.0.0.1:4222");
    bus *b = calloc(1, sizeof *b);
    if (b == NULL) return err_set(ERR_MEMORY, "no memory for a connection");
    natsOptions *no = NULL;
    jsOptions jo;
    jsOptions_Init(&jo);
    jo.Wait = BUS_WAIT_MS;
    err e = make_options(&no, o, name, b);
    if (e == ERR_OK) e = connect_to(b, no, p);
    natsOptions_Destroy(no);
    if (e == ERR_OK && natsConnection_JetStream(&b->js, b->nc, &jo) != NATS_OK)
        e = err_set(ERR_MEMORY, "no memory for a connection");
    double begun = clock_seconds(), wait = 0.1;
    while (e == ERR_OK && (e = bus_table_make(b, 1)) != ERR_OK && e != ERR_MISSING && pause(p, begun, &wait))
        e = ERR_OK;
    return HAND_OVER(e, out, b, bus_close);
}

static void end(void *arg)
{
    bus *b = arg;
    kvStore_Destroy(b->kv);
    jsCtx_Destroy(b->js);
    natsConnection_Destroy(b->nc);
    free(b);
}

void bus_close(bus *b)
{
    if (b != NULL && !timed_call_run(end, b, BUS_CLOSE))
        log_warn("the connection to NATS did not close in time; going on without");
}

bool bus_connected(bus *b)
{
    return natsConnection_Status(b->nc) == NATS_CONN_STATUS_CONNECTED;
}

uint64_t bus_reconnects(bus *b)
{
    return atomic_load(&b->reconnects);
}

// --- streams

static err update_stream(bus *b, jsStreamConfig *c)
{
    jsStreamInfo *is = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&is, b->js, c->Name, NULL, &code);
    if (s != NATS_OK) return bus_fail(b, s, code, "cannot look at stream %s", c->Name);
    bool same = is->Config->MaxBytes == c->MaxBytes && is->Config->MaxMsgs == c->MaxMsgs &&
                is->Config->MaxAge == c->MaxAge && is->Config->Replicas == c->Replicas;
    bool ours = is->Config->SubjectsLen == 1 && strcmp(is->Config->Subjects[0], c->Subjects[0]) == 0;
    jsStreamInfo_Destroy(is);
    if (!ours) return err_set(ERR_USAGE, "stream %s exists, but for other subjects than %s", c->Name, c->Subjects[0]);
    if (same) return ERR_OK;
    s = js_UpdateStream(NULL, b->js, c, NULL, &code);
    return s == NATS_OK ? ERR_OK : bus_fail(b, s, code, "cannot change the limits of stream %s", c->Name);
}

err bus_stream_make(bus *b, const bus_stream *w)
{
    jsStreamConfig c;
    jsErrCode code = 0;
    const char *subjects[1] = {w->subject};
    jsStreamConfig_Init(&c);
    c.Name = w->name;
    c.Subjects = subjects;
    c.SubjectsLen = 1;
    c.Retention = w->queue ? js_WorkQueuePolicy : js_LimitsPolicy;
    c.Discard = js_DiscardNew;
    c.Storage = js_FileStorage;
    c.MaxBytes = w->max_bytes > 0 ? w->max_bytes : -1;
    c.MaxMsgs = w->max_messages > 0 ? w->max_messages : -1;
    c.MaxAge = (int64_t)(w->max_age * 1e9);
    c.Replicas = w->replicas > 0 ? w->replicas : 1;
    c.AllowDirect = w->direct;
    natsStatus s = js_AddStream(NULL, b->js, &c, NULL, &code);
    if (s == NATS_OK) return ERR_OK;
    if (code == JSStreamNameExistErr) return update_stream(b, &c);
    return bus_fail(b, s, code, "cannot make stream %s", w->name);
}

err bus_stream_look(bus *b, const char *name, bus_stream_state *out)
{
    jsStreamInfo *is = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&is, b->js, name, NULL, &code);
    if (code == JSStreamNotFoundErr) return err_set(ERR_MISSING, "there is no stream %s on %s", name, b->url);
    if (s != NATS_OK) return bus_fail(b, s, code, "cannot look at stream %s", name);
    *out = (bus_stream_state){.first = is->State.FirstSeq,
                              .last = is->State.LastSeq,
                              .messages = is->State.Msgs,
                              .bytes = is->State.Bytes,
                              .max_bytes = is->Config->MaxBytes > 0 ? (uint64_t)is->Config->MaxBytes : 0,
                              .created = is->Created};
    jsStreamInfo_Destroy(is);
    return ERR_OK;
}

err bus_stream_remove(bus *b, const char *name)
{
    jsErrCode code = 0;
    natsStatus s = js_DeleteStream(b->js, name, NULL, &code);
    if (s == NATS_OK || code == JSStreamNotFoundErr) return ERR_OK;
    return bus_fail(b, s, code, "cannot remove stream %s", name);
}

err bus_stream_purge(bus *b, const char *name, const char *subject, uint64_t below)
{
    jsOptions o;
    jsErrCode code = 0;
    jsOptions_Init(&o);
    o.Wait = BUS_WAIT_MS;
    o.Stream.Purge.Subject = subject;
    o.Stream.Purge.Sequence = below;
    natsStatus s = js_PurgeStream(b->js, name, &o, &code);
    return s == NATS_OK ? ERR_OK : bus_fail(b, s, code, "cannot clear stream %s", name);
}

err bus_stream_trim(bus *b, const char *name, uint64_t last)
{
    bus_stream_state st = {0};
    char subject[2 * BUS_TEXT], body[80], inbox[40];
    static _Atomic uint32_t number; // nobody listens to the answers
    snprintf(subject, sizeof subject, "$JS.API.STREAM.MSG.DELETE.%s", name);
    snprintf(inbox, sizeof inbox, "_INBOX.keiko.%u", (unsigned)atomic_fetch_add(&number, 1));
    err e = bus_stream_look(b, name, &st);
    for (uint64_t i = st.first; e == ERR_OK && i <= last && st.messages > 0; i++) {
        int n = snprintf(body, sizeof body, "{\"seq\":%llu,\"no_erase\":true}", (unsigned long long)i);
        natsStatus s = natsConnection_PublishRequest(b->nc, subject, inbox, body, n);
        if (s != NATS_OK) e = bus_fail(b, s, 0, "cannot clear stream %s", name);
    }
    return e;
}

err bus_last(bus *b, const char *stream, const char *subject, text_buf *out, bool *found)
{
    natsMsg *m = NULL;
    jsDirectGetMsgOptions o;
    jsDirectGetMsgOptions_Init(&o);
    o.LastBySubject = subject;
    natsStatus s = js_DirectGetMsg(&m, b->js, stream, NULL, &o);
    *found = s == NATS_OK;
    if (s == NATS_NOT_FOUND) return ERR_OK;
    if (s != NATS_OK) return bus_fail(b, s, 0, "cannot read %s", subject);
    text_append_n(out, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m));
    natsMsg_Destroy(m);
    return text_check(out);
}

static err put_once(bus *b, const char *subject, const char *id, const void *data, size_t size, bool *final)
{
    jsPubOptions o;
    jsErrCode code = 0;
    jsPubOptions_Init(&o);
    o.MaxWait = BUS_WAIT_MS;
    o.MsgId = id;
    *final = false;
    if (natsConnection_Status(b->nc) == NATS_CONN_STATUS_CLOSED) {
        *final = true;
        return err_set(ERR_IO, "the connection to %s was closed", b->url);
    }
    // While it is away, the library would keep the message and send it later, besides our own attempts.
    if (!bus_connected(b)) return err_set(ERR_IO, "the connection to %s is lost", b->url);
    natsStatus s = js_Publish(NULL, b->js, subject, data, (int)size, &o, &code);
    if (s == NATS_OK) return ERR_OK;
    *final = s == NATS_MAX_PAYLOAD || code == JSStreamMessageExceedsMaximumErr || s == NATS_NO_MEMORY ||
             s == NATS_INVALID_SUBJECT;
    if (s == NATS_MAX_PAYLOAD)
        return err_set(ERR_LIMIT, "a message of %zu bytes is larger than %s accepts (max_payload in its configuration)",
                       size, b->url);
    if (s == NATS_NO_RESPONDERS) return err_set(ERR_MISSING, "no stream on %s takes messages for %s", b->url, subject);
    const char *why = nats_GetLastError(NULL);
    if (code == JSStreamStoreFailedErr && why != NULL && strstr(why, "maximum") != NULL)
        return err_set(ERR_LIMIT, "the stream for %s is full: the learner is slower than its workers, or away",
                       subject);
    return bus_fail(b, s, code, "cannot store a message for %s", subject);
}

err bus_put(bus *b, const char *subject, const char *id, const void *data, size_t size, const bus_patience *p)
{
    double begun = clock_seconds(), wait = 0.02;
    bool final;
    err e;
    do e = put_once(b, subject, id, data, size, &final);
    while (e != ERR_OK && !final && pause(p, begun, &wait));
    return e;
}

void bus_message_of(bus_message *m, natsMsg *msg, uint64_t sequence)
{
    *m = (bus_message){.subject = natsMsg_GetSubject(msg),
                       .data = natsMsg_GetData(msg),
                       .size = (size_t)natsMsg_GetDataLength(msg),
                       .sequence = sequence,
                       .inner = msg};
}

void bus_message_free(bus_message *m)
{
    natsMsg_Destroy(m->inner);
    *m = (bus_message){0};
}

// --- the table

err bus_table_put(bus *b, const char *key, const char *value, size_t size, const bus_patience *p)
{
    double begun = clock_seconds(), wait = 0.05;
    err e;
    do {
        natsStatus s = kvStore_Put(NULL, b->kv, key, value, (int)size);
        e = s == NATS_OK ? ERR_OK : bus_fail(b, s, 0, "cannot write %s", key);
    } while (e != ERR_OK && pause(p, begun, &wait));
    return e;
}

err bus_table_get(bus *b, const char *key, text_buf *out, bool *found)
{
    kvEntry *entry = NULL;
    natsStatus s = kvStore_Get(&entry, b->kv, key);
    *found = s == NATS_OK;
    if (s == NATS_NOT_FOUND) return ERR_OK;
    if (s != NATS_OK) return bus_fail(b, s, 0, "cannot read %s", key);
    text_append_n(out, kvEntry_Value(entry), (size_t)kvEntry_ValueLen(entry));
    kvEntry_Destroy(entry);
    return text_check(out);
}

err bus_table_keys(bus *b, const char *prefix, char ***keys, int *n)
{
    kvKeysList list = {0};
    natsStatus s = kvStore_Keys(&list, b->kv, NULL);
    *keys = NULL;
    *n = 0;
    if (s != NATS_OK && s != NATS_NOT_FOUND) return bus_fail(b, s, 0, "cannot list the runs");
    char **out = calloc((size_t)list.Count + 1, sizeof *out);
    for (int i = 0; out != NULL && i < list.Count; i++)
        if (strncmp(list.Keys[i], prefix, strlen(prefix)) == 0 && (out[*n] = strdup(list.Keys[i])) != NULL) ++*n;
    kvKeysList_Destroy(&list);
    if (out == NULL) return err_set(ERR_MEMORY, "no memory for a list");
    *keys = out;
    return ERR_OK;
}

void bus_table_keys_free(char **keys, int n)
{
    for (int i = 0; i < n; i++) free(keys[i]);
    free(keys);
}

err bus_table_remove(bus *b, const char *key)
{
    natsStatus s = kvStore_Purge(b->kv, key, NULL);
    return s == NATS_OK || s == NATS_NOT_FOUND ? ERR_OK : bus_fail(b, s, 0, "cannot remove %s", key);
}

// --- plain messages

err bus_say(bus *b, const char *subject, const char *text)
{
    if (!bus_connected(b)) return err_set(ERR_IO, "the connection to %s is lost", b->url);
    natsStatus s = natsConnection_PublishString(b->nc, subject, text);
    return s == NATS_OK ? ERR_OK : bus_fail(b, s, 0, "cannot send to %s", subject);
}

struct bus_ear {
    natsSubscription *sub;
};

err bus_listen(bus_ear **out, bus *b, const char *subject)
{
    bus_ear *l = calloc(1, sizeof *l);
    if (l == NULL) return err_set(ERR_MEMORY, "no memory to listen");
    natsStatus s = natsConnection_SubscribeSync(&l->sub, b->nc, subject);
    if (s != NATS_OK) {
        free(l);
        return bus_fail(b, s, 0, "cannot listen to %s", subject);
    }
    (void)natsConnection_FlushTimeout(b->nc, BUS_WAIT_MS);
    *out = l;
    return ERR_OK;
}

err bus_hear(bus_ear *l, double wait, bus_message *m, bool *got)
{
    natsMsg *msg = NULL;
    natsStatus s = natsSubscription_NextMsg(&msg, l->sub, wait > 0.001 ? (int64_t)(wait * 1000) : 1);
    *got = s == NATS_OK;
    if (*got) bus_message_of(m, msg, 0);
    // A slow listener has lost messages, as plain messages may be.
    if (s == NATS_OK || s == NATS_TIMEOUT || s == NATS_SLOW_CONSUMER) return ERR_OK;
    return err_set(ERR_IO, "cannot listen any more: %s", natsStatus_GetText(s));
}

void bus_ear_close(bus_ear *l)
{
    if (l == NULL) return;
    natsSubscription_Destroy(l->sub);
    free(l);
}
