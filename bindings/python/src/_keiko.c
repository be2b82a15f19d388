// keiko._keiko: keiko.h for Python, as thin as it can be. The classes that people use are in keiko/*.py.
//
// Objects are capsules around a handle: the pointer, and how many calls use it just now. Long calls run without the GIL; a
// handle that another thread uses meanwhile is refused with a sentence instead of a crash. Arrays come as buffers
// (numpy's), checked for their size, and are written in place. Built against the stable ABI of Python 3.11.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <keiko.h>
#include <string.h>

static PyObject *keiko_exception; // keiko.Error

static PyObject *failed(void)
{
    PyErr_SetString(keiko_exception, keiko_error());
    return NULL;
}

// --- handles

enum { ENV_BUFFERS = 11 };

typedef struct handle {
    void *p;
    void (*free)(void *p);
    int users;   // calls that read it without the GIL; -1: one that changes it
    int n_views; // of an environment
    Py_buffer view[ENV_BUFFERS];
    const keiko_game *game; // of an environment or an evaluator
    Py_ssize_t n;           // places of an environment
} handle;

static const char *const kinds[] = {"position", "agent", "evaluator", "env", "session"};
enum { POSITION, AGENT, EVALUATOR, ENV, SESSION };

static void free_handle(handle *h)
{
    if (h->p != NULL) h->free(h->p);
    for (int i = 0; i < h->n_views; i++) PyBuffer_Release(&h->view[i]);
    PyMem_Free(h);
}

static void free_capsule(PyObject *capsule)
{
    free_handle(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

static PyObject *wrap(int kind, void *p, void (*release)(void *))
{
    handle *h = PyMem_Calloc(1, sizeof *h);
    if (h == NULL) {
        release(p);
        return PyErr_NoMemory();
    }
    h->p = p;
    h->free = release;
    PyObject *o = PyCapsule_New(h, kinds[kind], free_capsule);
    if (o == NULL) free_handle(h);
    return o;
}

static handle *get(PyObject *o, int kind)
{
    handle *h = PyCapsule_GetPointer(o, kinds[kind]);
    if (h != NULL && h->p == NULL) {
        PyErr_Format(keiko_exception, "this %s is closed", kinds[kind]);
        return NULL;
    }
    return h;
}

// The GIL is held here; several readers may share a handle, who changes it has it alone.
static int enter(handle *h, int kind, int alone)
{
    if (h == NULL) return 0;
    if (h->users < 0 || (alone && h->users > 0)) {
        PyErr_Format(keiko_exception, "this %s is in use by another thread", kinds[kind]);
        return 0;
    }
    h->users = alone ? -1 : h->users + 1;
    return 1;
}

static void leave(handle *h)
{
    h->users = h->users < 0 ? 0 : h->users - 1;
}

// For short calls, which keep the GIL: nobody else may be at it.
static handle *idle(PyObject *o, int kind)
{
    handle *h = get(o, kind);
    if (h == NULL || h->users == 0) return h;
    PyErr_Format(keiko_exception, "this %s is in use by another thread", kinds[kind]);
    return NULL;
}

static const keiko_game *game_of(const char *name)
{
    const keiko_game *g = keiko_game_find(name);
    if (g == NULL) failed();
    return g;
}

// A buffer of at least `size` bytes. None gives no buffer, which is fine where `may` is set.
static int view_of(PyObject *o, Py_buffer *v, Py_ssize_t size, int writable, int may)
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

static PyObject *take_text(int status, char *text)
{
    if (status != 0) return failed();
    PyObject *o = PyUnicode_FromString(text);
    keiko_text_free(text);
    return o;
}

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
    const keiko_game *g = game_of(name);
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
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    if (keiko_game_shape(g, encoding, &s) != 0) return failed();
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
    if (keiko_game_load(path) != 0) return failed();
    Py_RETURN_NONE;
}

static PyObject *list_json(PyObject *self, PyObject *args)
{
    const char *what, *name;
    char *text = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "sz", &what, &name)) return NULL;
    const keiko_game *g = name == NULL ? NULL : game_of(name);
    if (name != NULL && g == NULL) return NULL;
    int status = keiko_list(what, g, &text);
    return take_text(status, text);
}

// --- positions

static void free_position(void *p)
{
    keiko_position_free(p);
}

static keiko_position *position(PyObject *o)
{
    handle *h = idle(o, POSITION);
    return h == NULL ? NULL : h->p;
}

static PyObject *position_new(PyObject *self, PyObject *args)
{
    const char *name, *options;
    unsigned long long seed, number;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "szKK", &name, &options, &seed, &number)) return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    return keiko_position_new(g, options, seed, number, &p) != 0 ? failed() : wrap(POSITION, p, free_position);
}

static PyObject *position_parse(PyObject *self, PyObject *args)
{
    const char *name, *text;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "ss", &name, &text)) return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    return keiko_position_parse(g, text, &p) != 0 ? failed() : wrap(POSITION, p, free_position);
}

static PyObject *position_copy(PyObject *self, PyObject *o)
{
    keiko_position *p = position(o), *q;
    (void)self;
    if (p == NULL) return NULL;
    return keiko_position_copy(p, &q) != 0 ? failed() : wrap(POSITION, q, free_position);
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
    if (p == NULL || !view_of(to, &v, 2 * (Py_ssize_t)keiko_game_max_legal(keiko_position_game(p)), 1, 0)) return NULL;
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
    if (p == NULL || !view_of(to, &v, keiko_game_moves(keiko_position_game(p)), 1, 0)) return NULL;
    keiko_position_mask(p, v.buf);
    PyBuffer_Release(&v);
    Py_RETURN_NONE;
}

static int move_of(unsigned long move)
{
    if (move <= 0xffff) return 1;
    PyErr_Format(keiko_exception, "move %lu is not legal here", move);
    return 0;
}

static PyObject *position_play(PyObject *self, PyObject *args)
{
    PyObject *o;
    unsigned long move;
    (void)self;
    if (!PyArg_ParseTuple(args, "Ok", &o, &move) || !move_of(move)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    if (keiko_position_play(p, (uint16_t)move) != 0) return failed();
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
    return keiko_move_parse(p, text, &move) != 0 ? failed() : PyLong_FromLong(move);
}

static PyObject *move_print(PyObject *self, PyObject *args)
{
    PyObject *o;
    unsigned long move;
    char buf[256];
    (void)self;
    if (!PyArg_ParseTuple(args, "Ok", &o, &move) || !move_of(move)) return NULL;
    keiko_position *p = position(o);
    if (p == NULL) return NULL;
    if (move >= (unsigned long)keiko_game_moves(keiko_position_game(p)))
        return PyErr_Format(keiko_exception, "there is no move %lu", move);
    keiko_move_print(p, (uint16_t)move, buf, sizeof buf);
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
    handle *h = get(o, POSITION);
    if (!enter(h, POSITION, 1)) return NULL;
    Py_BEGIN_ALLOW_THREADS n = keiko_position_perft(h->p, depth);
    Py_END_ALLOW_THREADS leave(h);
    return PyLong_FromUnsignedLongLong(n);
}

// The positions of a tuple, borrowed: PyMem_Free the array. NULL with an exception.
static const keiko_position **positions(PyObject *list, const keiko_game *g, int shared, Py_ssize_t *n)
{
    *n = PyTuple_Size(list); // an exception when it is no tuple
    if (*n < 0) return NULL;
    const keiko_position **p = PyMem_Malloc(((size_t)*n + 1) * sizeof *p);
    if (p == NULL) PyErr_NoMemory();
    for (Py_ssize_t i = 0; p != NULL && i < *n; i++) {
        PyObject *o = PyTuple_GetItem(list, i);
        handle *h = shared ? get(o, POSITION) : idle(o, POSITION);
        p[i] = h == NULL ? NULL : h->p;
        if (p[i] != NULL && g != NULL && keiko_position_game(p[i]) != g)
            p[i] = (PyErr_Format(keiko_exception, "position %zd is of another game", i), NULL);
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
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    if (keiko_game_shape(g, encoding, &s) != 0) return failed();
    const keiko_position **p = positions(list, g, 0, &n);
    if (p == NULL) return NULL;
    int status = 0;
    if (view_of(to, &v, n * 4 * (Py_ssize_t)(s.planes + s.scalars) * s.rows * s.cols, 1, 0)) {
        status = keiko_encode(p, (int)n, encoding, v.buf);
        PyBuffer_Release(&v);
    }
    PyMem_Free(p);
    if (PyErr_Occurred()) return NULL;
    if (status != 0) return failed();
    Py_RETURN_NONE;
}

// --- agents

static void free_agent(void *p)
{
    keiko_agent_close(p);
}

static PyObject *agent_open(PyObject *self, PyObject *args)
{
    const char *name, *spec;
    keiko_agent *a;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "ss", &name, &spec)) return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS // it may read a network
        status = keiko_agent_open(g, spec, &a);
    Py_END_ALLOW_THREADS if (status != 0) return failed();
    PyObject *o = wrap(AGENT, a, free_agent);
    if (o != NULL) get(o, AGENT)->game = g;
    return o;
}

static PyObject *agent_begin(PyObject *self, PyObject *args)
{
    PyObject *o;
    unsigned long long seed, number;
    int seat;
    (void)self;
    if (!PyArg_ParseTuple(args, "OKKi", &o, &seed, &number, &seat)) return NULL;
    handle *h = idle(o, AGENT);
    if (h == NULL) return NULL;
    if (seat < 0 || seat >= keiko_game_seats(h->game))
        return PyErr_Format(keiko_exception, "there is no seat %d", seat);
    keiko_agent_begin(h->p, seed, number, seat);
    Py_RETURN_NONE;
}

// An agent and a position of its game, both taken for a call without the GIL.
static int both(PyObject *oa, PyObject *op, handle **a, handle **p)
{
    *a = get(oa, AGENT);
    *p = *a == NULL ? NULL : get(op, POSITION);
    if (*p == NULL) return 0;
    if (keiko_position_game((*p)->p) != (*a)->game) {
        PyErr_SetString(keiko_exception, "the agent plays another game than the position's");
        return 0;
    }
    if (!enter(*a, AGENT, 1)) return 0;
    if (enter(*p, POSITION, 1)) return 1;
    leave(*a);
    return 0;
}

static PyObject *agent_choose(PyObject *self, PyObject *args)
{
    PyObject *oa, *op;
    handle *a, *p;
    uint16_t move;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &oa, &op) || !both(oa, op, &a, &p)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_agent_choose(a->p, p->p, &move);
    Py_END_ALLOW_THREADS leave(a);
    leave(p);
    return status != 0 ? failed() : PyLong_FromLong(move);
}

static PyObject *agent_saw(PyObject *self, PyObject *args)
{
    PyObject *oa, *op;
    handle *a, *p;
    unsigned long move;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOk", &oa, &op, &move) || !move_of(move) || !both(oa, op, &a, &p)) return NULL;
    keiko_agent_saw(a->p, p->p, (uint16_t)move);
    leave(a);
    leave(p);
    Py_RETURN_NONE;
}

static PyObject *line_dict(const keiko_line *l)
{
    PyObject *pv = PyList_New(0);
    for (int i = 0; pv != NULL && i < l->length; i++) {
        PyObject *m = PyLong_FromLong(l->pv[i]);
        if (m == NULL || PyList_Append(pv, m) != 0) Py_CLEAR(pv);
        Py_XDECREF(m);
    }
    if (pv == NULL) return NULL;
    PyObject *value = l->value < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble((double)l->value);
    PyObject *prior = l->prior < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble((double)l->prior);
    PyObject *margin = l->has_margin ? PyFloat_FromDouble((double)l->margin) : Py_NewRef(Py_None);
    return Py_BuildValue("{s:i,s:N,s:N,s:N,s:i,s:K,s:N,s:s}", "move", (int)l->move, "value", value, "prior", prior,
                         "margin", margin, "depth", l->depth, "visits", (unsigned long long)l->visits, "pv", pv, "text",
                         l->text);
}

static PyObject *agent_analyse(PyObject *self, PyObject *args)
{
    PyObject *oa, *op;
    handle *a, *p;
    int want, n = 0, status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOi", &oa, &op, &want)) return NULL;
    if (want < 1 || want > 4096) return PyErr_Format(PyExc_ValueError, "1 to 4096 lines, not %d", want);
    keiko_line *lines = PyMem_Calloc((size_t)want, sizeof *lines);
    if (lines == NULL) return PyErr_NoMemory();
    if (!both(oa, op, &a, &p)) {
        PyMem_Free(lines);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = keiko_agent_analyse(a->p, p->p, want, lines, &n);
    Py_END_ALLOW_THREADS leave(a);
    leave(p);
    PyObject *list = status != 0 ? failed() : PyList_New(0);
    for (int i = 0; list != NULL && i < n; i++) {
        PyObject *one = line_dict(&lines[i]);
        if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    PyMem_Free(lines);
    return list;
}

// --- evaluators

static void free_evaluator(void *p)
{
    keiko_evaluator_close(p);
}

static PyObject *evaluator_open(PyObject *self, PyObject *args)
{
    const char *name, *model;
    keiko_evaluator_options o = {.size = sizeof o};
    keiko_evaluator *e;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "sszzzi", &name, &model, &o.backend, &o.encoding, &o.precision, &o.max_batch))
        return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_evaluator_open(g, model, &o, &e);
    Py_END_ALLOW_THREADS if (status != 0) return failed();
    PyObject *capsule = wrap(EVALUATOR, e, free_evaluator);
    if (capsule != NULL) get(capsule, EVALUATOR)->game = g;
    return capsule;
}

static PyObject *evaluate(PyObject *self, PyObject *args)
{
    PyObject *o, *list, *to_values, *to_policy;
    Py_buffer values, policy;
    Py_ssize_t n;
    int status = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO!OO", &o, &PyTuple_Type, &list, &to_values, &to_policy)) return NULL;
    handle *e = get(o, EVALUATOR);
    const keiko_position **p = e == NULL ? NULL : positions(list, e->game, 1, &n);
    if (p == NULL) return NULL;
    if (!view_of(to_values, &values, 4 * n, 1, 1)) goto done;
    if (!view_of(to_policy, &policy, 4 * n * keiko_game_moves(e->game), 1, 1)) {
        PyBuffer_Release(&values);
        goto done;
    }
    // A position may be there twice: readers share it.
    Py_ssize_t taken = 0;
    while (taken < n && enter(get(PyTuple_GetItem(list, taken), POSITION), POSITION, 0)) taken++;
    if (taken == n && enter(e, EVALUATOR, 0)) {
        Py_BEGIN_ALLOW_THREADS status = keiko_evaluate(e->p, p, (int)n, values.buf, policy.buf);
        Py_END_ALLOW_THREADS Py_DECREF(list);
        leave(e);
    }
    for (Py_ssize_t i = 0; i < taken; i++) leave(PyCapsule_GetPointer(PyTuple_GetItem(list, i), kinds[POSITION]));
    PyBuffer_Release(&values);
    PyBuffer_Release(&policy);
done:
    PyMem_Free(p);
    if (PyErr_Occurred()) return NULL;
    if (status != 0) return failed();
    Py_RETURN_NONE;
}

// --- environments

static void free_env(void *p)
{
    keiko_env_close(p);
}

// The buffers by name, in the order of the struct, each with the bytes one place needs.
static int env_views(handle *h, PyObject *dict, keiko_env_buffers *b, const keiko_env_options *o)
{
    keiko_shape s;
    if (keiko_game_shape(o->game, o->encoding, &s) != 0) return failed(), 0;
    const Py_ssize_t cells = (Py_ssize_t)s.planes * s.rows * s.cols * (o->floats ? 4 : 1);
    const struct {
        const char *name;
        void *at;
        Py_ssize_t each;
    } rows[ENV_BUFFERS] = {{"planes", &b->planes, cells},
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
    for (int i = 0; i < ENV_BUFFERS; i++) {
        PyObject *one = PyDict_GetItemString(dict, rows[i].name);
        if (one == NULL || one == Py_None) continue;
        Py_buffer *v = &h->view[h->n_views];
        if (!view_of(one, v, h->n * rows[i].each, 1, 0)) return 0;
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
    unsigned long long seed;
    keiko_env *e;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "szzziiipKO!", &name, &o.options, &o.encoding, &o.opponent, &o.n, &o.threads,
                          &o.max_plies, &o.floats, &seed, &PyDict_Type, &dict))
        return NULL;
    o.game = game_of(name);
    o.seed = seed;
    if (o.game == NULL) return NULL;
    if (o.n < 1) return PyErr_Format(PyExc_ValueError, "at least one game, not %d", o.n);
    handle *h = PyMem_Calloc(1, sizeof *h);
    if (h == NULL) return PyErr_NoMemory();
    h->game = o.game;
    h->n = o.n;
    h->free = free_env;
    if (!env_views(h, dict, &b, &o)) {
        free_handle(h);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = keiko_env_open(&o, &b, &e);
    Py_END_ALLOW_THREADS if (status != 0)
    {
        free_handle(h);
        return failed();
    }
    h->p = e;
    PyObject *capsule = PyCapsule_New(h, kinds[ENV], free_capsule);
    if (capsule == NULL) free_handle(h);
    return capsule;
}

static PyObject *env_reset(PyObject *self, PyObject *args)
{
    PyObject *o, *seed_or_none;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &o, &seed_or_none)) return NULL;
    uint64_t seed = 0;
    if (seed_or_none != Py_None) seed = PyLong_AsUnsignedLongLong(seed_or_none);
    if (PyErr_Occurred()) return NULL;
    handle *h = get(o, ENV);
    if (!enter(h, ENV, 1)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_env_reset(h->p, seed_or_none == Py_None ? NULL : &seed);
    Py_END_ALLOW_THREADS leave(h);
    if (status != 0) return failed();
    Py_RETURN_NONE;
}

static PyObject *env_step(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    Py_buffer moves;
    int status;
    (void)self;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "env_step takes an environment and moves");
    handle *h = get(args[0], ENV);
    if (h == NULL || !view_of(args[1], &moves, 4 * h->n, 0, 0)) return NULL;
    if (!enter(h, ENV, 1)) {
        PyBuffer_Release(&moves);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = keiko_env_step(h->p, moves.buf);
    Py_END_ALLOW_THREADS leave(h);
    PyBuffer_Release(&moves);
    if (status != 0) return failed();
    Py_RETURN_NONE;
}

static PyObject *env_position(PyObject *self, PyObject *args)
{
    PyObject *o;
    int i;
    keiko_position *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "Oi", &o, &i)) return NULL;
    handle *h = idle(o, ENV);
    if (h == NULL) return NULL;
    if (i < 0 || i >= h->n) return PyErr_Format(PyExc_IndexError, "there is no game %d", i);
    return keiko_env_position(h->p, i, &p) != 0 ? failed() : wrap(POSITION, p, free_position);
}

// Any kind: frees what it holds now; the capsule stays as something closed.
static PyObject *close_handle(PyObject *self, PyObject *o)
{
    (void)self;
    const char *name = PyCapsule_GetName(o);
    handle *h = name == NULL ? NULL : PyCapsule_GetPointer(o, name);
    if (h == NULL) return NULL;
    if (h->users != 0) return PyErr_Format(keiko_exception, "this %s is in use by another thread", name);
    if (h->p != NULL) h->free(h->p);
    h->p = NULL;
    for (int i = 0; i < h->n_views; i++) PyBuffer_Release(&h->view[i]);
    h->n_views = 0;
    Py_RETURN_NONE;
}

// --- sessions

static void free_session(void *p)
{
    keiko_session_close(p);
}

static PyObject *session_open(PyObject *self, PyObject *args)
{
    const char *name, *options, *at;
    unsigned long long seed;
    keiko_session *s;
    (void)self;
    if (!PyArg_ParseTuple(args, "szzK", &name, &options, &at, &seed)) return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    return keiko_session_open(g, options, at, seed, &s) != 0 ? failed() : wrap(SESSION, s, free_session);
}

static PyObject *session_import(PyObject *self, PyObject *args)
{
    const char *name, *text;
    Py_ssize_t size;
    keiko_session *s;
    (void)self;
    if (!PyArg_ParseTuple(args, "zs#", &name, &text, &size)) return NULL;
    const keiko_game *g = name == NULL ? NULL : game_of(name);
    if (name != NULL && g == NULL) return NULL;
    return keiko_session_import(g, text, (size_t)size, &s) != 0 ? failed() : wrap(SESSION, s, free_session);
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
    handle *h = get(o, SESSION);
    if (!enter(h, SESSION, 1)) return NULL;
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
    Py_END_ALLOW_THREADS leave(h);
    if (status != 0) return failed();
    if (out != NULL) return take_text(0, out);
    Py_RETURN_NONE;
}

static PyObject *session_stop(PyObject *self, PyObject *o)
{
    handle *h = get(o, SESSION);
    (void)self;
    if (h == NULL) return NULL;
    keiko_session_stop(h->p); // from any thread
    Py_RETURN_NONE;
}

static PyObject *session_position(PyObject *self, PyObject *o)
{
    handle *h = idle(o, SESSION);
    keiko_position *p;
    (void)self;
    if (h == NULL) return NULL;
    return keiko_session_position(h->p, &p) != 0 ? failed() : wrap(POSITION, p, free_position);
}

// --- training and matches

typedef struct listener {
    PyObject *call;
    PyThreadState *saved;
    int raised;
} listener;

static PyObject *progress_dict(const keiko_progress *p)
{
    PyObject *elo = p->rated ? Py_BuildValue("(ddd)", p->elo, p->elo_low, p->elo_high) : Py_NewRef(Py_None);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:d,s:d,s:N}", "step", (unsigned long long)p->step, "games",
                         (unsigned long long)p->games, "positions", (unsigned long long)p->positions, "simulations",
                         (unsigned long long)p->simulations, "seconds", p->seconds, "loss", p->loss, "elo", elo);
}

// A true answer ends the training, and so does an exception or Ctrl-C.
static int each_round(void *ctx, const keiko_progress *p)
{
    listener *l = ctx;
    PyEval_RestoreThread(l->saved);
    int stop = PyErr_CheckSignals() != 0;
    if (!stop && l->call != Py_None) {
        PyObject *dict = progress_dict(p);
        PyObject *answer = dict == NULL ? NULL : PyObject_CallFunctionObjArgs(l->call, dict, NULL);
        stop = answer == NULL ? 1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        Py_XDECREF(dict);
    }
    if (PyErr_Occurred()) l->raised = stop = 1;
    l->saved = PyEval_SaveThread();
    return stop != 0;
}

static PyObject *train(PyObject *self, PyObject *args)
{
    const char *name;
    keiko_training t = {.size = sizeof t};
    unsigned long long seed, steps, games;
    listener l = {0};
    keiko_progress end = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "szpzzziKdKKzO", &name, &t.run, &t.resume, &t.preset, &t.config, &t.backend, &t.threads,
                          &seed, &t.minutes, &steps, &games, &t.model, &l.call))
        return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    t.seed = seed;
    t.steps = steps;
    t.games = games;
    t.each = each_round;
    t.ctx = &l;
    l.saved = PyEval_SaveThread();
    int status = keiko_train(g, &t, &end);
    PyEval_RestoreThread(l.saved);
    if (l.raised) return NULL;
    return status != 0 ? failed() : progress_dict(&end);
}

static PyObject *match(PyObject *self, PyObject *args)
{
    const char *name, *first, *second;
    int pairs, threads, status;
    unsigned long long seed;
    keiko_score s;
    (void)self;
    if (!PyArg_ParseTuple(args, "sssiKi", &name, &first, &second, &pairs, &seed, &threads)) return NULL;
    const keiko_game *g = game_of(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_match(g, first, second, pairs, seed, threads, &s);
    Py_END_ALLOW_THREADS if (status != 0) return failed();
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:d,s:d,s:d}", "games", (unsigned long long)s.games, "wins",
                         (unsigned long long)s.wins, "draws", (unsigned long long)s.draws, "losses",
                         (unsigned long long)s.losses, "score", s.score, "low", s.low, "high", s.high);
}

static PyObject *bench(PyObject *self, PyObject *args)
{
    const char *config, *folder;
    int threads, status;
    char *text = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "szi", &config, &folder, &threads)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_bench(config, folder, threads, &text);
    Py_END_ALLOW_THREADS return take_text(status, text);
}

// --- the module

static PyMethodDef methods[] = {
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
    {"agent_open", agent_open, METH_VARARGS, NULL},
    {"agent_begin", agent_begin, METH_VARARGS, NULL},
    {"agent_choose", agent_choose, METH_VARARGS, NULL},
    {"agent_saw", agent_saw, METH_VARARGS, NULL},
    {"agent_analyse", agent_analyse, METH_VARARGS, NULL},
    {"evaluator_open", evaluator_open, METH_VARARGS, NULL},
    {"evaluate", evaluate, METH_VARARGS, NULL},
    {"env_open", env_open, METH_VARARGS, NULL},
    {"env_reset", env_reset, METH_VARARGS, NULL},
    {"env_step", (PyCFunction)(void (*)(void))env_step, METH_FASTCALL, NULL},
    {"env_position", env_position, METH_VARARGS, NULL},
    {"close", close_handle, METH_O, NULL},
    {"session_open", session_open, METH_VARARGS, NULL},
    {"session_import", session_import, METH_VARARGS, NULL},
    {"session_do", session_do, METH_VARARGS, NULL},
    {"session_stop", session_stop, METH_O, NULL},
    {"session_position", session_position, METH_O, NULL},
    {"train", train, METH_VARARGS, NULL},
    {"match", match, METH_VARARGS, NULL},
    {"bench", bench, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "keiko._keiko", .m_doc = "keiko.h for Python",
                                    .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__keiko(void)
{
    PyObject *m = PyModule_Create(&module);
    if (m == NULL) return NULL;
    keiko_exception = PyErr_NewException("keiko.Error", PyExc_ValueError, NULL);
    if (keiko_exception == NULL || PyModule_AddObjectRef(m, "Error", keiko_exception) != 0) Py_CLEAR(m);
    return m;
}
