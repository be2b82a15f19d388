// Which shape of the fused tower runs a batch, and how it lies in shared memory. See tower.h.
#include "nn/cuda/tower.cuh"

enum { SMEM_MOST = 232448, DUMP = 512, STAGES_MOST = 12 };

extern "C" int tower_run_64(const tower_shape *s, const tower_args *a, int sms, void *stream);
extern "C" int tower_run_128(const tower_shape *s, const tower_args *a, int sms, void *stream);
extern "C" int tower_run_256(const tower_shape *s, const tower_args *a, int sms, void *stream);
extern "C" int tower_run_fp8(const tower_shape *s, const tower_args *a, int sms, void *stream);

extern "C" int tower_layout(const tower_shape *s, tower_args *a)
{
    int planes = s->channels / 8, inputs = a->stem_steps / 9 * 2, stage = tower_stage(s->channels, s->fp8);
    a->nb = s->nb;
    a->pitch = a->cols + 1;
    a->group = s->skip ? a->pitch * 16 : 128;
    a->plane = (a->rows + 1) * s->nb * a->pitch * 16;
    // behind the last plane: a zero row, and the cell after it
    a->act = (planes > inputs ? planes : inputs) * a->plane + s->nb * a->pitch * 16 + 32;
    a->ring = ((s->channels == 64 ? TOWER_BOARDS : 1) * a->act + 1023) / 1024 * 1024;
    a->stages = (SMEM_MOST - a->ring - DUMP) / (stage + 16);
    if (a->stages > STAGES_MOST) a->stages = STAGES_MOST;
    a->smem = a->ring + a->stages * (stage + 16) + DUMP;
    // groups past the last cell read up to two rows and a group further: still inside the ring
    return a->stages >= 3;
}

extern "C" tower_shape tower_choose(int channels, int rows, int cols, int inputs, int fp8, int n, int sms)
{
    static const int widths[] = {64, 128, 192, 240, 256};
    tower_shape best = {};
    double least = 0;
    int c = channels <= 64 ? 64 : channels <= 128 ? 128 : 256, skip = rows == 8 && cols == 8;
    if (channels > 256) return best;
    for (int k = 0; k < 5; k++) {
        int width = widths[k];
        if (skip ? width == 192 || width == 240 : width == 256) continue;
        if (c == 256 && width > 128) continue;
        int nb = skip ? width / 64 : width / (rows * (cols + 1));
        if (nb < 1) continue;
        tower_shape s = {c, width, skip, nb, fp8};
        tower_args a = {};
        a.rows = rows, a.cols = cols, a.stem_steps = 9 * ((inputs + 15) / 16);
        if (!tower_layout(&s, &a)) continue;
        // a tile's time grows with its width from a fixed part (weights must stream in, layers follow each other)
        int boards = c == 64 ? TOWER_BOARDS * nb : nb, tiles = (n + boards - 1) / boards;
        double time = (double)((tiles + sms - 1) / sms) * (40 + 0.72 * width);
        if (best.channels == 0 || time < least) best = s, least = time;
    }
    return best;
}

extern "C" int tower_run(const tower_shape *s, const tower_args *a, int sms, void *stream)
{
    if (s->fp8) return tower_run_fp8(s, a, sms, stream);
    if (s->channels == 64) return tower_run_64(s, a, sms, stream);
    return s->channels == 128 ? tower_run_128(s, a, sms, stream) : tower_run_256(s, a, sms, stream);
}
