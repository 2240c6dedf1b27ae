"""Claims of buffers and arrays that only one call at a time may use."""


# `with claim:` lends them to one call. Raises J007 if they are in use, J039 if broken, and J003 if memory runs out.
cdef class Claim:
    cdef str what                   # for errors
    cdef bint in_use
    cdef bint is_broken             # by an error in the middle of a change
