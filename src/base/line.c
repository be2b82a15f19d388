// The line editor. See line.h.
//
// The text is one growable UTF-8 buffer with a byte position in it that always lies between characters. Every key changes
// those two and the line is drawn anew: at this size that is instant, and nothing can drift out of step with the screen.
#define _XOPEN_SOURCE 700 // sigaction, termios
#include "base/line.h"

#include "base/stop.h"
#include "base/term.h"
#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { HISTORY = 500, ESCAPE_MS = 50 };

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
    char **history;
    int n_history;
    text_buf text, cut, saved; // saved: the new line, while an old one is looked at
    size_t at;                 // cursor, a byte position in text
    int back;                  // how far back in the history; 0 = the new line
    const char *prompt;
    int pushed; // a byte read too far, plus one; 0 = none
};

// --- raw mode, and the way back

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

static bool make_raw(int fd)
{
    if (tcgetattr(fd, &cooked) != 0) return false;
    static bool registered;
    if (!registered) registered = atexit(cook) == 0;
    stop_before_exit(cook);
    struct termios t = cooked;
    t.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    t.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    t.c_cflag |= CS8;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    raw_fd = fd;
    is_raw = 1; // first: a signal in between must find it set
    if (tcsetattr(fd, TCSADRAIN, &t) != 0) {
        is_raw = 0;
        return false;
    }
    for (int i = 0; i < FATALS; i++) {
        struct sigaction a = {.sa_handler = on_fatal};
        sigemptyset(&a.sa_mask);
        replaced[i] = sigaction(fatal[i], NULL, &before[i]) == 0 && before[i].sa_handler == SIG_DFL &&
                      sigaction(fatal[i], &a, NULL) == 0;
    }
    return true;
}

static void leave_raw(void)
{
    for (int i = 0; i < FATALS; i++)
        if (replaced[i]) sigaction(fatal[i], &before[i], NULL);
    cook();
    stop_before_exit(NULL);
}

// --- the editor and its history

line_editor *line_new(FILE *in, FILE *out)
{
    line_editor *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->in = in;
    e->out = out;
    e->history = calloc(HISTORY, sizeof *e->history);
    if (e->history == NULL) {
        free(e);
        return NULL;
    }
    return e;
}

void line_free(line_editor *e)
{
    if (e == NULL) return;
    for (int i = 0; i < e->n_history; i++) free(e->history[i]);
    free(e->history);
    text_free(&e->text);
    text_free(&e->cut);
    text_free(&e->saved);
    free(e);
}

void line_set_completion(line_editor *e, line_complete_fn *fn, void *ctx)
{
    e->complete = fn;
    e->complete_ctx = ctx;
}

void line_remember(line_editor *e, const char *text)
{
    if (text[0] == 0 || (e->n_history > 0 && strcmp(e->history[e->n_history - 1], text) == 0)) return;
    char *copy = strdup(text);
    if (copy == NULL) return;
    if (e->n_history == HISTORY) {
        free(e->history[0]);
        memmove(e->history, e->history + 1, (HISTORY - 1) * sizeof *e->history);
        e->n_history--;
    }
    e->history[e->n_history++] = copy;
}

static void set_text(line_editor *e, const char *s)
{
    text_clear(&e->text);
    text_append(&e->text, s);
    e->at = e->text.len;
}

static void browse(line_editor *e, int step)
{
    int back = e->back + step;
    if (back < 0 || back > e->n_history) return;
    if (e->back == 0) {
        text_clear(&e->saved);
        text_append(&e->saved, text_str(&e->text));
    }
    e->back = back;
    set_text(e, back == 0 ? text_str(&e->saved) : e->history[e->n_history - back]);
}

// --- positions between characters. A combining mark belongs to the character before it.

static size_t next_char(const line_editor *e, size_t at)
{
    const char *s = text_str(&e->text);
    uint32_t c;
    if (at >= e->text.len) return e->text.len;
    at += text_utf8_next(s + at, e->text.len - at, &c);
    while (at < e->text.len) {
        size_t n = text_utf8_next(s + at, e->text.len - at, &c);
        if (text_code_columns(c) > 0) break;
        at += n;
    }
    return at;
}

static size_t last_char(const line_editor *e, size_t at)
{
    const char *s = text_str(&e->text);
    while (at > 0) {
        uint32_t c;
        do at--;
        while (at > 0 && ((unsigned char)s[at] & 0xc0) == 0x80);
        text_utf8_next(s + at, e->text.len - at, &c);
        if (text_code_columns(c) > 0) break;
    }
    return at;
}

static size_t word_left(const line_editor *e)
{
    const char *s = text_str(&e->text);
    size_t at = e->at;
    while (at > 0 && s[at - 1] == ' ') at--;
    while (at > 0 && s[at - 1] != ' ') at--;
    return at;
}

static size_t word_right(const line_editor *e)
{
    const char *s = text_str(&e->text);
    size_t at = e->at;
    while (at < e->text.len && s[at] == ' ') at++;
    while (at < e->text.len && s[at] != ' ') at++;
    return at;
}

// --- changes

static void insert(line_editor *e, const char *s, size_t n)
{
    if (e->text.len + n > LINE_MOST || text_reserve(&e->text, n) == NULL) return;
    memmove(e->text.data + e->at + n, e->text.data + e->at, e->text.len - e->at);
    memcpy(e->text.data + e->at, s, n);
    e->text.len += n;
    e->text.data[e->text.len] = 0;
    e->at += n;
}

static void erase(line_editor *e, size_t from, size_t to, bool keep)
{
    if (to <= from) return;
    if (keep) {
        text_clear(&e->cut);
        text_append_n(&e->cut, e->text.data + from, to - from);
    }
    memmove(e->text.data + from, e->text.data + to, e->text.len - to + 1);
    e->text.len -= to - from;
    e->at = from;
}

// --- drawing

static void draw(line_editor *e)
{
    const char *s = text_str(&e->text);
    int width = term_width(e->out), head = text_columns(e->prompt, strlen(e->prompt));
    int room = width - head - 1; // the cursor may stand behind the last character
    if (room < 8) room = 8;
    // Scroll sideways: drop characters on the left until the cursor is in view, then show what fits.
    size_t from = 0, to = e->at;
    int shown = text_columns(s, e->at);
    while (shown > room) {
        size_t next = next_char(e, from);
        shown -= text_columns(s + from, next - from);
        from = next;
    }
    int column = head + shown;
    while (to < e->text.len) {
        size_t next = next_char(e, to);
        shown += text_columns(s + to, next - to);
        if (shown > room) break;
        to = next;
    }
    text_buf t = {0};
    text_printf(&t, "\r%s", e->prompt);
    text_append_n(&t, s + from, to - from);
    text_append(&t, "\x1b[K\r");
    if (column > 0) text_printf(&t, "\x1b[%dC", column);
    fwrite(text_str(&t), 1, t.len, e->out);
    fflush(e->out);
    text_free(&t);
}

// --- completion

void line_offer(line_words *w, const char *word)
{
    if (strncmp(word, w->begin, w->begin_n) != 0 || w->failed) return;
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->items[i], word) == 0) return;
    if (w->n == w->cap) {
        int cap = w->cap == 0 ? 32 : 2 * w->cap;
        char **more = realloc(w->items, (size_t)cap * sizeof *more);
        if (more == NULL) {
            w->failed = true;
            return;
        }
        w->items = more;
        w->cap = cap;
    }
    w->items[w->n] = strdup(word);
    if (w->items[w->n] == NULL)
        w->failed = true;
    else
        w->n++;
}

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
    text_free(&t);
}

static void complete(line_editor *e)
{
    if (e->complete == NULL) return;
    const char *s = text_str(&e->text);
    size_t start = e->at;
    while (start > 0 && s[start - 1] != ' ') start--;
    line_words w = {.begin = s + start, .begin_n = e->at - start};
    e->complete(e->complete_ctx, s, start, e->at, &w);
    if (w.n > 0) {
        size_t same = strlen(w.items[0]); // what all have in common, whole characters only
        for (int i = 1; i < w.n; i++) {
            size_t k = 0;
            while (k < same && w.items[i][k] == w.items[0][k]) k++;
            same = k;
        }
        while (same > 0 && ((unsigned char)w.items[0][same] & 0xc0) == 0x80) same--;
        bool grew = same > w.begin_n;
        if (grew) insert(e, w.items[0] + w.begin_n, same - w.begin_n);
        if (w.n == 1)
            insert(e, " ", 1);
        else if (!grew)
            list_words(e, &w);
    }
    for (int i = 0; i < w.n; i++) free(w.items[i]);
    free(w.items);
}

// --- keys

enum { KEY_END = -1, KEY_INTERRUPTED = -2 };

// One byte; KEY_END when the terminal is gone, KEY_INTERRUPTED when a stop was requested meanwhile.
static int read_byte(line_editor *e)
{
    if (e->pushed != 0) {
        int c = e->pushed - 1;
        e->pushed = 0;
        return c;
    }
    for (;;) {
        if (stop_requested()) return KEY_INTERRUPTED;
        unsigned char c;
        ssize_t n = read(fileno(e->in), &c, 1);
        if (n == 1) return c;
        if (n == 0 || (errno != EINTR && errno != EAGAIN)) return KEY_END;
    }
}

// Is another byte there already? The escape key alone sends one byte, arrows send several at once.
static bool more_bytes(const line_editor *e, int ms)
{
    struct pollfd p = {.fd = fileno(e->in), .events = POLLIN};
    return e->pushed != 0 || poll(&p, 1, ms) > 0;
}

static void escape_key(line_editor *e)
{
    if (!more_bytes(e, ESCAPE_MS)) return;
    int c = read_byte(e), number = 0;
    bool ctrl = false;
    if (c == 'b') e->at = word_left(e);
    if (c == 'f') e->at = word_right(e);
    if (c != '[' && c != 'O') return;
    // ESC [ 1 ; 5 C: numbers parted by ';' up to a letter or '~'
    for (int i = 0; i < 16 && more_bytes(e, ESCAPE_MS); i++) {
        c = read_byte(e);
        if (c >= '0' && c <= '9') {
            number = number < 100 ? 10 * number + c - '0' : number;
            continue;
        }
        if (c == ';') {
            number = 0;
            ctrl = true;
            continue;
        }
        break;
    }
    ctrl = ctrl && number >= 3; // 3 alt, 5 ctrl
    if (c == 'A') browse(e, 1);
    if (c == 'B') browse(e, -1);
    if (c == 'C') e->at = ctrl ? word_right(e) : next_char(e, e->at);
    if (c == 'D') e->at = ctrl ? word_left(e) : last_char(e, e->at);
    if (c == 'H' || (c == '~' && (number == 1 || number == 7))) e->at = 0;
    if (c == 'F' || (c == '~' && (number == 4 || number == 8))) e->at = e->text.len;
    if (c == '~' && number == 3) erase(e, e->at, next_char(e, e->at), false);
}

// A character of the text: its first byte is here, the rest follows. Malformed ones are dropped.
static void text_key(line_editor *e, int c)
{
    char buf[4] = {(char)c};
    size_t n = 1, want = c >= 0xf8 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    while (n < want && more_bytes(e, ESCAPE_MS)) {
        int b = read_byte(e);
        if (b < 0) return;
        if ((b & 0xc0) != 0x80) { // the character was cut short; this is the next key
            e->pushed = b + 1;
            return;
        }
        buf[n++] = (char)b;
    }
    uint32_t code;
    if (text_utf8_next(buf, n, &code) == n && (n > 1 || c < 0x80)) insert(e, buf, n);
}

static void suspend(line_editor *e)
{
    leave_raw();
    fputs("\r\n", e->out);
    fflush(e->out);
    raise(SIGTSTP); // returns when the shell brings us back
    make_raw(fileno(e->in));
}

#define CTRL(letter) ((letter)-64)

// False when the line is finished, with *result saying how.
static bool handle_key(line_editor *e, int c, err *result)
{
    switch (c) {
    case '\r':
    case '\n':
        e->at = e->text.len;
        *result = ERR_OK;
        return false;
    case KEY_INTERRUPTED:
    case CTRL('C'):
        *result = err_set(ERR_STOPPED, "interrupted");
        return false;
    case CTRL('D'):
        if (e->text.len > 0) {
            erase(e, e->at, next_char(e, e->at), false);
            break;
        }
        *result = err_set(ERR_MISSING, "end of input");
        return false;
    case KEY_END:
        *result = err_set(ERR_MISSING, "end of input");
        return false;
    case CTRL('A'):
        e->at = 0;
        break;
    case CTRL('E'):
        e->at = e->text.len;
        break;
    case CTRL('B'):
        e->at = last_char(e, e->at);
        break;
    case CTRL('F'):
        e->at = next_char(e, e->at);
        break;
    case CTRL('H'):
    case 127:
        erase(e, last_char(e, e->at), e->at, false);
        break;
    case CTRL('K'):
        erase(e, e->at, e->text.len, true);
        break;
    case CTRL('U'):
        erase(e, 0, e->at, true);
        break;
    case CTRL('W'):
        erase(e, word_left(e), e->at, true);
        break;
    case CTRL('Y'):
        insert(e, text_str(&e->cut), e->cut.len);
        break;
    case CTRL('P'):
        browse(e, 1);
        break;
    case CTRL('N'):
        browse(e, -1);
        break;
    case CTRL('L'):
        fputs("\x1b[H\x1b[2J", e->out);
        break;
    case CTRL('Z'):
        suspend(e);
        break;
    case '\t':
        complete(e);
        break;
    case 27:
        escape_key(e);
        break;
    default:
        if (c >= 32) text_key(e, c);
    }
    return true;
}

static err read_terminal(line_editor *e)
{
    err result = ERR_OK;
    do {
        if (!more_bytes(e, 0)) draw(e); // a pasted text is drawn once, not letter by letter
    } while (handle_key(e, read_byte(e), &result));
    draw(e);
    fputs(result == ERR_STOPPED ? "^C\n" : "\n", e->out);
    fflush(e->out);
    return result;
}

// --- not a terminal

static err read_plain(line_editor *e)
{
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
    text_clear(&e->text);
    e->at = 0;
    e->back = 0;
    e->pushed = 0;
    e->prompt = prompt;
    err result;
    if (term_is(e->in) && term_is(e->out) && make_raw(fileno(e->in))) {
        result = read_terminal(e);
        leave_raw();
        if (result == ERR_OK) result = text_check(&e->text);
    } else {
        result = read_plain(e);
    }
    if (result == ERR_OK) *text = text_str(&e->text);
    return result;
}
