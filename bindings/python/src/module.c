// The module keiko._keiko: the functions of all files, and keiko.Error.
#include "inner.h"

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "keiko._keiko", .m_doc = "keiko.h for Python",
                                    .m_size = -1};

PyMODINIT_FUNC PyInit__keiko(void)
{
    PyMethodDef *const tables[] = {handle_methods, games_methods,    agents_methods,
                                   env_methods,    sessions_methods, run_methods};
    PyObject *m = PyModule_Create(&module);
    for (size_t i = 0; m != NULL && i < sizeof tables / sizeof *tables; i++)
        if (PyModule_AddFunctions(m, tables[i]) != 0) Py_CLEAR(m);
    if (m == NULL) return NULL;
    ext_error = PyErr_NewException("keiko.Error", PyExc_ValueError, NULL);
    if (ext_error == NULL || PyModule_AddObjectRef(m, "Error", ext_error) != 0) Py_CLEAR(m);
    return m;
}
