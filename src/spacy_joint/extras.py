"""Packages that only some users need, and install as extras of this package."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import Errors, JointValueError


def require_packages(extra: str, *packages: str) -> None:
    """Checks that packages are installed, without importing them.

    extra (str): The extra that installs them.
    packages (str): Their names.
    RAISES ValueError: If one of them is missing (J710).
    """
    for package in packages:
        if find_spec(package) is None:
            raise JointValueError(Errors.J710, package=package, extra=extra)
