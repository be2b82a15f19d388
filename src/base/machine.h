// What this machine is, in numbers that explain speed: caches, memory, disk. For `keiko doctor` and reports.
#ifndef KEIKO_BASE_MACHINE_H
#define KEIKO_BASE_MACHINE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

// Bytes of one core's data cache at a level (1, 2, 3); 0 where the system does not tell.
size_t machine_cache(int level);

double machine_memory(void);    // bytes this process may use: the machine's, or its control group's limit
double machine_available(void); // of those, free now; 0 where the system does not tell

typedef struct machine_disk {
    double free_bytes;
    double write_bytes_s; // a large file, flushed to the disk
    double atomic_s; // one small file written beside, flushed, renamed: what each checkpoint file costs; the median
} machine_disk;

// Writes `size` bytes into `dir` and removes them again.
err machine_disk_measure(const char *dir, size_t size, machine_disk *out);

#endif
