// What the files of the extension keiko._keiko share. The classes that people use are in keiko/*.py.
//
// The extension is keiko.h for Python, as thin as it can be. Objects are capsules around a handle: the pointer, and how many
// calls use it just now. Long calls run without the GIL; a handle that another thread uses meanwhile is refused with a sentence
// instead of a crash. Arrays come as buffers (numpy's), checked for their size, and are written in place. Built against the
// stable ABI of Python 3.11. Names begin with ext_ because libkeiko.a is linked into the same file.
#ifndef KEIKO_PYTHON_INNER_H
#define KEIKO_PYTHON_INNER_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <keiko.h>

extern PyObject *ext_error; // keiko.Error
PyObject *ext_failed(void); // raises it with the library's sentence; NULL

// --- handles

enum { EXT_ENV_BUFFERS = 11 };

typedef struct ext_handle {
    void *p; // NULL: closed
    void (*free)(void *p);
    int users;   // calls that read it without the GIL; -1: one that changes it
    int n_views; // of an environment
    Py_buffer view[EXT_ENV_BUFFERS];
    const keiko_game *game; // of an environment or an evaluator
    Py_ssize_t n;           // places of an environment
} ext_handle;

enum { POSITION, AGENT, EVALUATOR, ENV, SESSION };
extern const char *const ext_kinds[]; // their names

PyObject *ext_capsule(int kind, ext_handle *h); // takes h, also when it fails
void ext_free(ext_handle *h);
PyObject *ext_wrap(int kind, void *p, void (*release)(void *)); // releases p when it fails
ext_handle *ext_get(PyObject *o, int kind); // an exception and NULL for another kind, or a closed one

// For calls without the GIL, which is held here: several readers may share a handle, who changes it has it alone.
int ext_enter(ext_handle *h, int kind, int alone); // false with an exception; h may be NULL
void ext_leave(ext_handle *h);
ext_handle *ext_idle(PyObject *o, int kind); // for short calls, which keep the GIL: nobody else may be at it

// --- arguments and answers

const keiko_game *ext_game(const char *name); // NULL with an exception
int ext_move(PyObject *o, void *to);          // for "O&": a uint16_t
int ext_u64(PyObject *o, void *to);           // for "O&": a uint64_t; a number that does not fit is refused, not cut
// A buffer of at least `size` bytes. None gives no buffer, which is fine where `may` is set.
int ext_view(PyObject *o, Py_buffer *v, Py_ssize_t size, int writable, int may);
PyObject *ext_text(int status, char *text); // takes `text`, which keiko_text_free frees
void ext_free_position(void *p);
// The positions of a tuple, borrowed: PyMem_Free the array. NULL with an exception.
const keiko_position **ext_positions(PyObject *list, const keiko_game *g, int shared, Py_ssize_t *n);

// --- the functions of each file, for module.c

extern PyMethodDef handle_methods[], games_methods[], agents_methods[], env_methods[], sessions_methods[],
    run_methods[];

#endif
