"""Builds the Cython extensions; pyproject.toml has everything else about the package."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

PACKAGE = Path("spacy_joint")

# No -g: debugging information would be five sixths of the modules. No -march: the released wheels run everywhere;
# engine/rows.h picks the fastest kernels when it is loaded. No -ffast-math either: a sum must not depend on the
# machine. -fno-trapping-math changes no result: comparisons of floats within a loop can then be vectorised.
if sys.platform == "win32":
    compile_args = ["/O2", "/std:c++14"]
else:
    compile_args = ["-g0", "-O3", "-std=c++11", "-fno-math-errno", "-fno-trapping-math", "-Wno-unused-function"]

extensions = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [path.as_posix()],
        language="c++",
        include_dirs=["spacy_joint/engine"],
        depends=["spacy_joint/engine/rows.h"],
        extra_compile_args=compile_args,
    )
    for path in sorted(PACKAGE.rglob("*.pyx"))
]
# What Cython needs for memoryviews. Otherwise, each module has it, which is half of their size, and most of the time to
# compile them.
utility = Extension(
    "spacy_joint.engine.cython_utility",
    ["spacy_joint/engine/cython_utility.c"],
    extra_compile_args=[] if sys.platform == "win32" else ["-g0"],
)
extensions.append(utility)


class build_cython(build_ext):
    """Lets Cython run where something is built, and not where a source distribution is made."""

    def run(self) -> None:  # noqa: D102
        translated = cythonize(
            self.extensions,
            shared_utility_qualified_name=utility.name,
            compiler_directives={
                "language_level": 3,
                "boundscheck": False,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": False,
                "embedsignature": True,
                "annotation_typing": False,
            },
        )
        for extension, in_c in zip(self.extensions, translated, strict=True):
            extension.sources = in_c.sources
        super().run()


setup(
    # Beside the package in a checkout, in it when installed.
    packages=[*find_packages(include=["spacy_joint*"]), "spacy_joint.configs"],
    package_dir={"spacy_joint.configs": "configs"},
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=extensions,
    cmdclass={"build_ext": build_cython},
)
