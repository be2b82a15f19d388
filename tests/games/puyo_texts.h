// Fields and pairs from text, for tests of Puyo.
#ifndef KEIKO_TESTS_PUYO_TEXTS_H
#define KEIKO_TESTS_PUYO_TEXTS_H

#include "games/puyo/puyo.h"
#include "test.h"

static inline py_field field_of(const char *rows) // "RB..../RR....", the top row first
{
    py_field f;
    assert_ok(py_field_parse(rows, &f));
    return f;
}

static inline uint8_t pair_of(const char *two) // "RB": the main puyo first
{
    return py_pair(py_code(two[0]), py_code(two[1]));
}

#endif
