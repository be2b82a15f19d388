// A folder of a test's own, removed with all that is in it.
#ifndef KEIKO_TESTS_TEMP_DIR_H
#define KEIKO_TESTS_TEMP_DIR_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline char *temp_dir_make(char path[64])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, 64, "%.30s/keiko_test_XXXXXX", base == NULL ? "/tmp" : base);
    return mkdtemp(path);
}

static inline void temp_dir_remove(const char *path)
{
    chmod(path, 0700);
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char inner[4096];
        struct stat st;
        if (snprintf(inner, sizeof inner, "%s/%s", path, e->d_name) >= (int)sizeof inner) continue;
        if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode))
            temp_dir_remove(inner);
        else
            unlink(inner);
    }
    if (d != NULL) closedir(d);
    rmdir(path);
}

// Entries of a folder, "." and ".." not counted.
static inline int temp_dir_count(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d != NULL) closedir(d);
    return n;
}

#endif
