// Kernels that sum rows of the weight table: one set for float cells (learning), one for int8 cells (prediction).
//
// The loops are plain C that compilers vectorise well. On x86-64 each is compiled twice, for the baseline and for AVX2,
// and the set is chosen when the extension is loaded, so that one wheel is fast everywhere. No FMA: a sum must not
// depend on the machine. Widths are multiples of ROW_BLOCK, so the loops have no tails; the padding of a row is
// whatever cells come next and is never looked at.
#ifndef SPACY_JOINT_ROWS_H
#define SPACY_JOINT_ROWS_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
#include <xmmintrin.h>
#define ROWS_RESTRICT __restrict
#define ROWS_PREFETCH(address) _mm_prefetch((const char*)(address), _MM_HINT_T0)
#else
#define ROWS_RESTRICT __restrict__
#define ROWS_PREFETCH(address) __builtin_prefetch(address)
#endif

#if !defined(_MSC_VER) && (defined(__x86_64__) || defined(__i386__))
#define ROWS_HAVE_AVX2 1
#define ROWS_AVX2 __attribute__((target("avx2")))
#else
#define ROWS_HAVE_AVX2 0
#endif

enum { ROW_BLOCK = 16 };

// sum_bytes and cell_bytes: the size of an element of a sum and of a cell of the table.
typedef struct {
    int cell_bytes;
    int sum_bytes;
    // sum := the rows of `table` that start at cells offsets[0..n_rows)
    void (*sum_rows)(void* sum, const void* table, const uint64_t* offsets, int n_rows, int width);
    // total += sum
    void (*add_sum)(void* total, const void* sum, int width);
    // scores := total * scale
    void (*to_scores)(float* scores, const void* total, int width, float scale);
} KernelsC;

#define ROWS_DEFINE(suffix, target, cell_t, sum_t)                                                              \
    target static void sum_rows_##suffix(void* out, const void* table, const uint64_t* offsets, int n_rows,     \
                                         int width) {                                                           \
        sum_t* ROWS_RESTRICT sum = (sum_t*)out;                                                                 \
        for (int c = 0; c < width; c++) sum[c] = 0;                                                             \
        for (int r = 0; r < n_rows; r++) {                                                                      \
            const cell_t* ROWS_RESTRICT row = (const cell_t*)table + offsets[r];                                \
            for (int b = 0; b < width; b += ROW_BLOCK)                                                          \
                for (int c = 0; c < ROW_BLOCK; c++) sum[b + c] = (sum_t)(sum[b + c] + row[b + c]);              \
        }                                                                                                       \
    }                                                                                                           \
    target static void add_sum_##suffix(void* out, const void* in, int width) {                                 \
        sum_t* ROWS_RESTRICT total = (sum_t*)out;                                                               \
        const sum_t* ROWS_RESTRICT sum = (const sum_t*)in;                                                      \
        for (int b = 0; b < width; b += ROW_BLOCK)                                                              \
            for (int c = 0; c < ROW_BLOCK; c++) total[b + c] = (sum_t)(total[b + c] + sum[b + c]);              \
    }                                                                                                           \
    target static void to_scores_##suffix(float* ROWS_RESTRICT scores, const void* in, int width, float scale) { \
        const sum_t* ROWS_RESTRICT total = (const sum_t*)in;                                                    \
        for (int c = 0; c < width; c++) scores[c] = (float)total[c] * scale;                                    \
    }                                                                                                           \
    static const KernelsC kernels_##suffix = {sizeof(cell_t), sizeof(sum_t), sum_rows_##suffix,                 \
                                              add_sum_##suffix, to_scores_##suffix};

ROWS_DEFINE(float_baseline, , float, float)
// int16 sums cannot overflow: templates.pyx refuses more than 256 templates, and 256 * 127 < 2^15.
ROWS_DEFINE(int8_baseline, , int8_t, int16_t)
#if ROWS_HAVE_AVX2
ROWS_DEFINE(float_avx2, ROWS_AVX2, float, float)
ROWS_DEFINE(int8_avx2, ROWS_AVX2, int8_t, int16_t)
static int rows_use_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}
#endif

static const KernelsC* float_kernels(void) {
#if ROWS_HAVE_AVX2
    if (rows_use_avx2()) return &kernels_float_avx2;
#endif
    return &kernels_float_baseline;
}

static const KernelsC* int8_kernels(void) {
#if ROWS_HAVE_AVX2
    if (rows_use_avx2()) return &kernels_int8_avx2;
#endif
    return &kernels_int8_baseline;
}

static inline void prefetch_row(const void* row, int bytes) {
    const char* at = (const char*)row;
    for (int b = 0; b < bytes; b += 64) ROWS_PREFETCH(at + b);
    ROWS_PREFETCH(at + bytes - 1);
}

#endif
