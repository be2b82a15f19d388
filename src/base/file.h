// Files that survive: whole-file reads with a cap, and writes that are either complete or absent.
//
// Everything that matters is written to a temporary file beside its destination, flushed to the disk, renamed over it,
// and the folder is flushed too. A crash, a full disk or kill -9 at any moment leaves the old content or the new one,
// never a mixture. On failure the temporary file is removed and the error says what the operating system said. A device or
// a pipe is not replaced: what is written goes straight into it.
#ifndef KEIKO_BASE_FILE_H
#define KEIKO_BASE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { FILE_PATH = 4096 }; // room for any path we make

// The whole file, with a NUL after its last byte that `*size` does not count (size may be NULL). ERR_MISSING when there
// is none, ERR_LIMIT above `most` bytes. Reads pipes too. Caller frees.
err file_read(const char *path, size_t most, char **data, size_t *size);

err file_write_atomic(const char *path, const void *data, size_t size);
// Could `path` be written? Makes its folder, leaves nothing else. For before long work, so that hours are not lost at the end.
err file_check_writable(const char *path);
err file_append(const char *path, const void *data, size_t size); // made if missing; on the disk when it returns
err file_cut(const char *path, size_t size);                      // what stands behind `size` bytes is removed
// Keeps every other process out that asks, until the file is unlocked or this process ends. It is made if missing, and must not be
// replaced meanwhile (file_write_atomic). `else_` ends the sentence for others: "give another file".
err file_lock(int *fd, const char *path, const char *else_);
void file_unlock(int fd); // -1 is fine

bool file_exists(const char *path); // anything of that name
bool file_is_dir(const char *path);
bool file_is_device(const char *path); // which may have no end
bool file_is_at(int fd,
                const char *path);      // is what `fd` has open still there by this name, or was it moved or removed?
err file_make_dirs(const char *path);   // as mkdir -p
err file_make_parent(const char *path); // the folder in which `path` is to be made
err file_remove(const char *path);      // a missing file is fine
err file_list(const char *dir, const char *ending, char ***names,
              int *n); // names sorted by bytes; free with file_list_free
void file_list_free(char **names, int n);

// "a" + "b" = "a/b"; an absolute `name`, or an empty `dir`, gives `name`. ERR_LIMIT when it does not fit.
err file_join(char *out, size_t n, const char *dir, const char *name);
const char *file_name(const char *path); // behind the last '/'; borrowed

// Where the running program is, and where this code is: libkeiko, a module of Python, or again the program. False where the
// system does not say.
bool file_program(char path[FILE_PATH]);
bool file_library(char path[FILE_PATH]);

// A large file written piece by piece. Nothing is visible at `path` before file_out_commit returns ERR_OK. Errors stick:
// after a failed write every call fails, so checking commit alone is enough.
typedef struct file_out file_out;
err file_out_open(file_out **out, const char *path);
err file_out_write(file_out *f, const void *data, size_t size);
err file_out_commit(file_out *f); // frees `f` whatever happens
void file_out_abort(file_out *f); // frees `f`, removes the temporary file; NULL is fine

#endif
