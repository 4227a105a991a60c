# SPDX-License-Identifier: BSD-3-Clause
"""Zydis, which the virtual PMU decodes with, for those whose Spack has no recipe for it."""
from spack.package import *


class Zydis(CMakePackage):
    """A decoder of x86 instructions."""

    git = "https://github.com/zyantific/zydis.git"

    license("MIT")

    version("4.0.0", tag="v4.0.0", submodules=True)

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    def cmake_args(self):
        return [self.define("ZYDIS_BUILD_SHARED_LIB", True), self.define("ZYDIS_BUILD_TOOLS", False),
                self.define("ZYDIS_BUILD_EXAMPLES", False)]
