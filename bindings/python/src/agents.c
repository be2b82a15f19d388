// Agents and networks: who chooses moves, and what a network says of positions.
#include "inner.h"

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
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS // it may read a network
        status = keiko_agent_open(g, spec, &a);
    Py_END_ALLOW_THREADS if (status != 0) return ext_failed();
    PyObject *o = ext_wrap(AGENT, a, free_agent);
    if (o != NULL) ext_get(o, AGENT)->game = g;
    return o;
}

static PyObject *agent_begin(PyObject *self, PyObject *args)
{
    PyObject *o;
    uint64_t seed, number;
    int seat;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO&O&i", &o, ext_u64, &seed, ext_u64, &number, &seat)) return NULL;
    ext_handle *h = ext_idle(o, AGENT);
    if (h == NULL) return NULL;
    if (seat < 0 || seat >= keiko_game_seats(h->game)) return PyErr_Format(ext_error, "there is no seat %d", seat);
    keiko_agent_begin(h->p, seed, number, seat);
    Py_RETURN_NONE;
}

// An agent and a position of its game, both taken for a call without the GIL.
static int both(PyObject *oa, PyObject *op, ext_handle **a, ext_handle **p)
{
    *a = ext_get(oa, AGENT);
    *p = *a == NULL ? NULL : ext_get(op, POSITION);
    if (*p == NULL) return 0;
    if (keiko_position_game((*p)->p) != (*a)->game) {
        PyErr_SetString(ext_error, "the agent plays another game than the position's");
        return 0;
    }
    if (!ext_enter(*a, AGENT, 1)) return 0;
    if (ext_enter(*p, POSITION, 1)) return 1;
    ext_leave(*a);
    return 0;
}

static PyObject *agent_choose(PyObject *self, PyObject *args)
{
    PyObject *oa, *op;
    ext_handle *a, *p;
    uint16_t move;
    int status;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &oa, &op) || !both(oa, op, &a, &p)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_agent_choose(a->p, p->p, &move);
    Py_END_ALLOW_THREADS ext_leave(a);
    ext_leave(p);
    return status != 0 ? ext_failed() : PyLong_FromLong(move);
}

static PyObject *agent_saw(PyObject *self, PyObject *args)
{
    PyObject *oa, *op;
    ext_handle *a, *p;
    uint16_t move;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO&", &oa, &op, ext_move, &move) || !both(oa, op, &a, &p)) return NULL;
    keiko_agent_saw(a->p, p->p, move);
    ext_leave(a);
    ext_leave(p);
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
    ext_handle *a, *p;
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
    Py_END_ALLOW_THREADS ext_leave(a);
    ext_leave(p);
    PyObject *list = status != 0 ? ext_failed() : PyList_New(0);
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
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_evaluator_open(g, model, &o, &e);
    Py_END_ALLOW_THREADS if (status != 0) return ext_failed();
    PyObject *capsule = ext_wrap(EVALUATOR, e, free_evaluator);
    if (capsule != NULL) ext_get(capsule, EVALUATOR)->game = g;
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
    ext_handle *e = ext_get(o, EVALUATOR);
    const keiko_position **p = e == NULL ? NULL : ext_positions(list, e->game, 1, &n);
    if (p == NULL) return NULL;
    if (!ext_view(to_values, &values, 4 * n, 1, 1)) goto done;
    if (!ext_view(to_policy, &policy, 4 * n * keiko_game_moves(e->game), 1, 1)) {
        PyBuffer_Release(&values);
        goto done;
    }
    // A position may be there twice: readers share it.
    Py_ssize_t taken = 0;
    while (taken < n && ext_enter(ext_get(PyTuple_GetItem(list, taken), POSITION), POSITION, 0)) taken++;
    if (taken == n && ext_enter(e, EVALUATOR, 0)) {
        Py_BEGIN_ALLOW_THREADS status = keiko_evaluate(e->p, p, (int)n, values.buf, policy.buf);
        Py_END_ALLOW_THREADS ext_leave(e);
    }
    for (Py_ssize_t i = 0; i < taken; i++)
        ext_leave(PyCapsule_GetPointer(PyTuple_GetItem(list, i), ext_kinds[POSITION]));
    PyBuffer_Release(&values);
    PyBuffer_Release(&policy);
done:
    PyMem_Free(p);
    if (PyErr_Occurred()) return NULL;
    if (status != 0) return ext_failed();
    Py_RETURN_NONE;
}

PyMethodDef agents_methods[] = {
    {"agent_open", agent_open, METH_VARARGS, NULL},       {"agent_begin", agent_begin, METH_VARARGS, NULL},
    {"agent_choose", agent_choose, METH_VARARGS, NULL},   {"agent_saw", agent_saw, METH_VARARGS, NULL},
    {"agent_analyse", agent_analyse, METH_VARARGS, NULL}, {"evaluator_open", evaluator_open, METH_VARARGS, NULL},
    {"evaluate", evaluate, METH_VARARGS, NULL},           {NULL, NULL, 0, NULL},
};
