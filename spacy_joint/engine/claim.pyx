"""Claims of buffers and arrays that only one call at a time may use: see claim.pxd."""

from ..errors import Errors, JointMemoryError, JointValueError


cdef class Claim:
    """Lets one call at a time use the buffers or arrays of `what`."""

    def __cinit__(self, str what not None):
        self.what = what

    def __enter__(self):
        if self.in_use:
            raise JointValueError(Errors.J007, what=self.what)
        if self.is_broken:
            raise JointValueError(Errors.J039)
        self.in_use = True

    def __exit__(self, kind, error, traceback):
        self.in_use = False
        if isinstance(error, MemoryError):
            raise JointMemoryError(Errors.J003) from error
