# SPDX-License-Identifier: BSD-3-Clause
"""The wheel that tools/dev/wheel.sh builds: what is in it, and that it works from where it is unpacked."""
import os
import subprocess
import sys
import zipfile

from python_harness import ProgramTest, SOURCE, main, run


class Wheel(ProgramTest):
    def setUp(self):
        super().setUp()
        result = subprocess.run(["sh", os.path.join(SOURCE, "tools/dev/wheel.sh"), self.directory], text=True,
                                capture_output=True, check=False, timeout=200,
                                env={**os.environ, "PYTHON": sys.executable})
        if result.returncode == 77:
            self.skipTest(result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.wheel = result.stdout.strip()
        self.packages = os.path.join(self.directory, "packages")
        with zipfile.ZipFile(self.wheel) as archive:
            self.names = archive.namelist()
            archive.extractall(self.packages)

    def test_content(self):
        self.assertTrue(self.wheel.endswith("/papi_c-7.0.0-py3-none-any.whl"), self.wheel)
        sources = {os.path.relpath(os.path.join(folder, name), os.path.join(SOURCE, "python/src"))
                   for folder, _, names in os.walk(os.path.join(SOURCE, "python/src")) for name in names
                   if name.endswith((".py", ".typed"))}
        self.assertEqual({name for name in self.names if ".dist-info/" not in name}, sources)
        with open(os.path.join(SOURCE, "python/meson.build"), encoding="utf-8") as file:
            installed = file.read()
        for name in sources:
            stem = os.path.splitext(os.path.basename(name))[0]
            self.assertIn(stem, installed, "python/meson.build does not install it")

    def test_it_works(self):
        result = run("-c", "import papi; assert papi.presets(); print(papi.__file__)", PYTHONPATH=self.packages)
        self.assertEqual((result.stdout, result.stderr), (os.path.join(self.packages, "papi/__init__.py") + "\n", ""))

    def test_pytest_finds_the_plugin(self):
        try:
            import pytest  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        except ImportError:
            self.skipTest("there is no pytest here (python3-pytest)")
        result = run("-m", "pytest", "--help", PYTHONPATH=self.packages, DIRECTORY=self.directory)
        self.assertIn("--papi-update", result.stdout)

    def test_types(self):
        result = run("-m", "mypy", "--version")
        if result.returncode:
            self.skipTest("there is no mypy here (mypy)")
        result = run("-m", "mypy", "--config-file", os.path.join(SOURCE, "python/pyproject.toml"), "--cache-dir",
                     os.path.join(self.directory, "cache"), "src/papi", "src/pypapi",
                     DIRECTORY=os.path.join(SOURCE, "python"), PYTHONPATH=None, MYPYPATH="src")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    main()
