"""The recurrence of an LSTM (Hochreiter & Schmidhuber 1997, with forget gates: Gers et al. 2000) and its gradient, over
a batch of sequences, on a CPU. thinc's own is several times slower.

Sequences stand one after another, without padding, and are read from either end. Matrix products are numpy's.
Everything else of a step is one loop that compilers vectorise. Gates are in the order input, forget, output, candidate.
"""

import numpy as np

from ..errors import Errors, JointValueError


cdef extern from *:
    """
    /* Also compiled for wider registers, with the same results. */
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

    /* One step of n sequences. `at`: their rows in arrays of all steps. `gates`, and `cells` and `tanh_cells` unless
       they are NULL, are of all steps; `sums`, `state` and `output` are of this one. */
    LSTM_CLONES static void lstm_step(ptrdiff_t n, ptrdiff_t width, const ptrdiff_t* at, float* gates,
                                      const float* __restrict bias, float* __restrict sums, float* __restrict state,
                                      float* __restrict output, float* hidden, ptrdiff_t hidden_stride, float* cells,
                                      float* tanh_cells) {
        for (ptrdiff_t b = 0; b < n; b++) {
            const float* __restrict given = gates + at[b] * 4 * width;
            float* __restrict g = sums + b * 4 * width;
            float* __restrict c = state + b * width;
            float* __restrict h = output + b * width;
            for (ptrdiff_t j = 0; j < 3 * width; j++)
                g[j] = lstm_sigmoid(g[j] + given[j] + bias[j]);
            for (ptrdiff_t j = 3 * width; j < 4 * width; j++)
                g[j] = lstm_tanh(g[j] + given[j] + bias[j]);
            for (ptrdiff_t j = 0; j < width; j++)
                c[j] = g[width + j] * c[j] + g[j] * g[3 * width + j];
            for (ptrdiff_t j = 0; j < width; j++)
                h[j] = lstm_tanh(c[j]);
            if (cells != NULL) {
                memcpy(gates + at[b] * 4 * width, g, 4 * width * sizeof(float));
                memcpy(cells + at[b] * width, c, width * sizeof(float));
                memcpy(tanh_cells + at[b] * width, h, width * sizeof(float));
            }
            for (ptrdiff_t j = 0; j < width; j++)
                h[j] *= g[2 * width + j];
            memcpy(hidden + at[b] * hidden_stride, h, width * sizeof(float));
        }
    }

    /* Replaces the gates of a step by their gradients, and also writes those to `d_sums`. `d_output` is the gradient
       from the next step, and `d_state` becomes the gradient of the cells of the previous step, which is `step_back`
       rows away; 0: there is none. */
    LSTM_CLONES static void lstm_step_back(ptrdiff_t n, ptrdiff_t width, const ptrdiff_t* at, ptrdiff_t step_back,
                                           float* gates, float* __restrict d_sums, float* __restrict d_state,
                                           const float* __restrict d_output, const float* d_hidden,
                                           ptrdiff_t hidden_stride, const float* cells, const float* tanh_cells) {
        for (ptrdiff_t b = 0; b < n; b++) {
            float* __restrict g = gates + at[b] * 4 * width;
            float* __restrict d = d_sums + b * 4 * width;
            float* __restrict ds = d_state + b * width;
            const float* __restrict later = d_output + b * width;
            const float* __restrict dh_given = d_hidden + at[b] * hidden_stride;
            const float* __restrict before = cells + (at[b] + step_back) * width;
            const float* __restrict tanh_c = tanh_cells + at[b] * width;
            for (ptrdiff_t j = 0; j < width; j++) {
                const float i = g[j], f = g[width + j], o = g[2 * width + j], u = g[3 * width + j];
                const float s = tanh_c[j], dh = dh_given[j] + later[j];
                const float dc = ds[j] + dh * o * (1.0f - s * s);
                const float c = step_back ? before[j] : 0.0f;
                d[j] = dc * u * i * (1.0f - i);
                d[width + j] = dc * c * f * (1.0f - f);
                d[2 * width + j] = dh * s * o * (1.0f - o);
                d[3 * width + j] = dc * i * (1.0f - u * u);
                ds[j] = dc * f;
            }
            memcpy(g, d, 4 * width * sizeof(float));
        }
    }
    """
    void lstm_step(ptrdiff_t n, ptrdiff_t width, const ptrdiff_t* at, float* gates, const float* bias, float* sums,
                   float* state, float* output, float* hidden, ptrdiff_t hidden_stride, float* cells,
                   float* tanh_cells) noexcept nogil
    void lstm_step_back(ptrdiff_t n, ptrdiff_t width, const ptrdiff_t* at, ptrdiff_t step_back, float* gates,
                        float* d_sums, float* d_state, const float* d_output, const float* d_hidden,
                        ptrdiff_t hidden_stride, const float* cells, const float* tanh_cells) noexcept nogil


def run_lstm(gates not None, recurrent not None, bias not None, lengths not None, hidden not None, *, bint reverse,
             kept=None):
    """Writes the hidden states of sequences (float32, rows x width, rows contiguous), which are read from their ends if
    `reverse`. All other arrays are float32 and contiguous: `gates`, the input's share of the gates (rows x 4 width),
    `recurrent` (width x 4 width) and `bias` (4 width). `lengths` are those of the sequences (positive).

    For a gradient, it also writes the cells and their hyperbolic tangents to `kept` (2 x rows x width); then it
    overwrites `gates` by the activated gates.
    RAISES ValueError: If shapes do not match (J001).
    """
    lengths = _check(gates, recurrent, lengths, hidden, kept)
    cdef ptrdiff_t width = len(recurrent), n, step
    _check_shape("bias", bias, (4 * width,))
    cdef float[:, ::1] all_gates = gates
    cdef float[:, :] all_hidden = hidden
    cdef float[:, :, ::1] all_kept = kept
    cdef const float[::1] b = bias
    cdef float* kept_cells = NULL
    cdef float* kept_tanh_cells = NULL
    if not all_gates.shape[0]:
        return
    if all_kept is not None:
        kept_cells, kept_tanh_cells = &all_kept[0, 0, 0], &all_kept[1, 0, 0]
    sizes, starts = _plan(lengths, reverse)
    cdef ptrdiff_t[::1] at = starts
    cdef ptrdiff_t batch = at.shape[0], forward = -1 if reverse else 1, i
    added = np.zeros((batch, 4 * width), dtype=np.float32)
    output = np.zeros((batch, width), dtype=np.float32)
    cdef float[:, ::1] sums = added, states = np.zeros((batch, width), dtype=np.float32), outputs = output
    for step, n in enumerate(sizes):
        if step:
            np.matmul(output[:n], recurrent, out=added[:n])
        with nogil:
            lstm_step(n, width, &at[0], &all_gates[0, 0], &b[0], &sums[0, 0], &states[0, 0], &outputs[0, 0],
                      &all_hidden[0, 0], all_hidden.strides[0] // <ptrdiff_t>sizeof(float),
                      kept_cells, kept_tanh_cells)
            for i in range(n):
                at[i] += forward


def backprop_lstm(gates not None, recurrent not None, lengths not None, d_hidden not None, *, bint reverse,
                  kept not None):
    """The gradient of `run_lstm`, by backpropagation through time: overwrites the activated gates by the gradient of
    the input's share. `d_hidden` is the gradient of the hidden states; the other arguments are those of `run_lstm`.

    RAISES ValueError: If shapes do not match (J001).
    """
    lengths = _check(gates, recurrent, lengths, d_hidden, kept)
    cdef ptrdiff_t width = len(recurrent), n, n_after = 0, step
    cdef float[:, ::1] all_gates = gates
    cdef const float[:, :] all_d = d_hidden
    cdef const float[:, :, ::1] all_kept = kept
    if not all_gates.shape[0]:
        return
    # Each sequence ends where it starts in the other direction.
    sizes, starts = _plan(lengths, not reverse)
    cdef ptrdiff_t[::1] at = starts
    cdef ptrdiff_t batch = at.shape[0], back = 1 if reverse else -1, i
    d_gates = np.zeros((batch, 4 * width), dtype=np.float32)
    d_output = np.zeros((batch, width), dtype=np.float32)
    cdef float[:, ::1] d_sums = d_gates, d_states = np.zeros((batch, width), dtype=np.float32), d_outputs = d_output
    transposed = np.ascontiguousarray(recurrent.T)
    for step in range(len(sizes) - 1, -1, -1):
        n = sizes[step]
        if n_after:
            np.matmul(d_gates[:n_after], transposed, out=d_output[:n_after])
        with nogil:
            lstm_step_back(n, width, &at[0], back if step else 0, &all_gates[0, 0], &d_sums[0, 0], &d_states[0, 0],
                           &d_outputs[0, 0], &all_d[0, 0], all_d.strides[0] // <ptrdiff_t>sizeof(float),
                           &all_kept[0, 0, 0], &all_kept[1, 0, 0])
            for i in range(n):
                at[i] += back
        n_after = n


def _plan(lengths, reverse):
    """Returns the number of sequences that reach each step, and the first row to read of each, longest first."""
    # Step n is reached by the sequences that are longer than n.
    sizes = len(lengths) - np.cumsum(np.bincount(lengths))
    ends = np.cumsum(lengths)
    starts = ends - 1 if reverse else ends - lengths
    return sizes[: lengths.max()].tolist(), starts[np.argsort(-lengths, kind="stable")]


def _check(gates, recurrent, lengths, hidden, kept):
    """Refuses shapes and types that do not match; returns the lengths (intp)."""
    width, n = len(recurrent), len(gates)
    _check_shape("recurrent", recurrent, (width, 4 * width))
    if not width:
        raise JointValueError(Errors.J001, name="recurrent", value=recurrent.shape, allowed="at least 1 x 4")
    _check_shape("gates", gates, (n, 4 * width))
    _check_shape("hidden", hidden, (n, width))
    if hidden.strides[1] != hidden.itemsize or hidden.strides[0] % hidden.itemsize:
        raise JointValueError(Errors.J001, name="strides of hidden", value=hidden.strides, allowed="contiguous rows")
    if kept is not None:
        _check_shape("kept", kept, (2, n, width))
    found = np.asarray(lengths)
    is_valid = found.ndim == 1 and (found.dtype.kind in "iu" or not found.size) and ((found > 0) & (found <= n)).all()
    # The sum cannot overflow: each length is at most n, and the type is wide.
    if not is_valid or found.sum(dtype=np.intp) != n:
        raise JointValueError(Errors.J001, name="lengths", value=lengths, allowed=f"positive, {n} in all")
    return found.astype(np.intp)


def _check_shape(name, array, wanted):
    if not isinstance(array, np.ndarray) or array.shape != wanted or array.dtype != np.float32:
        raise JointValueError(Errors.J001, name=name, value=np.shape(array), allowed=wanted)
