"""Builds the Cython extensions; pyproject.toml has everything else about the package."""

import os
import re
import sys
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, CompileError, PlatformError
from setuptools.modified import newer_group

PACKAGE = Path("spacy_joint")
ABOUT = run_path(str(PACKAGE / "about.py"))
REPOSITORY = ABOUT["__repository__"]
RELATIVE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)]*)\)")
COMPILERS = {
    "darwin": "Run `xcode-select --install`.",
    "win32": "Install the Build Tools for Visual Studio with 'Desktop development with C++'.",
    "linux": "On Debian or Ubuntu, run `sudo apt install build-essential python3-dev`; "
    "on Fedora, `sudo dnf install gcc-c++ python3-devel`.",
}

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

    def build_extensions(self) -> None:  # noqa: D102
        self.require_compiler()
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
                # Cython would pickle base classes field by field, even memory views that nothing has set.
                "auto_pickle": False,
            },
        )
        for extension, in_c in zip(self.extensions, translated, strict=True):
            extension.sources = in_c.sources
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        """For an editable installation, setuptools would compile modules that the tree has already."""
        in_tree = self.get_ext_filename(extension.name)
        if self.editable_mode and not newer_group([*extension.sources, *extension.depends], in_tree):
            target = self.get_ext_fullpath(extension.name)
            self.mkpath(str(Path(target).parent))
            self.copy_file(in_tree, target)
        else:
            super().build_extension(extension)

    def require_compiler(self) -> None:
        """Compiles two lines, to say what is missing before Cython has run for a minute."""
        with TemporaryDirectory() as directory:
            probe = Path(directory, "probe.cpp")
            probe.write_text("#include <vector>\n#include <Python.h>\n", encoding="utf8")
            try:
                self.compiler.compile([str(probe)], output_dir=directory, extra_preargs=compile_args)
            except (CCompilerError, PlatformError) as error:
                raise CompileError(
                    "spacy_joint is built from source here, which needs a C++ compiler and the headers of Python. "
                    f"{COMPILERS.get(sys.platform, '')} The compiler's error: {error}"
                ) from error


def make_links_absolute(text: str) -> str:
    """README.md for PyPI, where relative links lead nowhere: to the repository or, without its address, as text."""
    target = rf"[\1]({REPOSITORY}/blob/v{ABOUT['__version__']}/\2)" if REPOSITORY else r"\1"
    return RELATIVE_LINK.sub(target, text)


addresses = {
    "Documentation": ABOUT["__site__"],
    "Repository": REPOSITORY,
    "Issues": REPOSITORY and f"{REPOSITORY}/issues",
    "Changelog": REPOSITORY and f"{REPOSITORY}/blob/main/CHANGELOG.md",
}
setup(
    long_description=make_links_absolute(Path("README.md").read_text(encoding="utf8")),
    long_description_content_type="text/markdown",
    project_urls={name: address for name, address in addresses.items() if address},
    # Beside the package in a checkout, in it when installed.
    packages=[*find_packages(include=["spacy_joint*"]), "spacy_joint.configs"],
    package_dir={"spacy_joint.configs": "configs"},
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=extensions,
    cmdclass={"build_ext": build_cython},
)
