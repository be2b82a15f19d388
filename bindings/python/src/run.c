// Training and matches: calls that take minutes.
#include "inner.h"

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
    listener l = {0};
    keiko_progress end = {0};
    (void)self;
    if (!PyArg_ParseTuple(args, "szpzzziO&dO&O&zO", &name, &t.run, &t.resume, &t.preset, &t.config, &t.backend,
                          &t.threads, ext_u64, &t.seed, &t.minutes, ext_u64, &t.steps, ext_u64, &t.games, &t.model,
                          &l.call))
        return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    t.each = each_round;
    t.ctx = &l;
    l.saved = PyEval_SaveThread();
    int status = keiko_train(g, &t, &end);
    PyEval_RestoreThread(l.saved);
    if (l.raised) return NULL;
    return status != 0 ? ext_failed() : progress_dict(&end);
}

static PyObject *match(PyObject *self, PyObject *args)
{
    const char *name, *first, *second;
    int pairs, threads, status;
    uint64_t seed;
    keiko_score s;
    (void)self;
    if (!PyArg_ParseTuple(args, "sssiO&i", &name, &first, &second, &pairs, ext_u64, &seed, &threads)) return NULL;
    const keiko_game *g = ext_game(name);
    if (g == NULL) return NULL;
    Py_BEGIN_ALLOW_THREADS status = keiko_match(g, first, second, pairs, seed, threads, &s);
    Py_END_ALLOW_THREADS if (status != 0) return ext_failed();
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
    Py_END_ALLOW_THREADS return ext_text(status, text);
}

PyMethodDef run_methods[] = {
    {"train", train, METH_VARARGS, NULL},
    {"match", match, METH_VARARGS, NULL},
    {"bench", bench, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
