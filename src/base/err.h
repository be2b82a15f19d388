// Errors that carry a sentence.
//
// A function that can fail for an outside cause (files, user input, sockets) returns `err`. ERR_OK is zero; anything
// else means that a sentence a person can act on waits in err_text() of the same thread. Success costs nothing and
// leaves the text alone. Programmer mistakes are asserts, not errors. Only cli/ and serve/ print or exit.
#ifndef KEIKO_BASE_ERR_H
#define KEIKO_BASE_ERR_H

#include <stddef.h>

typedef enum err {
    ERR_OK = 0,
    ERR_USAGE,   // the caller's words are wrong: an unknown name, an option out of range
    ERR_PARSE,   // a text or file is malformed
    ERR_IO,      // the operating system said no
    ERR_MEMORY,  // allocation failed
    ERR_LIMIT,   // well-formed, but larger than we accept
    ERR_MISSING, // not there: a file, a feature not built in
    ERR_STOPPED, // interrupted on purpose (Ctrl-C, a deadline)
} err;

#if defined(__GNUC__)
#define KEIKO_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define KEIKO_PRINTF(fmt, args)
#endif

// Store the sentence and hand `code` back: `return err_set(ERR_IO, "cannot open %s: %s", path, strerror(errno));`
err err_set(err code, const char *fmt, ...) KEIKO_PRINTF(2, 3);

// Malformed text: the sentence names the place. `at` is a byte offset into `text`.
// "column 7, at \"zz…\": expected a square a1 to h8"
err err_parse(const char *text, size_t at, const char *fmt, ...) KEIKO_PRINTF(3, 4);

// Put "context: " before the waiting sentence; `e` is handed back. ERR_OK passes through untouched.
err err_prefix(err e, const char *fmt, ...) KEIKO_PRINTF(2, 3);

// The sentence of this thread's last error; "" before any. Borrowed; valid until the next err_* call of the thread.
const char *err_text(void);

// The end of a function that makes something: `*out` gets `made`, or `destroy` frees it. The value is `e`.
#define HAND_OVER(e, out, made, destroy) ((e) == ERR_OK ? (void)(*(out) = (made)) : destroy(made), (e))

// The first error of several threads, with its sentence: those belong to the thread they happened on. The caller locks.
enum { ERR_TEXT = 1024 };
typedef struct err_first {
    err code; // ERR_OK: none yet
    char text[ERR_TEXT];
} err_first;
void err_keep(err_first *f, err e); // keeps `e` and the waiting sentence, unless there is one already
err err_repeat(const err_first *f); // sets the sentence again on this thread; hands the code back

#if defined(__clang_analyzer__) // clang-tidy looks into one file at a time: here it sees that the code is handed back
#define err_set(code, ...) ((void)(err_set)((code), __VA_ARGS__), (code))
#define err_parse(...)     ((void)(err_parse)(__VA_ARGS__), ERR_PARSE)
#define err_prefix(e, ...)                                                                                             \
    __extension__({                                                                                                    \
        err given_ = (e);                                                                                              \
        (void)(err_prefix)(given_, __VA_ARGS__);                                                                       \
        given_;                                                                                                        \
    })
#endif

#endif
