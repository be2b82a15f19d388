// Handles: see inner.h.
#include "inner.h"

#include <string.h>

PyObject *ext_error;

PyObject *ext_failed(void)
{
    // A sentence may quote bytes that are no UTF-8, or end within a letter where it was cut: it must not be lost for that.
    const char *sentence = keiko_error();
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    if (text != NULL) PyErr_SetObject(ext_error, text);
    Py_XDECREF(text);
    return NULL;
}

const char *const ext_kinds[] = {"position", "agent", "evaluator", "env", "session"};

void ext_free(ext_handle *h)
{
    if (h->p != NULL) h->free(h->p);
    for (int i = 0; i < h->n_views; i++) PyBuffer_Release(&h->view[i]);
    PyMem_Free(h);
}

static void free_capsule(PyObject *capsule)
{
    ext_free(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

PyObject *ext_capsule(int kind, ext_handle *h)
{
    PyObject *o = PyCapsule_New(h, ext_kinds[kind], free_capsule);
    if (o == NULL) ext_free(h);
    return o;
}

PyObject *ext_wrap(int kind, void *p, void (*release)(void *))
{
    ext_handle *h = PyMem_Calloc(1, sizeof *h);
    if (h == NULL) {
        release(p);
        return PyErr_NoMemory();
    }
    h->p = p;
    h->free = release;
    return ext_capsule(kind, h);
}

ext_handle *ext_get(PyObject *o, int kind)
{
    ext_handle *h = PyCapsule_GetPointer(o, ext_kinds[kind]);
    if (h != NULL && h->p == NULL) {
        PyErr_Format(ext_error, "this %s is closed", ext_kinds[kind]);
        return NULL;
    }
    return h;
}

int ext_enter(ext_handle *h, int kind, int alone)
{
    if (h == NULL) return 0;
    if (h->users < 0 || (alone && h->users > 0)) {
        PyErr_Format(ext_error, "this %s is in use by another thread", ext_kinds[kind]);
        return 0;
    }
    h->users = alone ? -1 : h->users + 1;
    return 1;
}

void ext_leave(ext_handle *h)
{
    h->users = h->users < 0 ? 0 : h->users - 1;
}

ext_handle *ext_idle(PyObject *o, int kind)
{
    ext_handle *h = ext_get(o, kind);
    if (h == NULL || h->users == 0) return h;
    PyErr_Format(ext_error, "this %s is in use by another thread", ext_kinds[kind]);
    return NULL;
}

// A whole number of Python's or numpy's.
int ext_u64(PyObject *o, void *to)
{
    PyObject *number = PyNumber_Index(o);
    unsigned long long x = number == NULL ? 0 : PyLong_AsUnsignedLongLong(number);
    if (number != NULL && PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError, "a whole number from 0 to 18446744073709551615 is needed here, not %S",
                     number);
    }
    Py_XDECREF(number);
    if (PyErr_Occurred()) return 0;
    *(uint64_t *)to = x;
    return 1;
}

int ext_move(PyObject *o, void *to)
{
    PyObject *number = PyNumber_Index(o);
    unsigned long move = number == NULL ? 0 : PyLong_AsUnsignedLong(number);
    if (number != NULL && (PyErr_Occurred() || move > 0xffff)) {
        PyErr_Clear();
        PyErr_Format(ext_error, "move %S is not legal here", number);
    }
    Py_XDECREF(number);
    if (PyErr_Occurred()) return 0;
    *(uint16_t *)to = (uint16_t)move;
    return 1;
}

const keiko_game *ext_game(const char *name)
{
    const keiko_game *g = keiko_game_find(name);
    if (g == NULL) ext_failed();
    return g;
}

int ext_view(PyObject *o, Py_buffer *v, Py_ssize_t size, int writable, int may)
{
    memset(v, 0, sizeof *v);
    if (may && o == Py_None) return 1;
    if (PyObject_GetBuffer(o, v, writable ? PyBUF_CONTIG : PyBUF_CONTIG_RO) != 0) return 0;
    if (v->len >= size) return 1;
    PyErr_Format(PyExc_ValueError, "a buffer has %zd bytes, but %zd are needed", v->len, size);
    PyBuffer_Release(v);
    memset(v, 0, sizeof *v);
    return 0;
}

PyObject *ext_text(int status, char *text)
{
    if (status != 0) return ext_failed();
    PyObject *o = PyUnicode_FromString(text);
    keiko_text_free(text);
    return o;
}

// Any kind: frees what it holds now; the capsule stays as something closed.
static PyObject *close_handle(PyObject *self, PyObject *o)
{
    (void)self;
    const char *name = PyCapsule_GetName(o);
    ext_handle *h = name == NULL ? NULL : PyCapsule_GetPointer(o, name);
    if (h == NULL) return NULL;
    if (h->users != 0) return PyErr_Format(ext_error, "this %s is in use by another thread", name);
    if (h->p != NULL) h->free(h->p);
    h->p = NULL;
    for (int i = 0; i < h->n_views; i++) PyBuffer_Release(&h->view[i]);
    h->n_views = 0;
    Py_RETURN_NONE;
}

PyMethodDef handle_methods[] = {
    {"close", close_handle, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
