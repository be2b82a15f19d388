// Environments: many games at once, stepped in buffers that belong to the caller.
#include "inner.h"

#include <string.h>

static void free_env(void *p)
{
    keiko_env_close(p);
}

// The buffers by name, in the order of the struct, each with the bytes one slot needs.
static int env_views(ext_handle *h, PyObject *dict, keiko_env_buffers *b, const keiko_env_options *o)
{
    keiko_shape s;
    if (keiko_game_shape(o->game, o->encoding, &s) != 0) return ext_failed(), 0;
    const Py_ssize_t cells = (Py_ssize_t)s.planes * s.rows * s.cols * (o->floats ? 4 : 1);
    const struct {
        const char *name;
        void *at;
        Py_ssize_t each;
    } rows[EXT_ENV_BUFFERS] = {{"planes", &b->planes, cells},
                               {"scalars", &b->scalars, 4 * s.scalars},
                               {"masks", &b->masks, keiko_game_moves(o->game)},
                               {"seats", &b->seats, 1},
                               {"rewards", &b->rewards, 4 * keiko_game_seats(o->game)},
                               {"terminated", &b->terminated, 1},
                               {"truncated", &b->truncated, 1},
                               {"lengths", &b->lengths, 4},
                               {"events", &b->events, 4 * KEIKO_ENV_EVENTS},
                               {"final_planes", &b->final_planes, cells},
                               {"final_scalars", &b->final_scalars, 4 * s.scalars}};
    for (int i = 0; i < EXT_ENV_BUFFERS; i++) {
        PyObject *one = PyDict_GetItemString(dict, rows[i].name);
        if (one == NULL || one == Py_None) continue;
        Py_buffer *v = &h->view[h->n_views];
        if (!ext_view(one, v, h->n * rows[i].each, 1, 0)) return 0;
        h->n_views++;
        memcpy(rows[i].at, &v->buf, sizeof v->buf);
    }
    return 1;
}

static PyObject *env_open(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *dict;
    keiko_env_options o = {.size = sizeof o};
    keiko_env_buffers b = {.size = sizeof b};
    keiko_env *e;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "szzziiipO&O!", &name, &o.options, &o.encoding, &o.opponent, &o.n, &o.threads,
                          &o.max_plies, &o.floats, ext_u64, &o.seed, &PyDict_Type, &dict))
        return NULL;
    o.game = ext_game(name);
    if (o.game == NULL) return NULL;
    if (o.n < 1) return PyErr_Format(PyExc_ValueError, "at least one game, not %d", o.n);
    ext_handle *h = PyMem_Calloc(1, sizeof *h);
    if (h == NULL) return PyErr_NoMemory();
    h->game = o.game;
    h->n = o.n;
    h->free = free_env;
    if (!env_views(h, dict, &b, &o)) {
        ext_free(h);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = keiko_env_open(&o, &b, &e);
    Py_END_ALLOW_THREADS if (status != 0)
    {
        ext_free(h);
        return ext_failed();
    }
    h->p = e;
    return ext_capsule(ENV, h);
}

static PyObject *env_reset(PyObject *self, PyObject *args)
{
    PyObject *o, *seed_or_none;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &o, &seed_or_none)) return NULL;
    uint64_t seed = 0;
    if (seed_or_none != Py_None && !ext_u64(seed_or_none, &seed)) return NULL;
    ext_handle *h = ext_get(o, ENV);
    if (!ext_enter(h, ENV, 1)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_env_reset(h->p, seed_or_none == Py_None ? NULL : &seed);
    Py_END_ALLOW_THREADS ext_leave(h);
    if (status != 0) return ext_failed();
    Py_RETURN_NONE;
}

static PyObject *env_step(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    Py_buffer moves;
    int status;
    (void)self;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "env_step takes an environment and moves");
    ext_handle *h = ext_get(args[0], ENV);
    if (h == NULL || !ext_view(args[1], &moves, 4 * h->n, 0, 0)) return NULL;
    if (!ext_enter(h, ENV, 1)) {
        PyBuffer_Release(&moves);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = keiko_env_step(h->p, moves.buf);
    Py_END_ALLOW_THREADS ext_leave(h);
    PyBuffer_Release(&moves);
    if (status != 0) return ext_failed();
    Py_RETURN_NONE;
}

static PyObject *env_position(PyObject *self, PyObject *args)
{
    PyObject *o;
    int i;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &o, &i)) return NULL;
    ext_handle *h = ext_idle(o, ENV);
    if (h == NULL) return NULL;
    if (i < 0 || i >= h->n) return PyErr_Format(PyExc_IndexError, "there is no game %d", i);
    return keiko_env_position(h->p, i, &p) != 0 ? ext_failed() : ext_wrap(POSITION, p, ext_free_position);
}

PyMethodDef env_methods[] = {
    {"env_open", env_open, METH_VARARGS, NULL},
    {"env_reset", env_reset, METH_VARARGS, NULL},
    {"env_step", (PyCFunction)(void (*)(void))env_step, METH_FASTCALL, NULL},
    {"env_position", env_position, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
