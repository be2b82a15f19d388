// Sessions: a game with its variations, its players and its analysis.
#include "inner.h"

#include <string.h>

static void free_session(void *p)
{
    keiko_session_close(p);
}

static PyObject *session_open(PyObject *self, PyObject *args)
{
    const char *name, *options, *at;
    uint64_t seed;
    keiko_session *s;
    (void)self;
    if (!PyArg_ParseTuple(args, "szzO&", &name, &options, &at, ext_u64, &seed)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    return keiko_session_open(g, options, at, seed, &s) != 0 ? ext_failed() : ext_wrap(SESSION, s, free_session);
}

static PyObject *session_import(PyObject *self, PyObject *args)
{
    const char *name, *text;
    Py_ssize_t size;
    keiko_session *s;
    (void)self;
    if (!PyArg_ParseTuple(args, "zs#", &name, &text, &size)) return NULL;
    const keiko_game *g = name == NULL ? NULL : ext_game(name);
    if (name != NULL && g == NULL) return NULL;
    return keiko_session_import(g, text, (size_t)size, &s) != 0 ? ext_failed() : ext_wrap(SESSION, s, free_session);
}

// One verb for all: session_do(s, "play", "f5", 0). Texts come back from json, analyse, review and export.
static PyObject *session_do(PyObject *self, PyObject *args)
{
    static const char *const verbs[] = {"seat",   "play",   "think", "back",    "forward", "goto",  "promote",
                                        "delete", "resign", "json",  "analyse", "review",  "export"};
    PyObject *o;
    const char *verb, *text;
    char *out = NULL;
    int number, status = -1;
    size_t k = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oszi", &o, &verb, &text, &number)) return NULL;
    while (k < sizeof verbs / sizeof *verbs && strcmp(verbs[k], verb) != 0) k++;
    if (k == sizeof verbs / sizeof *verbs) return PyErr_Format(PyExc_ValueError, "unknown verb '%s'", verb);
    if (text == NULL && (k == 0 || k == 1 || k == 12)) return PyErr_Format(PyExc_TypeError, "%s needs a text", verb);
    ext_handle *h = ext_get(o, SESSION);
    if (!ext_enter(h, SESSION, 1)) return NULL;
    keiko_session *s = h->p;
    Py_BEGIN_ALLOW_THREADS switch (k)
    {
    case 0:
        status = keiko_session_seat(s, number, text);
        break;
    case 1:
        status = keiko_session_play(s, text);
        break;
    case 2:
        status = keiko_session_think(s);
        break;
    case 3:
        status = keiko_session_back(s);
        break;
    case 4:
        status = keiko_session_forward(s);
        break;
    case 5:
        status = keiko_session_goto(s, number);
        break;
    case 6:
        status = keiko_session_promote(s, number);
        break;
    case 7:
        status = keiko_session_delete(s, number);
        break;
    case 8:
        status = keiko_session_resign(s, number);
        break;
    case 9:
        status = keiko_session_json(s, number, &out);
        break;
    case 10:
        status = keiko_session_analyse(s, text, number, &out);
        break;
    case 11:
        status = keiko_session_review(s, text, &out);
        break;
    default:
        status = keiko_session_export(s, text, &out);
        break;
    }
    Py_END_ALLOW_THREADS ext_leave(h);
    if (status != 0) return ext_failed();
    if (out != NULL) return ext_text(0, out);
    Py_RETURN_NONE;
}

static PyObject *session_stop(PyObject *self, PyObject *o)
{
    ext_handle *h = ext_get(o, SESSION);
    (void)self;
    if (h == NULL) return NULL;
    keiko_session_stop(h->p); // from any thread
    Py_RETURN_NONE;
}

static PyObject *session_position(PyObject *self, PyObject *o)
{
    ext_handle *h = ext_idle(o, SESSION);
    keiko_position *p;
    (void)self;
    if (h == NULL) return NULL;
    return keiko_session_position(h->p, &p) != 0 ? ext_failed() : ext_wrap(POSITION, p, ext_free_position);
}

PyMethodDef sessions_methods[] = {
    {"session_open", session_open, METH_VARARGS, NULL},   {"session_import", session_import, METH_VARARGS, NULL},
    {"session_do", session_do, METH_VARARGS, NULL},       {"session_stop", session_stop, METH_O, NULL},
    {"session_position", session_position, METH_O, NULL}, {NULL, NULL, 0, NULL},
};
