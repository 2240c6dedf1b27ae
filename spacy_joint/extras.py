"""Optional packages, which users install as extras of this package."""

from importlib.util import find_spec

from .errors import Errors, JointValueError


def require_packages(extra: str, *packages: str) -> None:
    """Checks that the packages of an extra are installed (J710), without importing them."""
    for package in packages:
        if find_spec(package) is None:
            raise JointValueError(Errors.J710, package=package, extra=extra)
