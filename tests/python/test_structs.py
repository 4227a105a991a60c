# SPDX-License-Identifier: BSD-3-Clause
"""The structures that Python reads have the layout of the headers, and constants their values."""
import ctypes
import os
import shutil
import subprocess
import sys

from python_harness import ProgramTest, SOURCE, main

from papi import _structs

sys.path.insert(0, os.path.join(SOURCE, "python"))
import constants  # noqa: E402 pylint: disable=wrong-import-position

INCLUDE = os.path.join(SOURCE, "include")
TYPES = {"EventInfo": "PAPI_event_info_t", "ComponentInfo": "PAPI_component_info_t", "HardwareInfo": "PAPI_hw_info_t",
         "MemoryInfo": "PAPI_dmem_info_t", "ExecutableInfo": "PAPI_exe_info_t", "AddressMap": "PAPI_address_map_t",
         "GroupInfo": "PAPI_metric_group_info_t", "MetricInfo": "PAPI_metric_info_t", "Tlb": "PAPI_mh_tlb_info_t",
         "Cache": "PAPI_mh_cache_info_t", "Level": "PAPI_mh_level_t", "Memory": "PAPI_mh_info_t"}


class Structs(ProgramTest):
    def numbers(self, expressions):
        """The values of constant expressions of C."""
        if not shutil.which("cc"):
            self.skipTest("there is no C compiler here")
        lines = "".join(f'printf("%lld\\n", (long long)({expression}));\n' for expression in expressions)
        source = self.write("values.c", "#include <papi.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                                        "int main(void)\n{\n" + lines + "}\n")
        program = os.path.join(self.directory, "values")
        subprocess.run(["cc", "-w", "-I", INCLUDE, "-o", program, source], check=True)
        return [int(line) for line in subprocess.run([program], check=True, capture_output=True).stdout.split()]

    def test_layout(self):
        expressions, expected = [], []
        for name, c_name in TYPES.items():
            kind = getattr(_structs, name)
            expressions.append(f"sizeof({c_name})")
            expected.append(ctypes.sizeof(kind))
            for field, _, *bits in kind._fields_:
                if not bits:
                    expressions.append(f"offsetof({c_name}, {field})")
                    expected.append(getattr(kind, field).offset)
        self.assertEqual(dict(zip(expressions, self.numbers(expressions))), dict(zip(expressions, expected)))

    def test_constants(self):
        for name, text in constants.modules(INCLUDE).items():
            path = os.path.join(SOURCE, "python/src/pypapi", name)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), text, f"run python/constants.py include {os.path.dirname(path)}")

    def test_values(self):
        from pypapi import consts, events  # pylint: disable=import-outside-toplevel
        names = [(name, value) for module in (consts, events) for name, value in vars(module).items()
                 if name.startswith("PAPI_")]
        self.assertGreater(len(names), 400)
        found = self.numbers([name for name, _ in names])
        self.assertEqual([(name, value & 0xffffffff) for name, value in names],
                         [(name, value & 0xffffffff) for (name, _), value in zip(names, found)])


if __name__ == "__main__":
    main()
