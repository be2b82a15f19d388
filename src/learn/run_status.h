// Where a run stands, read from its folder by anyone: `keiko status`, `keiko report`, the page. Nothing is changed there.
#ifndef KEIKO_LEARN_RUN_STATUS_H
#define KEIKO_LEARN_RUN_STATUS_H

#include "base/err.h"

#include <stdbool.h>

typedef struct run_info { // run.txt
    char game[64], algo[64], began[32], version[64];
} run_info;

err run_info_read(run_info *info, const char *dir); // ERR_MISSING when the folder holds no run
long run_holder(const char *dir);                   // the process that trains there, 0 = none

#endif
