// Reads /sys and /proc where they are, and measures the disk. See machine.h.
#include "base/machine.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

// The first line of a small system file; false when there is none.
static bool first_line(const char *path, char *buf, size_t n)
{
    FILE *f = fopen(path, "r");
    if (f == NULL) return false;
    bool ok = fgets(buf, (int)n, f) != NULL;
    fclose(f);
    if (ok) buf[strcspn(buf, "\n")] = 0;
    return ok;
}

size_t machine_cache(int level)
{
    for (int i = 0; i < 8; i++) {
        char path[96], text[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        if (!first_line(path, text, sizeof text)) return 0;
        if (atoi(text) != level) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        if (!first_line(path, text, sizeof text) || strcmp(text, "Instruction") == 0) continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        if (!first_line(path, text, sizeof text)) return 0;
        char *unit;
        size_t v = strtoul(text, &unit, 10);
        return *unit == 'K' ? v << 10 : *unit == 'M' ? v << 20 : v;
    }
    return 0;
}

double machine_memory(void)
{
    char text[64];
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double all = pages > 0 && page > 0 ? (double)pages * (double)page : 0.0;
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    for (int i = 0; i < 2; i++) {
        if (!first_line(limits[i], text, sizeof text)) continue;
        double v = strtod(text, NULL); // "max" is 0: no limit
        if (v > 0.0 && v < all) all = v;
    }
    return all;
}

double machine_available(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0.0;
    while (f != NULL && kib == 0.0 && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0) kib = strtod(line + 13, NULL);
    if (f != NULL) fclose(f);
    return 1024.0 * kib;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

err machine_disk_measure(const char *dir, size_t size, machine_disk *out)
{
    enum { TRIES = 11, PIECE = 1 << 20 };
    char path[FILE_PATH], name[64];
    double took[TRIES];
    struct statvfs fs;
    machine_disk d = {0};
    snprintf(name, sizeof name, "keiko-disk-test-%ld", (long)getpid());
    err e = file_join(path, sizeof path, dir, name);
    if (e != ERR_OK) return e;
    if (statvfs(dir, &fs) != 0) return err_set(ERR_IO, "cannot look at the disk of %s: %s", dir, strerror(errno));
    d.free_bytes = (double)fs.f_bavail * (double)fs.f_frsize;
    if (d.free_bytes < 2.0 * (double)size) return err_set(ERR_IO, "%s has only %.0f MB free", dir, d.free_bytes / 1e6);
    char *piece = malloc(PIECE);
    if (piece == NULL) return err_set(ERR_MEMORY, "out of memory while measuring the disk");
    for (size_t i = 0; i < PIECE; i++) piece[i] = (char)(unsigned char)(i * 2654435761u >> 13); // nothing to compress
    file_out *f = NULL;
    double start = clock_seconds();
    e = file_out_open(&f, path);
    for (size_t at = 0; e == ERR_OK && at < size; at += PIECE) e = file_out_write(f, piece, PIECE);
    if (f != NULL) e = file_out_commit(f);
    d.write_bytes_s = (double)size / (clock_seconds() - start);
    for (int i = 0; e == ERR_OK && i < TRIES; i++) {
        start = clock_seconds();
        e = file_write_atomic(path, piece, 4096);
        took[i] = clock_seconds() - start;
    }
    if (e == ERR_OK) {
        qsort(took, TRIES, sizeof *took, by_size);
        d.atomic_s = took[TRIES / 2];
        *out = d;
    }
    free(piece);
    (void)unlink(path);
    return e;
}
