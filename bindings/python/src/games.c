// The library, its games and their positions.
#include "inner.h"

// --- the library and its games

static PyObject *about(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return Py_BuildValue("{s:s,s:s,s:s,s:i}", "version", keiko_version(), "build", keiko_build(), "features",
                         keiko_features(), "api", keiko_api_version());
}

static PyObject *game_names(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < keiko_game_count(); i++) {
        PyObject *name = PyUnicode_FromString(keiko_game_name(keiko_game_at(i)));
        if (name == NULL || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *game_info(PyObject *self, PyObject *args)
{
    const char *name;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &name)) return NULL;
    const keiko_game *g = ext_game(name);
    PyObject *list = g == NULL ? NULL : PyList_New(0);
    for (int i = 0; list != NULL && i < keiko_game_encodings(g); i++) {
        PyObject *one = PyUnicode_FromString(keiko_game_encoding(g, i));
        if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    if (list == NULL) return NULL;
    return Py_BuildValue("{s:s,s:s,s:i,s:i,s:i,s:N}", "name", keiko_game_name(g), "title", keiko_game_title(g), "moves",
                         keiko_game_moves(g), "max_legal", keiko_game_max_legal(g), "seats", keiko_game_seats(g),
                         "encodings", list);
}

static PyObject *game_shape(PyObject *self, PyObject *args)
{
    const char *name, *encoding;
    keiko_shape s;
    (void)self;
    if (!PyArg_ParseTuple(args, "sz", &name, &encoding)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    if (keiko_game_shape(g, encoding, &s) != 0) return ext_failed();
    PyObject *names = PyList_New(0);
    for (int i = 0; names != NULL && i < s.planes + s.scalars; i++) {
        char text[200];
        keiko_game_plane_name(g, encoding, i, text, sizeof text);
        PyObject *one = PyUnicode_FromString(text);
        if (one == NULL || PyList_Append(names, one) != 0) Py_CLEAR(names);
        Py_XDECREF(one);
    }
    return names == NULL ? NULL : Py_BuildValue("(iiiiN)", s.planes, s.scalars, s.rows, s.cols, names);
}

static PyObject *game_load(PyObject *self, PyObject *args)
{
    const char *path;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
    if (keiko_game_load(path) != 0) return ext_failed();
    Py_RETURN_NONE;
}

static PyObject *list_json(PyObject *self, PyObject *args)
{
    const char *what, *name;
    char *text = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "sz", &what, &name)) return NULL;
    const keiko_game *g = name == NULL ? NULL : ext_game(name);
    if (name != NULL && g == NULL) return NULL;
    int status = keiko_list(what, g, &text);
    return ext_text(status, text);
}

// --- positions

void ext_free_position(void *p)
{
    keiko_position_free(p);
}

static keiko_position *position(PyObject *o)
{
    ext_handle *h = ext_idle(o, POSITION);
    return h == NULL ? NULL : h->p;
}

static PyObject *position_new(PyObject *self, PyObject *args)
{
    const char *name, *options;
    uint64_t seed, number;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "szO&O&", &name, &options, ext_u64, &seed, ext_u64, &number)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    return keiko_position_new(g, options, seed, number, &p) != 0 ? ext_failed()
                                                                 : ext_wrap(POSITION, p, ext_free_position);
}

static PyObject *position_parse(PyObject *self, PyObject *args)
{
    const char *name, *text;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "ss", &name, &text)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    return keiko_position_parse(g, text, &p) != 0 ? ext_failed() : ext_wrap(POSITION, p, ext_free_position);
}

static PyObject *position_copy(PyObject *self, PyObject *o)
{
    keiko_position *p = position(o), *q;
    (void)self;
    if (p == NULL) return NULL;
    return keiko_position_copy(p, &q) != 0 ? ext_failed() : ext_wrap(POSITION, q, ext_free_position);
}

static PyObject *position_seat(PyObject *self, PyObject *o)
{
    keiko_position *p = position(o);
    (void)self;
    return p == NULL ? NULL : PyLong_FromLong(keiko_position_seat(p));
}

static PyObject *position_legal(PyObject *self, PyObject *args)
{
    PyObject *o, *to;
    Py_buffer v;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &o, &to)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL || !ext_view(to, &v, 2 * (Py_ssize_t)keiko_game_max_legal(keiko_position_game(p)), 1, 0)) return NULL;
    int n = keiko_position_legal(p, v.buf);
    PyBuffer_Release(&v);
    return PyLong_FromLong(n);
}

static PyObject *position_mask(PyObject *self, PyObject *args)
{
    PyObject *o, *to;
    Py_buffer v;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &o, &to)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL || !ext_view(to, &v, keiko_game_moves(keiko_position_game(p)), 1, 0)) return NULL;
    keiko_position_mask(p, v.buf);
    PyBuffer_Release(&v);
    Py_RETURN_NONE;
}

static PyObject *position_play(PyObject *self, PyObject *args)
{
    PyObject *o;
    uint16_t move;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&", &o, ext_move, &move)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    if (keiko_position_play(p, move) != 0) return ext_failed();
    Py_RETURN_NONE;
}

static PyObject *position_over(PyObject *self, PyObject *o)
{
    keiko_position *p = position(o);
    double score[2];
    (void)self;
    if (p == NULL) return NULL;
    if (keiko_position_over(p, score) == 0) Py_RETURN_NONE;
    return Py_BuildValue("(dd)", score[0], score[1]);
}

static PyObject *position_hash(PyObject *self, PyObject *o)
{
    keiko_position *p = position(o);
    (void)self;
    return p == NULL ? NULL : PyLong_FromUnsignedLongLong(keiko_position_hash(p));
}

static PyObject *position_text(PyObject *self, PyObject *args)
{
    PyObject *o;
    int draw, colour;
    char buf[8192];
    (void)self;
    if (!PyArg_ParseTuple(args, "Opp", &o, &draw, &colour)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    if (draw)
        keiko_position_draw(p, colour, buf, sizeof buf);
    else
        keiko_position_print(p, buf, sizeof buf);
    return PyUnicode_FromString(buf);
}

static PyObject *move_parse(PyObject *self, PyObject *args)
{
    PyObject *o;
    const char *text;
    uint16_t move;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &o, &text)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    return keiko_move_parse(p, text, &move) != 0 ? ext_failed() : PyLong_FromLong(move);
}

static PyObject *move_print(PyObject *self, PyObject *args)
{
    PyObject *o;
    uint16_t move;
    char buf[256];
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&", &o, ext_move, &move)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    if (move >= keiko_game_moves(keiko_position_game(p)))
        return PyErr_Format(ext_error, "there is no move %d", (int)move);
    keiko_move_print(p, move, buf, sizeof buf);
    return PyUnicode_FromString(buf);
}

static PyObject *position_perft(PyObject *self, PyObject *args)
{
    PyObject *o;
    int depth;
    uint64_t n;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &o, &depth)) return NULL;
    if (depth < 0) return PyErr_Format(PyExc_ValueError, "the depth must not be negative");
    ext_handle *h = ext_get(o, POSITION);
    if (!ext_enter(h, POSITION, 1)) return NULL;
    Py_BEGIN_ALLOW_THREADS n = keiko_position_perft(h->p, depth);
    Py_END_ALLOW_THREADS ext_leave(h);
    return PyLong_FromUnsignedLongLong(n);
}

const keiko_position **ext_positions(PyObject *list, const keiko_game *g, int shared, Py_ssize_t *n)
{
    *n = PyTuple_Size(list); // an exception when it is no tuple
    if (*n < 0) return NULL;
    const keiko_position **p = PyMem_Malloc(((size_t)*n + 1) * sizeof *p);
    if (p == NULL) PyErr_NoMemory();
    for (Py_ssize_t i = 0; p != NULL && i < *n; i++) {
        PyObject *o = PyTuple_GetItem(list, i);
        ext_handle *h = shared ? ext_get(o, POSITION) : ext_idle(o, POSITION);
        p[i] = h == NULL ? NULL : h->p;
        if (p[i] != NULL && g != NULL && keiko_position_game(p[i]) != g)
            p[i] = (PyErr_Format(ext_error, "position %zd is of another game", i), NULL);
        if (p[i] != NULL) continue;
        PyMem_Free(p);
        p = NULL;
    }
    return p;
}

static PyObject *encode(PyObject *self, PyObject *args)
{
    PyObject *list, *to;
    const char *name, *encoding;
    keiko_shape s;
    Py_ssize_t n;
    Py_buffer v;
    (void)self;
    if (!PyArg_ParseTuple(args, "sO!zO", &name, &PyTuple_Type, &list, &encoding, &to)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    if (keiko_game_shape(g, encoding, &s) != 0) return ext_failed();
    const keiko_position **p = ext_positions(list, g, 0, &n);
    if (p == NULL) return NULL;
    int status = 0;
    if (ext_view(to, &v, n * 4 * (Py_ssize_t)(s.planes + s.scalars) * s.rows * s.cols, 1, 0)) {
        status = keiko_encode(p, (int)n, encoding, v.buf);
        PyBuffer_Release(&v);
    }
    PyMem_Free(p);
    if (PyErr_Occurred()) return NULL;
    if (status != 0) return ext_failed();
    Py_RETURN_NONE;
}

PyMethodDef games_methods[] = {
    {"about", about, METH_NOARGS, NULL},
    {"game_names", game_names, METH_NOARGS, NULL},
    {"game_info", game_info, METH_VARARGS, NULL},
    {"game_shape", game_shape, METH_VARARGS, NULL},
    {"game_load", game_load, METH_VARARGS, NULL},
    {"list_json", list_json, METH_VARARGS, NULL},
    {"position_new", position_new, METH_VARARGS, NULL},
    {"position_parse", position_parse, METH_VARARGS, NULL},
    {"position_copy", position_copy, METH_O, NULL},
    {"position_seat", position_seat, METH_O, NULL},
    {"position_legal", position_legal, METH_VARARGS, NULL},
    {"position_mask", position_mask, METH_VARARGS, NULL},
    {"position_play", position_play, METH_VARARGS, NULL},
    {"position_over", position_over, METH_O, NULL},
    {"position_hash", position_hash, METH_O, NULL},
    {"position_text", position_text, METH_VARARGS, NULL},
    {"move_parse", move_parse, METH_VARARGS, NULL},
    {"move_print", move_print, METH_VARARGS, NULL},
    {"position_perft", position_perft, METH_VARARGS, NULL},
    {"encode", encode, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
