"""The recurrence of an LSTM (Hochreiter & Schmidhuber 1997, with forget gates: Gers et al. 2000) and its gradient, over
a padded batch of sequences, on a CPU. thinc's own is several times slower.

Matrix products are numpy's. Everything else of a step is one loop that compilers vectorise. Sequences are in descending
order of their lengths, so those that reach a step are the first ones of the batch. Gates are in the order input,
forget, output, candidate.
"""

import numpy as np

from ..errors import Errors, JointValueError


cdef extern from *:
    """
    /* With wider registers, where there are some: the results are the same. */
    #if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__)
    #define LSTM_CLONES __attribute__((target_clones("avx2", "default")))
    #else
    #define LSTM_CLONES
    #endif

    /* A rational approximation, to about 1e-7: unlike that of the C library, compilers vectorise it. */
    static inline float lstm_tanh(float x) {
        x = x < -9.0f ? -9.0f : x;
        x = x > 9.0f ? 9.0f : x;
        const float y = x * x;
        float p = -2.76076847742355e-16f;
        p = p * y + 2.00018790482477e-13f;
        p = p * y - 8.60467152213735e-11f;
        p = p * y + 5.12229709037114e-08f;
        p = p * y + 1.48572235717979e-05f;
        p = p * y + 6.37261928875436e-04f;
        p = p * y + 4.89352455891786e-03f;
        float q = 1.19825839466702e-06f;
        q = q * y + 1.18534705686654e-04f;
        q = q * y + 2.26843463243900e-03f;
        q = q * y + 4.89352518554385e-03f;
        return x * p / q;
    }

    static inline float lstm_sigmoid(float x) {
        return 0.5f + 0.5f * lstm_tanh(0.5f * x);
    }

    LSTM_CLONES static void lstm_step(int n, int width, float* __restrict gates, const float* __restrict recurrent,
                          const float* __restrict before, float* __restrict cells, float* __restrict squashed,
                          float* __restrict hidden) {
        for (int b = 0; b < n; b++) {
            float* g = gates + (size_t)b * 4 * width;
            const float* r = recurrent + (size_t)b * 4 * width;
            const size_t row = (size_t)b * width;
            for (int j = 0; j < 3 * width; j++)
                g[j] = lstm_sigmoid(g[j] + r[j]);
            for (int j = 3 * width; j < 4 * width; j++)
                g[j] = lstm_tanh(g[j] + r[j]);
            for (int j = 0; j < width; j++) {
                const float c = g[width + j] * before[row + j] + g[j] * g[3 * width + j];
                const float s = lstm_tanh(c);
                cells[row + j] = c;
                squashed[row + j] = s;
                hidden[row + j] = g[2 * width + j] * s;
            }
        }
    }

    /* Replaces gates by their gradients, and the gradient of the cells by that of the cells before. */
    LSTM_CLONES static void lstm_step_back(int n, int width, const float* __restrict d_hidden, float* __restrict gates,
                               const float* __restrict before, const float* __restrict squashed,
                               float* __restrict d_cells) {
        for (int b = 0; b < n; b++) {
            float* g = gates + (size_t)b * 4 * width;
            const size_t row = (size_t)b * width;
            for (int j = 0; j < width; j++) {
                const float i = g[j], f = g[width + j], o = g[2 * width + j], u = g[3 * width + j];
                const float s = squashed[row + j], dh = d_hidden[row + j];
                const float dc = d_cells[row + j] + dh * o * (1.0f - s * s);
                g[j] = dc * u * i * (1.0f - i);
                g[width + j] = dc * before[row + j] * f * (1.0f - f);
                g[2 * width + j] = dh * s * o * (1.0f - o);
                g[3 * width + j] = dc * i * (1.0f - u * u);
                d_cells[row + j] = dc * f;
            }
        }
    }
    """
    void lstm_step(int n, int width, float* gates, const float* recurrent, const float* before, float* cells,
                   float* squashed, float* hidden) noexcept nogil
    void lstm_step_back(int n, int width, const float* d_hidden, float* gates, const float* before,
                        const float* squashed, float* d_cells) noexcept nogil


def run_lstm(gates not None, recurrent not None, sizes not None):
    """The hidden states of sequences.

    gates (np.ndarray): What the input adds to the gates (float32, steps x sequences x 4 width, contiguous). It is
        overwritten by the activated gates.
    recurrent (np.ndarray): The recurrent weights (float32, width x 4 width).
    sizes (np.ndarray): The number of sequences that reach each step (positive, not ascending).
    RETURNS (tuple[np.ndarray, np.ndarray, np.ndarray]): The hidden states, the cells, and the hyperbolic tangents of
        the cells (float32, steps x sequences x width); 0 after the end of a sequence.
    RAISES ValueError: If shapes do not match (J620).
    """
    cdef float[:, :, ::1] g = gates
    cdef Py_ssize_t n_steps = g.shape[0], batch = g.shape[1], width = g.shape[2] // 4, step, n
    _check(gates, recurrent, sizes)
    hidden, cells, squashed = (np.zeros((n_steps, batch, width), dtype=np.float32) for _ in range(3))
    added = np.zeros((batch, 4 * width), dtype=np.float32)
    cdef float[:, :, ::1] h = hidden, c = cells, s = squashed
    cdef float[:, ::1] a = added
    cdef float[:, ::1] nothing = np.zeros((batch, width), dtype=np.float32)
    cdef const float* before
    if not g.size:
        return hidden, cells, squashed
    for step in range(n_steps):
        n = sizes[step]
        if step:
            np.matmul(hidden[step - 1, :n], recurrent, out=added[:n])
        before = &c[step - 1, 0, 0] if step else &nothing[0, 0]
        with nogil:
            lstm_step(n, width, &g[step, 0, 0], &a[0, 0], before, &c[step, 0, 0], &s[step, 0, 0], &h[step, 0, 0])
    return hidden, cells, squashed


def run_lstm_back(d_hidden not None, gates not None, recurrent not None, sizes not None, cells not None,
                  squashed not None):
    """The gradient of `run_lstm`, by backpropagation through time.

    d_hidden (np.ndarray): The gradient of the hidden states (float32, steps x sequences x width, contiguous). It is
        overwritten.
    gates (np.ndarray): The activated gates. They are overwritten by the gradient of what the input adds to them; 0
        after the end of a sequence.
    recurrent, sizes, cells, squashed (np.ndarray): As given to, and returned by, `run_lstm`.
    RAISES ValueError: If shapes do not match (J620).
    """
    cdef float[:, :, ::1] g = gates, d = d_hidden
    cdef const float[:, :, ::1] c = cells, s = squashed
    cdef Py_ssize_t n_steps = g.shape[0], batch = g.shape[1], width = g.shape[2] // 4, step, n
    _check(gates, recurrent, sizes)
    for name, array in (("d_hidden", d_hidden), ("cells", cells), ("squashed", squashed)):
        if array.shape != (n_steps, batch, width):
            raise JointValueError(Errors.J620, name=name, shape=array.shape, wanted=(n_steps, batch, width))
    cdef float[:, ::1] d_cells = np.zeros((batch, width), dtype=np.float32)
    cdef float[:, ::1] nothing = np.zeros((batch, width), dtype=np.float32)
    cdef const float* before
    transposed = np.ascontiguousarray(recurrent.T)
    if not g.size:
        return
    for step in range(n_steps - 1, -1, -1):
        n = sizes[step]
        if step + 1 < n_steps:
            following = sizes[step + 1]
            d_hidden[step, :following] += gates[step + 1, :following] @ transposed
        before = &c[step - 1, 0, 0] if step else &nothing[0, 0]
        with nogil:
            lstm_step_back(n, width, &d[step, 0, 0], &g[step, 0, 0], before, &s[step, 0, 0], &d_cells[0, 0])
        gates[step, n:] = 0.0


def _check(gates, recurrent, sizes):
    n_steps, batch, size = gates.shape
    if recurrent.shape != (size // 4, size) or recurrent.dtype != np.float32 or size % 4:
        raise JointValueError(Errors.J620, name="recurrent", shape=recurrent.shape, wanted=(size // 4, size))
    in_range = len(sizes) == n_steps and all(0 < n <= batch for n in sizes)
    if not in_range or any(n < following for n, following in zip(sizes, sizes[1:])):
        raise JointValueError(Errors.J620, name="sizes", shape=list(sizes), wanted=f"{n_steps} from {batch} down")
