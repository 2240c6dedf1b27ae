"""Extends libcpp's vectors."""


cdef extern from *:
    """
    template <class V, class N> void refill(V& numbers, size_t n, N number) { numbers.assign(n, number); }
    """
    # `vector.assign`, with the exceptions that libcpp does not declare.
    void refill[V, N](V& numbers, size_t n, N number) except + nogil
