// Runs a fuzz harness over files named on the command line (folders are walked), without libFuzzer.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return;
    uint8_t *data = malloc(1 << 20);
    size_t n = data == NULL ? 0 : fread(data, 1, 1 << 20, f);
    fclose(f);
    // An exact-size copy, so that ASan sees a read past the end.
    uint8_t *exact = malloc(n ? n : 1);
    for (size_t i = 0; exact != NULL && i < n; i++) exact[i] = data[i];
    if (exact != NULL) LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    free(data);
    replayed++;
}

static void replay_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return;
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path);
        return;
    }
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        if (e->d_name[0] == '.') continue;
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        replay_path(inner);
    }
    if (d != NULL) closedir(d);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) replay_path(argv[i]);
    printf("%d inputs replayed\n", replayed);
    return replayed > 0 ? 0 : 1;
}
