// Lines from people: libedit on a terminal, plain reading elsewhere. See line.h.
//
// libedit does the editing. Ours are the bytes it reads (so that a stop signal and ctrl-c end the line), completion, and the
// way back from raw mode: libedit's own signal handling would signal the whole process group.
#define _XOPEN_SOURCE 700 // sigaction, termios, uselocale
#include "cli/line.h"

#include "base/memory.h"
#include "base/stop.h"
#include "base/term.h"
#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef KEIKO_LIBEDIT
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>
#endif

struct line_words {
    char **items;
    int n, cap;
    const char *begin; // only words that begin so
    size_t begin_n;
    bool failed;
};

struct line_editor {
    FILE *in, *out;
    line_complete_fn *complete;
    void *complete_ctx;
    text_buf text; // the line handed out
    const char *prompt;
#ifdef KEIKO_LIBEDIT
    EditLine *el; // made when a terminal is first read
    History *history;
    locale_t locale; // with UTF-8, whatever the environment says
    bool stopped;    // by ctrl-c or a stop signal
    int pushed;      // a byte read too far, plus one; 0 = none
#endif
};

// --- completion

void line_offer(line_words *w, const char *word)
{
    if (strncmp(word, w->begin, w->begin_n) != 0 || w->failed) return;
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->items[i], word) == 0) return;
    if (!GROW(w->items, w->n, w->cap)) {
        w->failed = true;
        return;
    }
    w->items[w->n] = strdup(word);
    if (w->items[w->n] == NULL)
        w->failed = true;
    else
        w->n++;
}

void line_set_completion(line_editor *e, line_complete_fn *fn, void *ctx)
{
    e->complete = fn;
    e->complete_ctx = ctx;
}

#ifdef KEIKO_LIBEDIT

enum { HISTORY = 500, BYTE_MS = 50, LOOK_MS = 200 };

// All words under the line, in columns.
static void list_words(line_editor *e, const line_words *w)
{
    int widest = 0;
    for (int i = 0; i < w->n; i++) {
        int n = text_columns(w->items[i], strlen(w->items[i]));
        if (n > widest) widest = n;
    }
    int columns = term_width(e->out) / (widest + 2);
    if (columns < 1) columns = 1;
    text_buf t = {0};
    for (int i = 0; i < w->n; i++) {
        if (i % columns == 0) text_char(&t, '\n');
        text_append(&t, w->items[i]);
        if (i % columns != columns - 1)
            text_repeat(&t, ' ', widest + 2 - text_columns(w->items[i], strlen(w->items[i])));
    }
    text_char(&t, '\n');
    fwrite(text_str(&t), 1, t.len, e->out);
    fflush(e->out);
    text_free(&t);
}

// What all words have in common, whole characters only.
static size_t common_part(const line_words *w)
{
    size_t same = strlen(w->items[0]);
    for (int i = 1; i < w->n; i++) {
        size_t k = 0;
        while (k < same && w->items[i][k] == w->items[0][k]) k++;
        same = k;
    }
    while (same > 0 && ((unsigned char)w->items[0][same] & 0xc0) == 0x80) same--;
    return same;
}

static line_editor *editor_of(EditLine *el)
{
    void *e = NULL;
    el_get(el, EL_CLIENTDATA, &e);
    return e;
}

static unsigned char tab_key(EditLine *el, int key)
{
    (void)key;
    line_editor *e = editor_of(el);
    unsigned char then = CC_NORM;
    if (e->complete == NULL) return then;
    const LineInfo *now = el_line(el);
    size_t cursor = (size_t)(now->cursor - now->buffer), start = cursor;
    text_buf line = {0}, more = {0};
    text_append_n(&line, now->buffer, (size_t)(now->lastchar - now->buffer));
    const char *s = text_str(&line);
    while (start > 0 && s[start - 1] != ' ') start--;
    line_words w = {.begin = s + start, .begin_n = cursor - start};
    e->complete(e->complete_ctx, s, start, cursor, &w);
    if (w.n > 0) {
        size_t same = common_part(&w);
        if (same > w.begin_n) text_append_n(&more, w.items[0] + w.begin_n, same - w.begin_n);
        if (w.n == 1) text_char(&more, ' ');
        if (more.len > 0) {
            el_insertstr(el, text_str(&more));
            then = CC_REFRESH;
        } else {
            list_words(e, &w);
            then = CC_REDISPLAY;
        }
    }
    for (int i = 0; i < w.n; i++) free(w.items[i]);
    free(w.items);
    text_free(&more);
    text_free(&line);
    return then;
}

// --- raw mode's way back

static struct termios cooked;
static volatile sig_atomic_t is_raw;
static int raw_fd = -1;
static const int fatal[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { FATALS = sizeof fatal / sizeof *fatal };
static struct sigaction before[FATALS];
static bool replaced[FATALS];

static void cook(void)
{
    if (!is_raw) return;
    is_raw = 0;
    tcsetattr(raw_fd, TCSADRAIN, &cooked);
}

// Signals that would end the program with the terminal still raw: put it back, then let them do their work.
static void on_fatal(int sig)
{
    cook();
    signal(sig, SIG_DFL);
    raise(sig);
}

static bool guard(int fd)
{
    if (tcgetattr(fd, &cooked) != 0) return false;
    static bool registered;
    if (!registered) registered = atexit(cook) == 0;
    stop_before_exit(cook);
    raw_fd = fd;
    is_raw = 1;
    for (int i = 0; i < FATALS; i++) {
        struct sigaction a = {.sa_handler = on_fatal};
        sigemptyset(&a.sa_mask);
        replaced[i] = sigaction(fatal[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL &&
                      sigaction(fatal[i], &a, NULL) == 0;
    }
    return true;
}

static void unguard(void)
{
    for (int i = 0; i < FATALS; i++)
        if (replaced[i]) sigaction(fatal[i], &before[i], NULL);
    cook();
    stop_before_exit(NULL);
}

static unsigned char suspend_key(EditLine *el, int key)
{
    (void)key;
    el_set(el, EL_PREP_TERM, 0);
    fputs("\r\n", editor_of(el)->out);
    fflush(editor_of(el)->out);
    raise(SIGTSTP); // returns when the shell brings us back
    el_set(el, EL_PREP_TERM, 1);
    el_resize(el);
    return CC_REDISPLAY;
}

// --- keys

enum { NO_BYTE = -1, LATE = -2 };

// The next byte. NO_BYTE when the terminal is gone or a stop was requested; LATE when none came within `ms` (-1: for ever).
static int read_byte(line_editor *e, int ms)
{
    if (e->pushed != 0) {
        int c = e->pushed - 1;
        e->pushed = 0;
        return c;
    }
    for (;;) {
        if (stop_requested()) {
            e->stopped = true;
            return NO_BYTE;
        }
        struct pollfd p = {.fd = fileno(e->in), .events = POLLIN};
        int ready = poll(&p, 1, ms < 0 ? LOOK_MS : ms); // a signal just before it is seen after LOOK_MS
        if (ready == 0 && ms >= 0) return LATE;
        if (ready <= 0) continue;
        unsigned char c;
        ssize_t n = read(fileno(e->in), &c, 1);
        if (n == 1) return c;
        if (n == 0 || (errno != EINTR && errno != EAGAIN)) return NO_BYTE;
    }
}

// One character for libedit; malformed UTF-8 is dropped. 0 ends the reading.
static int read_character(EditLine *el, wchar_t *out)
{
    enum { CTRL_C = 3 };
    line_editor *e = editor_of(el);
    for (;;) {
        int c = read_byte(e, -1);
        if (c == CTRL_C) e->stopped = true;
        if (c < 0 || c == CTRL_C) return 0;
        char buf[4] = {(char)c};
        size_t n = 1, want = c >= 0xf8 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        while (n < want) {
            int b = read_byte(e, BYTE_MS);
            if (b < 0) break;
            if ((b & 0xc0) != 0x80) { // the character was cut short; this is the next one
                e->pushed = b + 1;
                break;
            }
            buf[n++] = (char)b;
        }
        uint32_t code;
        if (n < want || (n == 1 && c >= 0x80) || text_utf8_next(buf, n, &code) != n) continue;
        *out = (wchar_t)code;
        return 1;
    }
}

// --- the editor

static char *prompt_of(EditLine *el)
{
    return (char *)editor_of(el)->prompt;
}

static const char *const keys[][2] = {
    {"\\t", "keiko-complete"},   {"^Z", "keiko-suspend"},       {"^R", "em-inc-search-prev"},
    {"^U", "vi-kill-line-prev"}, {"^W", "ed-delete-prev-word"}, {"^[[3~", "ed-delete-next-char"},
    {"^[[H", "ed-move-to-beg"},  {"^[[F", "ed-move-to-end"},    {"^[OH", "ed-move-to-beg"},
    {"^[OF", "ed-move-to-end"},  {"^[[1~", "ed-move-to-beg"},   {"^[[4~", "ed-move-to-end"},
    {"^[[1;5D", "ed-prev-word"}, {"^[[1;5C", "em-next-word"},   {"^[[A", "ed-prev-history"},
    {"^[[B", "ed-next-history"}, {"^[[C", "ed-next-char"},      {"^[[D", "ed-prev-char"},
};

static bool start(line_editor *e)
{
    e->el = el_init("keiko", e->in, e->out, stderr);
    if (e->el == NULL) return false;
    el_set(e->el, EL_CLIENTDATA, e);
    el_set(e->el, EL_EDITOR, "emacs");
    el_set(e->el, EL_SIGNAL, 0);
    el_set(e->el, EL_PROMPT, prompt_of);
    el_set(e->el, EL_HIST, history, e->history);
    el_set(e->el, EL_GETCFN, read_character);
    el_wset(e->el, EL_ADDFN, L"keiko-complete", L"complete the word", tab_key); // el_set would leak the texts
    el_wset(e->el, EL_ADDFN, L"keiko-suspend", L"stop until the shell continues us", suspend_key);
    el_set(e->el, EL_SETTY, "-d", "-isig", "-ixon", NULL); // ctrl-c, ctrl-z and ctrl-s are keys
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) el_set(e->el, EL_BIND, keys[i][0], keys[i][1], NULL);
    return true;
}

static err read_terminal(line_editor *e)
{
    int n = 0;
    e->stopped = false;
    e->pushed = 0;
    el_resize(e->el);               // it may have changed since
    el_set(e->el, EL_PREP_TERM, 1); // raw before the prompt is seen: no key is lost in between
    const char *s = el_gets(e->el, &n);
    if (s == NULL || n <= 0) {
        fputs(e->stopped ? "^C\n" : "\n", e->out);
        fflush(e->out);
        return e->stopped ? err_set(ERR_STOPPED, "interrupted") : err_set(ERR_MISSING, "end of input");
    }
    size_t len = strlen(s);
    while (len > 0 && (s[len - 1] == '\n' || s[len - 1] == '\r')) len--;
    if (len > LINE_MOST) return err_set(ERR_LIMIT, "a line of more than %d bytes", (int)LINE_MOST);
    text_append_n(&e->text, s, len);
    return text_check(&e->text);
}

// False where libedit cannot be used: a dumb terminal, or no memory.
static bool edit(line_editor *e, err *result)
{
    const char *term = getenv("TERM");
    if (!term_is(e->in) || term == NULL || *term == 0 || strcmp(term, "dumb") == 0) return false;
    if (!guard(fileno(e->in))) return false;
    locale_t old = uselocale(e->locale);
    bool ready = e->el != NULL || start(e);
    if (ready) *result = read_terminal(e);
    uselocale(old);
    unguard();
    return ready;
}

#endif

// --- plain lines

static err read_plain(line_editor *e)
{
    if (term_is(e->in) && term_is(e->out)) {
        fputs(e->prompt, e->out);
        fflush(e->out);
    }
    for (;;) {
        errno = 0;
        int c = getc(e->in);
        if (c == EOF && ferror(e->in) && errno == EINTR) {
            clearerr(e->in);
            if (stop_requested()) return err_set(ERR_STOPPED, "interrupted");
            continue;
        }
        if (c == EOF && e->text.len == 0) return err_set(ERR_MISSING, "end of input");
        if (c == EOF || c == '\n') break;
        if (e->text.len <= LINE_MOST) text_char(&e->text, (char)c); // the rest of a longer line is read and dropped
    }
    if (e->text.len > LINE_MOST) return err_set(ERR_LIMIT, "a line of more than %d bytes", (int)LINE_MOST);
    if (e->text.len > 0 && e->text.data[e->text.len - 1] == '\r') text_truncate(&e->text, e->text.len - 1);
    return text_check(&e->text);
}

err line_read(line_editor *e, const char *prompt, const char **text)
{
    err result = ERR_OK;
    bool edited = false;
    text_clear(&e->text);
    e->prompt = prompt;
#ifdef KEIKO_LIBEDIT
    edited = term_is(e->out) && edit(e, &result);
#endif
    if (!edited) result = read_plain(e);
    if (result == ERR_OK) *text = text_str(&e->text);
    return result;
}

// --- one editor

line_editor *line_new(FILE *in, FILE *out)
{
    line_editor *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->in = in;
    e->out = out;
#ifdef KEIKO_LIBEDIT
    HistEvent ev;
    e->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (e->locale == (locale_t)0) e->locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    e->history = history_init();
    if (e->locale == (locale_t)0 || e->history == NULL) {
        line_free(e);
        return NULL;
    }
    history(e->history, &ev, H_SETSIZE, HISTORY);
    history(e->history, &ev, H_SETUNIQUE, 1);
#endif
    return e;
}

void line_free(line_editor *e)
{
    if (e == NULL) return;
#ifdef KEIKO_LIBEDIT
    if (e->el != NULL) el_end(e->el);
    if (e->history != NULL) history_end(e->history);
    if (e->locale != (locale_t)0) freelocale(e->locale);
#endif
    text_free(&e->text);
    free(e);
}

void line_remember(line_editor *e, const char *text)
{
#ifdef KEIKO_LIBEDIT
    HistEvent ev;
    if (text[0] != 0) history(e->history, &ev, H_ENTER, text);
#else
    (void)e;
    (void)text;
#endif
}
