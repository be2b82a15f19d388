// One value: its text checked against a table row and stored. Also the search for the nearest known word, and texts of
// "key=value,…". Everything that reads options — command line, config files, agents' parameters — ends here.
#include "base/opt_inner.h"
#include "base/opt_table.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const opt opt_builtin[2] = {
    [OPT_HELP] = {.name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "Show this help and exit"},
    [OPT_VERSION] = {.name = "version", .letter = 'V', .kind = OPT_FLAG, .help = "Show the version and exit"},
};

bool opt_is_text(opt_kind k)
{
    return k == OPT_TEXT || k == OPT_CHOICE || k == OPT_FILE || k == OPT_DIR;
}

static bool same_name(const char *name, const char *key, size_t n)
{
    if (name == NULL || strlen(name) != n) return false;
    for (size_t i = 0; i < n; i++)
        if (name[i] != key[i] && !(name[i] == '-' && key[i] == '_') && !(name[i] == '_' && key[i] == '-')) return false;
    return true;
}

bool opt_is(const opt *o, const char *key, size_t n)
{
    return o->name != NULL &&
           (same_name(o->name, key, n) || same_name(o->synonym, key, n) || same_name(o->was, key, n));
}

// --- the nearest word

// Edits from a to b: insert, delete, replace, swap neighbours (optimal string alignment). Beyond 63 bytes: "far".
static int distance(const char *a, const char *b)
{
    enum { MOST = 63, FAR = 1000 };
    size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST) return FAR;
    int row[3][MOST + 2];
    for (size_t j = 0; j <= m; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int d = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < d) d = above[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < d)
                d = two[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[n % 3][m];
}

const char *opt_nearest(const char *word, const char *const *known, int n)
{
    const char *best = NULL;
    size_t len = strlen(word);
    // Half of a short word or a third of a long one may be wrong; more is guessing.
    int limit = len < 2 ? 0 : len < 6 ? 1 + (len > 3) : (int)len / 3, least = limit + 1;
    for (int i = 0; i < n; i++) {
        if (known[i] == NULL) continue;
        int d = distance(word, known[i]);
        // A word that only lacks its end, or brings too much of one, is as near as one typing mistake.
        size_t k = strlen(known[i]), both = k < len ? k : len;
        if (both >= 3 && strncmp(word, known[i], both) == 0 && d > 1) d = 1;
        if (d < least) {
            least = d;
            best = known[i];
        }
    }
    return best;
}

void opt_suggest(text_buf *t, const char *word, const char *const *known, int n, const char *before)
{
    const char *near = opt_nearest(word, known, n);
    if (near != NULL) text_printf(t, "; did you mean %s%s?", before, near);
}

// --- words for bounds and choices

void opt_range_text(const opt *o, text_buf *t)
{
    if (o->low == 0.0 && o->high == 0.0) return;
    bool low = o->low > -1e15, high = o->high < 1e15; // beyond that a bound means "none"
    if (low && high)
        text_printf(t, "%.15g to %.15g", o->low, o->high);
    else if (low)
        text_printf(t, "at least %.15g", o->low);
    else if (high)
        text_printf(t, "at most %.15g", o->high);
}

void opt_choices_text(const opt *o, text_buf *t)
{
    for (const char *p = o->choices; p != NULL && *p;) {
        size_t n = strcspn(p, "|");
        text_append_n(t, p, n);
        p += n;
        if (*p == 0) break;
        text_append(t, strchr(p + 1, '|') == NULL ? " or " : ", ");
        p++;
    }
}

// --- reading

// 12, -3, 0xff, 250k, 3M, 2G, 1e6, 2.5k: anything that is exactly a whole number of 64 bits.
static bool read_int(const char *s, int64_t *out)
{
    char *end;
    if (s[0] == 0 || strspn(s, " \t") > 0) return false;
    const char *digits = s + (s[0] == '-' || s[0] == '+');
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hex && (digits[2] == 0 || strspn(digits + 2, "0123456789abcdefABCDEF") != strlen(digits + 2))) return false;
    errno = 0;
    long long plain = strtoll(s, &end, hex ? 16 : 10);
    if (end != s && *end == 0) {
        *out = plain;
        return errno == 0;
    }
    if (hex || strspn(s, "+-.0123456789eEkMG") != strlen(s)) return false;
    double v = strtod(s, &end), scale = 1.0;
    if (end == s) return false;
    if (*end == 'k') scale = 1e3;
    if (*end == 'M') scale = 1e6;
    if (*end == 'G') scale = 1e9;
    if (scale > 1.0) end++;
    v = rint(v * scale * 1e6) / 1e6; // 2.3k is 2300, though 2.3 is not exact
    if (*end != 0 || !(fabs(v) <= 9007199254740992.0) || v != floor(v)) return false;
    *out = (int64_t)v;
    return true;
}

static bool read_number(const char *s, double *out)
{
    char *end;
    if (s[0] == 0 || strspn(s, "+-.0123456789eExXabcdefABCDEFpP") != strlen(s))
        return false; // no inf, no nan, no blanks
    double v = strtod(s, &end);
    if (*end != 0 || !isfinite(v)) return false;
    *out = v;
    return true;
}

static bool read_flag(const char *s, bool *out)
{
    static const char *const words[] = {"yes", "no", "true", "false", "on", "off", "1", "0"};
    for (int i = 0; i < 8; i++)
        if (strcmp(s, words[i]) == 0) {
            *out = i % 2 == 0;
            return true;
        }
    return false;
}

static bool is_choice(const opt *o, const char *text)
{
    size_t len = strlen(text);
    for (const char *p = o->choices; p != NULL; p = strchr(p, '|') == NULL ? NULL : strchr(p, '|') + 1)
        if (strcspn(p, "|") == len && strncmp(p, text, len) == 0) return true;
    return false;
}

static bool within(const opt *o, double v)
{
    if (o->low == 0.0 && o->high == 0.0) return true;
    return v >= o->low && v <= o->high;
}

// What the row wants, against what it got.
static err refuse(const opt *o, const char *text, const char *label, const char *what)
{
    text_buf t = {0};
    text_printf(&t, "%s must be %s", label, what);
    if (o->kind == OPT_CHOICE) {
        opt_choices_text(o, &t);
    } else if (o->low != 0.0 || o->high != 0.0) {
        text_char(&t, ' ');
        size_t before = t.len;
        opt_range_text(o, &t);
        if (strncmp(text_str(&t) + before, "at", 2) != 0 && t.len > before) { // "from 1 to 64"
            text_buf with = {0};
            text_printf(&with, "%.*sfrom %s", (int)before, text_str(&t), text_str(&t) + before);
            text_free(&t);
            t = with;
        }
    }
    if (o->kind == OPT_INT && o->high >= 1e15 && strspn(text, "0123456789") == strlen(text) && text[0] != 0)
        text_printf(&t, " and at most %" PRId64, INT64_MAX); // nothing else is wrong with it
    text_printf(&t, ", not '%.60s%s'", text, strlen(text) > 60 ? "..." : "");
    if (o->kind == OPT_CHOICE && o->choices != NULL) {
        char copy[512];
        const char *known[64];
        int n = 0;
        snprintf(copy, sizeof copy, "%s", o->choices);
        for (char *p = copy; p != NULL && n < 64;) {
            known[n++] = p;
            p = strchr(p, '|');
            if (p != NULL) *p++ = 0;
        }
        opt_suggest(&t, text, known, n, "");
    }
    err e = err_set(ERR_USAGE, "%s", text_str(&t));
    text_free(&t);
    return e;
}

err opt_store(const opt *o, void *into, const char *text, const char *label)
{
    char *at = (char *)into + o->at;
    switch (o->kind) {
    case OPT_FLAG: {
        bool v = true;
        if (text != NULL && !read_flag(text, &v)) return refuse(o, text, label, "yes or no");
        memcpy(at, &v, sizeof v);
        return ERR_OK;
    }
    case OPT_INT: {
        int64_t v;
        if (!read_int(text, &v) || !within(o, (double)v)) return refuse(o, text, label, "a whole number");
        memcpy(at, &v, sizeof v);
        return ERR_OK;
    }
    case OPT_NUMBER: {
        double v;
        if (!read_number(text, &v) || !within(o, v)) return refuse(o, text, label, "a number");
        memcpy(at, &v, sizeof v);
        return ERR_OK;
    }
    case OPT_CHOICE:
        if (!is_choice(o, text)) return refuse(o, text, label, "");
        break;
    case OPT_FILE:
    case OPT_DIR:
        if (text[0] == 0)
            return err_set(ERR_USAGE, "%s must name a %s, not be empty", label,
                           o->kind == OPT_FILE ? "file" : "folder");
        break;
    case OPT_TEXT:
        break;
    case OPT_TABLE:
    case OPT_LIST:
        assert(0 && "a list can only be the last positional");
        return err_set(ERR_USAGE, "%s cannot be set this way", label);
    }
    memcpy(at, &text, sizeof text);
    return ERR_OK;
}

err opt_defaults(const opt *opts, int n, void *into)
{
    opts = opt_flat(opts, n, &n);
    for (int i = 0; i < n; i++) {
        if (opts[i].name == NULL || opts[i].preset == NULL) continue;
        err e = opt_store(&opts[i], into, opts[i].preset, opts[i].name);
        if (e != ERR_OK) return err_prefix(e, "the default of %s", opts[i].name);
    }
    return ERR_OK;
}

// --- keys

err opt_unknown_key(const opt *const *rows, int n_rows, const char *key, size_t n, const char *where)
{
    enum { MOST = 256 };
    const char *known[MOST];
    char word[OPT_NAME];
    int k = 0;
    for (int i = 0; i < n_rows && k < MOST - 1; i++) {
        known[k++] = rows[i]->name;
        if (rows[i]->synonym != NULL) known[k++] = rows[i]->synonym;
    }
    snprintf(word, sizeof word, "%.*s", (int)(n < OPT_NAME ? n : OPT_NAME - 1), key);
    text_buf t = {0};
    text_printf(&t, "%s%sunknown key '%s'", where, where[0] ? ": " : "", word);
    const char *near = opt_nearest(word, known, k);
    if (near != NULL) {
        text_printf(&t, "; did you mean %s?", near);
    } else {
        text_append(&t, n_rows == 0 ? "; there are none here" : "; there are: ");
        for (int i = 0; i < n_rows; i++) text_printf(&t, "%s%s", i == 0 ? "" : ", ", rows[i]->name);
    }
    err e = err_set(ERR_USAGE, "%s", text_str(&t));
    text_free(&t);
    return e;
}

err opt_set(const opt *opts, int n, void *into, const char *key, const char *text, const char *where)
{
    const opt *rows[128]; // for the sentence only
    int k = 0;
    opts = opt_flat(opts, n, &n);
    for (int i = 0; i < n; i++) {
        if (opts[i].name != NULL && k < 128) rows[k++] = &opts[i];
        if (!opt_is(&opts[i], key, strlen(key))) continue;
        char label[256];
        snprintf(label, sizeof label, "%s%s%s", where, where[0] ? ": " : "", opts[i].name);
        if (text == NULL && opts[i].kind != OPT_FLAG) return err_set(ERR_USAGE, "%s needs a value: %s=...", label, key);
        return opt_store(&opts[i], into, text, label);
    }
    return opt_unknown_key(rows, k, key, strlen(key), where);
}

static err in_place(err e, const char *where)
{
    return where[0] ? err_prefix(e, "%s", where) : e;
}

// One value at *p, quoted or up to the next comma; the copy is kept.
static err pair_value(const char *all, const char **p, opt_values *keep, char **out)
{
    const char *s = *p;
    char quote = *s == '"' || *s == '\'' ? *s : 0;
    size_t n = strcspn(s, ",");
    if (quote != 0) { // to the quote that is not doubled
        for (n = 1; s[n] != 0 && (s[n] != quote || s[n + 1] == quote); n++)
            if (s[n] == quote) n++;
        n++;
        if (s[n - 1] == 0 || (s[n] != ',' && s[n] != 0))
            return err_parse(all, (size_t)(s - all), "the quote has no end before the next comma");
    }
    *p = s + n;
    *out = quote == 0 ? opt_keep_text(keep, s, n) : opt_keep_text(keep, s + 1, n - 2);
    if (*out == NULL) return err_set(ERR_MEMORY, "out of memory for a value");
    if (quote != 0) {
        char *to = *out;
        for (const char *from = *out; *from; from++) {
            if (*from == quote) from++; // one of two
            *to++ = *from;
        }
        *to = 0;
    }
    return ERR_OK;
}

void opt_pair_value(text_buf *to, const char *value)
{
    if (*value != 0 && strpbrk(value, ",;'\"") == NULL) {
        text_append(to, value);
        return;
    }
    text_char(to, '\'');
    for (const char *p = value; *p; p++) text_append_n(to, *p == '\'' ? "''" : p, *p == '\'' ? 2 : 1);
    text_char(to, '\'');
}

// One "key=value" or "flag" at *p, and the comma behind it.
static err one_pair(const opt *opts, int n, void *into, const char *all, const char **p, const char *where,
                    opt_values *keep)
{
    char key[OPT_NAME], *value = NULL;
    size_t len = strcspn(*p, "=,");
    if (len == 0 || len >= sizeof key) return in_place(err_parse(all, (size_t)(*p - all), "expected key=value"), where);
    memcpy(key, *p, len);
    key[len] = 0;
    *p += len;
    if (**p == '=') {
        ++*p;
        err e = pair_value(all, p, keep, &value);
        if (e != ERR_OK) return in_place(e, where);
    }
    err e = opt_set(opts, n, into, key, value, where);
    if (e != ERR_OK || **p == 0) return e;
    ++*p; // the comma
    if (**p == 0) return in_place(err_parse(all, (size_t)(*p - all), "expected key=value after the comma"), where);
    return ERR_OK;
}

err opt_pairs(const opt *opts, int n, void *into, const char *text, const char *where, opt_values *keep)
{
    opt_values *own = keep == NULL ? opt_keep() : NULL; // numbers alone need no keeping after this call
    opt_values *holder = keep == NULL ? own : keep;
    if (holder == NULL) return err_set(ERR_MEMORY, "out of memory while reading %s", where);
    opts = opt_flat(opts, n, &n);
    for (int i = 0; keep == NULL && i < n; i++) assert(opts[i].name == NULL || !opt_is_text(opts[i].kind));
    err e = ERR_OK;
    for (const char *p = text; *p && e == ERR_OK;) e = one_pair(opts, n, into, text, &p, where, holder);
    opt_free(own);
    return e;
}
