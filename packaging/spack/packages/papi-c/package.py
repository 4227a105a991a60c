# SPDX-License-Identifier: BSD-3-Clause
"""PAPI in C, from the tree that one stands in: packaging/README.md."""
from spack.package import *


class PapiC(MesonPackage):
    """Counts what a processor does for a program, with hardware counters or without."""

    maintainers = []
    license("BSD-3-Clause")

    version("7.0.0")

    provides("papi@7.0.0")

    variant("vpmu", default=True, description="the virtual PMU: counts where there are no counters (x86-64)")
    variant("profile", default=True, description="papi_profile: where in a program something happens")
    variant("json", default=True, description="papi_compare and papi_hl_output_writer, which read JSON")
    variant("perfometer", default=True, description="perfometer: what a program does while it runs, in a browser")
    variant("python", default=True, description="the Python packages papi and pypapi")

    depends_on("c", type="build")
    depends_on("fortran", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("libpfm4")
    depends_on("zydis@4.0:", when="+vpmu target=x86_64:")
    depends_on("elfutils@0.170:", when="+profile")
    depends_on("sqlite@3.24:", when="+profile")
    depends_on("jansson@2.8:", when="+json")
    depends_on("libmicrohttpd", when="+perfometer")
    depends_on("ncurses", when="+perfometer")
    depends_on("python@3.8:", type=("build", "run"), when="+python")

    def meson_args(self):
        def feature(option, variant):
            return "-D{0}={1}".format(option, "enabled" if variant in self.spec else "disabled")

        vpmu = "+vpmu target=x86_64:"
        return ["-Dtests=false", "-Dlibpfm=enabled", feature("vpmu", vpmu), feature("sqlite", "+profile"),
                feature("libdw", "+profile"), feature("jansson", "+json"), feature("microhttpd", "+perfometer"),
                feature("ncurses", "+perfometer"), feature("python", "+python")]
