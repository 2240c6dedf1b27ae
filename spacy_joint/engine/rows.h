// Kernels that sum rows of the weight table: one set for float cells (learning), one for int8 cells (prediction).
//
// Written with the vector types of GCC and Clang, a block of cells at a time: left to themselves, compilers turn the
// loops into something many times slower. On x86-64 each kernel is compiled twice, for the baseline and for AVX2, and the
// set is chosen when the extension is loaded, so that one wheel is fast everywhere. No FMA: a sum must not depend on
// the machine. Widths are multiples of ROW_BLOCK, so the loops have no tails; the padding of a row is whatever cells
// come next and is never looked at.
#ifndef SPACY_JOINT_ROWS_H
#define SPACY_JOINT_ROWS_H

#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER)
#include <intrin.h>
#define ROWS_PREFETCH(address) _mm_prefetch((const char*)(address), _MM_HINT_T0)
#else
#define ROWS_PREFETCH(address) __builtin_prefetch(address)
#endif

#if !defined(_MSC_VER) && defined(__x86_64__)
#define ROWS_HAVE_AVX2 1
#include <immintrin.h>
#else
#define ROWS_HAVE_AVX2 0
#endif

enum { ROW_BLOCK = 16, ROW_TILE = 8 };

// sum_bytes and cell_bytes: the size of an element of a sum and of a cell of the table.
typedef struct {
    int cell_bytes;
    int sum_bytes;
    // sum := the rows of `table` that start at cells offsets[0..n_rows)
    void (*sum_rows)(void* sum, const void* table, const uint64_t* offsets, int n_rows, int width);
    // scores := (sums[0] + ... + sums[n_sums - 1]) * scale
    void (*to_scores)(float* scores, const void* const* sums, int n_sums, int width, float scale);
} KernelsC;

// A block is as many elements as one register of the machine holds as sums: GCC sends longer ones through memory.
#if defined(_MSC_VER)
template <typename element_t, int N>
struct BlockC {
    element_t at[N];
};
#define ROWS_BLOCK(element_t, n, name) typedef BlockC<element_t, n> name;
#define ROWS_ADD(sum, block, sum_block_t, widen) \
    for (int c = 0; c < (int)(sizeof(block.at) / sizeof(block.at[0])); c++) sum.at[c] += block.at[c]
#define ROWS_AT(block, i) block.at[i]
#else
#define ROWS_BLOCK(element_t, n, name) typedef element_t name __attribute__((vector_size((n) * sizeof(element_t))));
#define ROWS_ADD(sum, block, sum_block_t, widen) sum += widen(block, sum_block_t)
#define ROWS_AT(block, i) block[i]
#endif
#define ROWS_KEEP(block, sum_block_t) block
#define ROWS_WIDEN(block, sum_block_t) __builtin_convertvector(block, sum_block_t)
// One instruction, where GCC 12 makes five of the above.
#define ROWS_WIDEN_INT8_AVX2(block, sum_block_t) (sum_block_t) _mm256_cvtepi8_epi16((__m128i)(block))

// A tile of B blocks is summed at once, in registers: rows are not read again for each block, sums not written for each
// row.
#define ROWS_DEFINE(suffix, target, register_bytes, cell_t, sum_t, widen)                                         \
    enum { N_##suffix = register_bytes / sizeof(sum_t) };                                                         \
    ROWS_BLOCK(cell_t, N_##suffix, cells_##suffix)                                                                \
    ROWS_BLOCK(sum_t, N_##suffix, sums_##suffix)                                                                  \
    template <int B>                                                                                              \
    target static void sum_tile_##suffix(sum_t* sum, const cell_t* table, const uint64_t* offsets, int n_rows) {  \
        sums_##suffix tile[B];                                                                                    \
        memset(tile, 0, sizeof(tile));                                                                            \
        for (int r = 0; r < n_rows; r++) {                                                                        \
            const cell_t* row = table + offsets[r];                                                               \
            for (int b = 0; b < B; b++) {                                                                         \
                cells_##suffix cells;                                                                             \
                memcpy(&cells, row + b * N_##suffix, sizeof(cells));                                              \
                ROWS_ADD(tile[b], cells, sums_##suffix, widen);                                                   \
            }                                                                                                     \
        }                                                                                                         \
        memcpy(sum, tile, sizeof(tile));                                                                          \
    }                                                                                                             \
    target static void sum_rows_##suffix(void* out, const void* in, const uint64_t* offsets, int n_rows,          \
                                         int width) {                                                             \
        sum_t* sum = (sum_t*)out;                                                                                 \
        const cell_t* table = (const cell_t*)in;                                                                  \
        for (; width >= ROW_TILE * N_##suffix; width -= ROW_TILE * N_##suffix) {                                  \
            sum_tile_##suffix<ROW_TILE>(sum, table, offsets, n_rows);                                             \
            sum += ROW_TILE * N_##suffix;                                                                         \
            table += ROW_TILE * N_##suffix;                                                                       \
        }                                                                                                         \
        switch (width / N_##suffix) {                                                                             \
            case 1: sum_tile_##suffix<1>(sum, table, offsets, n_rows); break;                                     \
            case 2: sum_tile_##suffix<2>(sum, table, offsets, n_rows); break;                                     \
            case 3: sum_tile_##suffix<3>(sum, table, offsets, n_rows); break;                                     \
            case 4: sum_tile_##suffix<4>(sum, table, offsets, n_rows); break;                                     \
            case 5: sum_tile_##suffix<5>(sum, table, offsets, n_rows); break;                                     \
            case 6: sum_tile_##suffix<6>(sum, table, offsets, n_rows); break;                                     \
            case 7: sum_tile_##suffix<7>(sum, table, offsets, n_rows); break;                                     \
        }                                                                                                         \
    }                                                                                                             \
    target static void to_scores_##suffix(float* scores, const void* const* sums, int n_sums, int width,          \
                                          float scale) {                                                          \
        for (int at = 0; at < width; at += N_##suffix) {                                                          \
            sums_##suffix total;                                                                                  \
            memset(&total, 0, sizeof(total));                                                                     \
            for (int s = 0; s < n_sums; s++) {                                                                    \
                sums_##suffix sum;                                                                                \
                memcpy(&sum, (const sum_t*)sums[s] + at, sizeof(sum));                                            \
                ROWS_ADD(total, sum, sums_##suffix, ROWS_KEEP);                                                   \
            }                                                                                                     \
            for (int c = 0; c < N_##suffix; c++) scores[at + c] = (float)ROWS_AT(total, c) * scale;               \
        }                                                                                                         \
    }                                                                                                             \
    static const KernelsC kernels_##suffix = {sizeof(cell_t), sizeof(sum_t), sum_rows_##suffix, to_scores_##suffix};

ROWS_DEFINE(float_baseline, , 16, float, float, ROWS_KEEP)
// int16 sums cannot overflow: templates.pyx refuses more than 256 templates, and 256 * 127 < 2^15.
ROWS_DEFINE(int8_baseline, , 16, int8_t, int16_t, ROWS_WIDEN)
#if ROWS_HAVE_AVX2
ROWS_DEFINE(float_avx2, __attribute__((target("avx2"))), 32, float, float, ROWS_KEEP)
ROWS_DEFINE(int8_avx2, __attribute__((target("avx2"))), 32, int8_t, int16_t, ROWS_WIDEN_INT8_AVX2)
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

// The first of scores[i..n) that is above the bound, or not to be compared with it; n if none is.
static inline int first_above(const float* scores, int i, int n, float bound) {
#if ROWS_HAVE_AVX2
    const __m128 bounds = _mm_set1_ps(bound);
    for (; i + 4 <= n; i += 4) {
        const int above = _mm_movemask_ps(_mm_cmpnle_ps(_mm_loadu_ps(scores + i), bounds));
        if (above) return i + __builtin_ctz(above);
    }
#endif
    while (i < n && scores[i] <= bound) i++;
    return i;
}

static inline void prefetch(const void* address) { ROWS_PREFETCH(address); }

static inline void prefetch_row(const void* row, int bytes) {
    const char* at = (const char*)row;
    for (int b = 0; b < bytes; b += 64) ROWS_PREFETCH(at + b);
    ROWS_PREFETCH(at + bytes - 1);
}

#endif
