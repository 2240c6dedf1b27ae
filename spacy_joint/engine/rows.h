// Kernels that sum rows of the weight table: one set for float cells (training), one for int8 cells (prediction).
//
// They use the vector types of GCC and Clang, a block of cells at a time, since auto-vectorised loops are many times
// slower. On x86-64 each kernel is compiled twice, for the baseline and for AVX2, and the set is chosen when the
// extension is loaded, so that one wheel is fast everywhere. There is no FMA: a sum must not depend on the machine.
// Widths are multiples of ROW_BLOCK, so the loops have no tails; the padding of a row consists of the cells that follow
// and is never used.
#ifndef SPACY_JOINT_ROWS_H
#define SPACY_JOINT_ROWS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>

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
// One instruction, instead of the five that GCC 12 generates for the above.
#define ROWS_WIDEN_INT8_AVX2(block, sum_block_t) (sum_block_t) _mm256_cvtepi8_epi16((__m128i)(block))
#define ROWS_WIDEN_INT8_AVX512(block, sum_block_t) (sum_block_t) _mm512_cvtepi8_epi16((__m256i)(block))

// A tile of B blocks is summed at once, in registers: rows are not read again for each block, sums not written for each
// row.
#define ROWS_DEFINE(suffix, target, register_bytes, cell_t, sum_t, widen, scores)                                 \
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
    static const KernelsC kernels_##suffix = {sizeof(cell_t), sizeof(sum_t), sum_rows_##suffix, scores};

ROWS_DEFINE(float_baseline, , 16, float, float, ROWS_KEEP, to_scores_float_baseline)
// int16 sums cannot overflow: see MAX_SUM in weights.pyx.
ROWS_DEFINE(int8_baseline, , 16, int8_t, int16_t, ROWS_WIDEN, to_scores_int8_baseline)
#if ROWS_HAVE_AVX2
ROWS_DEFINE(float_avx2, __attribute__((target("avx2"))), 32, float, float, ROWS_KEEP, to_scores_float_avx2)
// Compilers take the sums apart to turn them into floats.
__attribute__((target("avx2"))) static void to_scores_int16_avx2(float* scores, const void* const* sums, int n_sums,
                                                                 int width, float scale) {
    const __m256 scales = _mm256_set1_ps(scale);
    for (int at = 0; at < width; at += 16) {
        __m256i total = _mm256_setzero_si256();
        for (int s = 0; s < n_sums; s++) {
            total = _mm256_add_epi16(total, _mm256_loadu_si256((const __m256i*)((const int16_t*)sums[s] + at)));
        }
        const __m256i low = _mm256_cvtepi16_epi32(_mm256_castsi256_si128(total));
        const __m256i high = _mm256_cvtepi16_epi32(_mm256_extracti128_si256(total, 1));
        _mm256_storeu_ps(scores + at, _mm256_mul_ps(_mm256_cvtepi32_ps(low), scales));
        _mm256_storeu_ps(scores + at + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(high), scales));
    }
}
ROWS_DEFINE(int8_avx2, __attribute__((target("avx2"))), 32, int8_t, int16_t, ROWS_WIDEN_INT8_AVX2, to_scores_int16_avx2)
// Only for widths that are multiples of 32: see int8_kernels.
ROWS_DEFINE(int8_avx512, __attribute__((target("avx512bw"))), 64, int8_t, int16_t, ROWS_WIDEN_INT8_AVX512,
            to_scores_int16_avx2)
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

static const KernelsC* int8_kernels(int width) {
#if ROWS_HAVE_AVX2
    if (rows_use_avx2() && width % 32 == 0 && __builtin_cpu_supports("avx512bw")) return &kernels_int8_avx512;
    if (rows_use_avx2()) return &kernels_int8_avx2;
#endif
    return &kernels_int8_baseline;
}

// Selection of the best continuations of a beam. In a row of scores, illegal actions are minus infinity; widths are
// multiples of ROW_BLOCK.
typedef struct {
    // The two highest scores.
    void (*two_best)(const float* scores, int width, float* best, float* second);
    // The indices of the scores that are at least `least`, ascending. Returns their number.
    int (*at_least)(const float* scores, int width, float least, uint16_t* found);
    // The k-th greatest of n values. `values` has room for 7 more, and is reordered.
    float (*kth_greatest)(float* values, int n, int k);
    // The indices of the `n_best` greatest of n totals, greatest first; ties go to the first. `order` has room for n,
    // and `totals` has room for 3 more.
    void (*order)(double* totals, int n, int n_best, uint32_t* order);
} SelectionC;

enum { MAX_RANKED = 64 };

static void sort_totals(const double* totals, int n, int n_best, uint32_t* order) {
    for (int i = 0; i < n; i++) order[i] = (uint32_t)i;
    std::partial_sort(order, order + n_best, order + n, [totals](uint32_t a, uint32_t b) {
        return totals[a] != totals[b] ? totals[a] > totals[b] : a < b;
    });
}

static void two_best_baseline(const float* scores, int width, float* best, float* second) {
    float first = -INFINITY, next = -INFINITY;
    for (int i = 0; i < width; i++) {
        const float lower = scores[i] < first ? scores[i] : first;
        if (scores[i] > first) first = scores[i];
        if (lower > next) next = lower;
    }
    *best = first;
    *second = next;
}

static int at_least_baseline(const float* scores, int width, float least, uint16_t* found) {
    int n = 0;
    for (int i = 0; i < width; i++) {
        found[n] = (uint16_t)i;
        n += scores[i] >= least;
    }
    return n;
}

static float kth_greatest_baseline(float* values, int n, int k) {
    std::nth_element(values, values + n - k, values + n);
    return values[n - k];
}

static void order_baseline(double* totals, int n, int n_best, uint32_t* order) {
    // The rank of a total is the number of totals before it. For so few, counting takes fewer cycles than sorting,
    // since branches would be unpredictable.
    if (n > MAX_RANKED) return sort_totals(totals, n, n_best, order);
    for (int i = 0; i < n; i++) {
        int rank = 0;
        for (int j = 0; j < i; j++) rank += totals[j] >= totals[i];
        for (int j = i + 1; j < n; j++) rank += totals[j] > totals[i];
        order[rank] = (uint32_t)i;
    }
}

static const SelectionC selection_baseline = {two_best_baseline, at_least_baseline, kth_greatest_baseline, order_baseline};

#if ROWS_HAVE_AVX2
__attribute__((target("avx2"))) static void two_best_avx2(const float* scores, int width, float* best, float* second) {
    // The two greatest of each lane, then of all lanes.
    __m256 first = _mm256_set1_ps(-INFINITY), next = first;
    for (int i = 0; i < width; i += 8) {
        const __m256 some = _mm256_loadu_ps(scores + i);
        next = _mm256_max_ps(next, _mm256_min_ps(first, some));
        first = _mm256_max_ps(first, some);
    }
    __m128 high = _mm256_extractf128_ps(first, 1), low = _mm256_castps256_ps128(first);
    __m128 after = _mm_max_ps(_mm256_extractf128_ps(next, 1), _mm256_castps256_ps128(next));
    after = _mm_max_ps(after, _mm_min_ps(high, low));
    low = _mm_max_ps(high, low);
    high = _mm_movehl_ps(low, low);
    after = _mm_max_ps(_mm_max_ps(after, _mm_movehl_ps(after, after)), _mm_min_ps(high, low));
    low = _mm_max_ps(high, low);
    high = _mm_shuffle_ps(low, low, 1);
    after = _mm_max_ss(_mm_max_ss(after, _mm_shuffle_ps(after, after, 1)), _mm_min_ss(high, low));
    *best = _mm_cvtss_f32(_mm_max_ss(high, low));
    *second = _mm_cvtss_f32(after);
}

__attribute__((target("avx2,bmi"))) static int at_least_avx2(const float* scores, int width, float least,
                                                             uint16_t* found) {
    const __m256 bound = _mm256_set1_ps(least);
    int n = 0;
    for (int first = 0; first < width; first += 64) {
        const int end = first + 64 < width ? first + 64 : width;
        uint64_t above = 0;
        for (int i = first; i < end; i += 8) {
            const int some = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + i), bound, _CMP_GE_OQ));
            above |= (uint64_t)some << (i - first);
        }
        for (; above; above &= above - 1) found[n++] = (uint16_t)(first + __builtin_ctzll(above));
    }
    return n;
}

__attribute__((target("avx2,popcnt"))) static float kth_greatest_avx2(float* values, int n, int k) {
    // The smallest value with fewer than k greater ones. Counts as in `order`.
    if (n > MAX_RANKED) return kth_greatest_baseline(values, n, k);
    float least = INFINITY;
    for (int i = n; i < n + 7; i++) values[i] = -INFINITY;
    for (int i = 0; i < n; i++) {
        const __m256 value = _mm256_set1_ps(values[i]);
        int greater = 0;
        for (int j = 0; j < n; j += 8) {
            greater += __builtin_popcount(
                _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(values + j), value, _CMP_GT_OQ)));
        }
        const float candidate = greater < k ? values[i] : INFINITY;
        least = candidate < least ? candidate : least;
    }
    return least;
}

__attribute__((target("avx2,popcnt"))) static void order_avx2(double* totals, int n, int n_best, uint32_t* order) {
    if (n > MAX_RANKED) return sort_totals(totals, n, n_best, order);
    for (int i = n; i < n + 3; i++) totals[i] = -INFINITY;
    for (int i = 0; i < n; i++) {
        const __m256d total = _mm256_set1_pd(totals[i]);
        uint64_t greater = 0, equal = 0;
        for (int j = 0; j < n; j += 4) {
            const __m256d others = _mm256_loadu_pd(totals + j);
            greater |= (uint64_t)_mm256_movemask_pd(_mm256_cmp_pd(others, total, _CMP_GT_OQ)) << j;
            equal |= (uint64_t)_mm256_movemask_pd(_mm256_cmp_pd(others, total, _CMP_EQ_OQ)) << j;
        }
        order[__builtin_popcountll(greater) + __builtin_popcountll(equal & (((uint64_t)1 << i) - 1))] = (uint32_t)i;
    }
}

static const SelectionC selection_avx2 = {two_best_avx2, at_least_avx2, kth_greatest_avx2, order_avx2};
#endif

static const SelectionC* selection(void) {
#if ROWS_HAVE_AVX2
    if (rows_use_avx2()) return &selection_avx2;
#endif
    return &selection_baseline;
}

static inline void prefetch(const void* address) { ROWS_PREFETCH(address); }

#endif
