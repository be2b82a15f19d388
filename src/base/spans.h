// How much of the time was covered by spans that overlap and come in no order: how long was somebody at work?
//
// Disjoint spans are kept, sorted, and grow together as others join them. When there is no more room the oldest is only
// counted, and what comes later of the time before its end is taken as covered by it.
#ifndef KEIKO_BASE_SPANS_H
#define KEIKO_BASE_SPANS_H

enum { SPANS_KEPT = 128 };

typedef struct spans { // zero: none yet
    double from[SPANS_KEPT], to[SPANS_KEPT];
    int n;
    double counted; // of those that were let go
    double floor;   // where the last of them ended
    int let_go;
} spans;

void spans_add(spans *s, double from, double to); // nothing when it is empty
double spans_covered(const spans *s);

#endif
