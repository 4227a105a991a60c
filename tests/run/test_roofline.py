# SPDX-License-Identifier: BSD-3-Clause
"""papi_run --roofline: the program stands where its counts and its time put it, under roofs that are known here."""
import glob
import math
import os
import re
import shutil
import stat
import tempfile
import xml.etree.ElementTree

from run_harness import events_of, HELPERS, main, PYTHON, RunTest

FLOPS = os.path.join(HELPERS, "flops")
SVG = "{http://www.w3.org/2000/svg}"
LEFT, RIGHT, TOP, BOTTOM = 92, 936, 84, 500  # of the frame
# Bytes of a cache, rates of one CPU and of all.
ROOFS = (("m", 32768, 2e11, 4e11, "L1"), ("m", 1 << 20, 1e11, 2e11, "L2"), ("m", 1 << 25, 5e10, 1e11, "L3"),
         ("m", 0, 1e10, 2e10, "memory"), ("f", 0, 1e10, 2e10, "double 64"), ("f", 0, 4e10, 8e10, "double 256"),
         ("f", 0, 8e10, 1.6e11, "single 256"))


class RooflineTest(RunTest):
    """The roofs are measured once, and then replaced in the file where they are kept."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kept = tempfile.mkdtemp(prefix="papi-run-roofline-")
        cls.environment = {**os.environ, "XDG_CACHE_HOME": cls.kept, "PAPI_VPMU": "auto"}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.kept, ignore_errors=True)
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        if not glob.glob(f"{self.kept}/papi/*"):
            result = self.draw("first.svg", FLOPS, "1000", "0")
            self.assertIn("papi_run: measures the roofs of this machine, once", result.stderr.decode())
            # The second time they are there.
            self.assertNotIn("measures", self.draw("first.svg", FLOPS, "1000", "0").stderr.decode())
            self.write_roofs()

    def write_roofs(self):
        path = glob.glob(f"{self.kept}/papi/*")[0]
        with open(path, encoding="utf-8") as file:
            head = file.read().splitlines()[:3]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(head) + "\n" + "".join(
                f"{kind} {size} {one} 0 {every} 0\tk\t{name}\n" for kind, size, one, every, name in ROOFS))

    def draw(self, name, *arguments, status=0, **how):
        result = self.run_it("--roofline", self.path(name), *arguments, env=self.environment, **how)
        if b"no floating-point operations can" in result.stderr or b"nothing of this group" in result.stderr:
            self.skipTest("operations cannot be counted here")
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def picture(self, name):
        return xml.etree.ElementTree.parse(self.path(name)).getroot()

    def place(self, picture, circle):
        """Operations for each byte, and in a second."""
        numbers = {"x": [], "y": []}
        for text in picture.iter(SVG + "text"):
            found = re.fullmatch(r"([\d.e-]+) ?([kMGT]?) ?", text.text or "")
            if found and "class" not in text.attrib:
                value = float(found[1]) * 1000 ** " kMGT".index(found[2] or " ")
                middle = text.attrib["text-anchor"] == "middle"
                numbers["x" if middle else "y"].append((float(text.attrib["x" if middle else "y"]), value))

        def value(at, axis):
            (a, low), (b, high) = min(numbers[axis], key=lambda n: n[1]), max(numbers[axis], key=lambda n: n[1])
            return low * (high / low) ** ((at - a) / (b - a))
        return value(float(circle.attrib["cx"]), "x"), value(float(circle.attrib["cy"]) + 4, "y")


class Pictures(RooflineTest):
    def test_point(self):
        report = self.path("report.json")
        self.draw("point.svg", "--format", "json", "-o", report, FLOPS, "3000000", "0")
        counted = events_of(self.read_json(report))
        metrics = {metric["name"]: metric["value"] for metric in self.read_json(report)["metrics"]}
        self.assertAlmostEqual(counted["PAPI_FP_OPS"]["count"], 6000000, delta=20000)
        self.assertEqual(metrics["operations"], counted["PAPI_FP_OPS"]["count"])
        self.assertEqual(metrics["bytes_below_l3"], 64 * counted["PAPI_L3_DCM"]["count"])
        note = self.read_json(report)["notes"][-1]
        found = re.fullmatch(r"([\d.]+) ([kMG]?)flop/s \(exact\), ([\d.e+]+) flop for each byte from memory "
                             r"\(modelled\): ([\d.]+) % of the ([\d.]+) ([kMG])flop/s that (memory|arithmetic) allows "
                             r"here(?: \(double, 256 bits\))? \((one CPU|all CPUs), ([\d.]+) s( in a run without "
                             r"counting)?\); drawn in .*point.svg", note)
        self.assertTrue(found, note)
        speed, seconds = float(found[1]) * 1000 ** " kMG".index(found[2]), float(found[9])
        self.assertAlmostEqual(speed / (metrics["operations"] / seconds), 1, delta=0.01)
        intensity = metrics["operations"] / metrics["bytes_below_l3"]
        self.assertAlmostEqual(float(found[3]) / intensity, 1, delta=0.01)
        every = found[8] == "all CPUs"
        allowed = min(intensity * (2e10 if every else 1e10), 8e10 if every else 4e10)
        self.assertAlmostEqual(float(found[4]) / (100 * speed / allowed), 1, delta=0.03)
        picture = self.picture("point.svg")
        last = [one for one in picture.iter(SVG + "circle") if "rf-last" in one.attrib["class"]]
        self.assertEqual(len(last), 1)
        x, y = self.place(picture, last[0])
        self.assertAlmostEqual(math.log10(x / intensity), 0, delta=0.02)
        self.assertAlmostEqual(math.log10(y / speed), 0, delta=0.02)
        # One ring for each level, further left the more comes from it.
        rings = [float(one.attrib["cx"]) for one in picture.iter(SVG + "circle")]
        self.assertEqual(len(rings), 3)
        self.assertEqual(rings, sorted(rings))
        for ring in picture.iter(SVG + "circle"):
            self.assertTrue(LEFT < float(ring.attrib["cx"]) < RIGHT and TOP < float(ring.attrib["cy"]) < BOTTOM)

    def test_roofs(self):
        self.draw("roofs.svg", FLOPS, "1000000", "0")
        text = " | ".join(one.text or "" for one in self.picture("roofs.svg").iter(SVG + "text"))
        factor = 2 if "all" in text and "roofs of all" in text else 1
        for label in (f"L1 (32 KiB): {200 * factor} GB/s", f"L3 (32 MiB): {50 * factor} GB/s",
                      f"memory: {10 * factor} GB/s", f"double, 256 bits: {40 * factor} Gflop/s",
                      f"double, 64 bits: {10 * factor} Gflop/s"):
            self.assertIn(label, text)

    def test_all_cpus(self):
        """A program that keeps several at work is measured by the roofs of all."""
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two CPUs")
        both = self.script(f"#!/bin/sh\n{FLOPS} 60000000 0 & {FLOPS} 60000000 0; wait\n")
        for _ in range(3):
            if b"(all CPUs, " in b" ".join(self.draw("all.svg", both).stderr.split()):
                return
        self.skipTest("the machine is too busy for two programs at once")

    def test_page(self):
        name = self.path("<i>&'\"x")
        shutil.copy(FLOPS, name)
        os.chmod(name, os.stat(name).st_mode | stat.S_IXUSR)
        self.draw("page.html", name, "100000", "0")
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("<i>", page)
        self.assertIn("&lt;i&gt;&amp;", page)
        self.assertIn("prefers-color-scheme", page)
        self.assertNotRegex(page, r"<script|src=|href=|url\(")
        self.assertIn("<td>memory</td>", page)

    def test_no_operations(self):
        """Nothing to be drawn is told, and the picture has the roofs."""
        text = " ".join(self.draw("none.svg", FLOPS, "0", "0").stderr.decode().split())
        rings = len(list(self.picture("none.svg").iter(SVG + "circle")))
        self.assertEqual("it does no floating-point operation, and has no point" in text, rings == 0)

    def test_runs_and_status(self):
        path = self.script(f"#!{PYTHON}\nimport sys\nopen('ran', 'a').write('x')\nsys.exit(7)\n")
        self.draw("status.svg", path, status=7, cwd=self.directory)
        with open(self.path("ran"), encoding="ascii") as file:
            self.assertIn(len(file.read()), (1, 2))

    def test_killed(self):
        """A signal in the run that is not counted ends it all, with its status."""
        path = self.script("#!/bin/sh\necho x >> ran; kill -TERM $PPID; sleep 20\n")
        result = self.run_it("--roofline", self.path("k.svg"), path, env=self.environment, cwd=self.directory)
        self.assertEqual(result.returncode, 143, result.stderr)
        with open(self.path("ran"), encoding="ascii") as file:
            self.assertEqual(file.read(), "x\n")


class Refused(RooflineTest):
    def test_files(self):
        for name, why in (("x.png", "has to end in .svg"), ("svg", "has to end in"), ("no/x.svg", "No such file"),
                          (".svg/", "has to end in")):
            result = self.run_it("--roofline", self.path(name), "touch", self.path("ran"), env=self.environment)
            self.assertEqual(result.returncode, 125, result.stderr)
            self.assertEqual(len(result.stderr.decode().splitlines()), 1)
            self.assertIn(why, result.stderr.decode())
            self.assertIn("; the program was not run\n", result.stderr.decode())
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_no_events(self):
        environment = {**self.environment, "PAPI_VPMU": "off"}
        result = self.run_it("--roofline", self.path("x.svg"), "touch", self.path("ran"), env=environment)
        if result.returncode == 0:
            self.skipTest("this processor counts operations")
        self.assertEqual(result.returncode, 2)
        self.assertIn("-g roofline: nothing of this group can be counted here: PAPI_FP_OPS",
                      result.stderr.decode())
        self.assertFalse(os.path.exists(self.path("ran")))
        self.assertFalse(os.path.exists(self.path("x.svg")))

    def test_together(self):
        for arguments in (("-p", "1"), ("-I", "10", "true")):
            result = self.run_it("--roofline", self.path("x.svg"), *arguments, env=self.environment)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"--roofline draws whole runs of a program: leave out " + arguments[0].encode(),
                          result.stderr)


if __name__ == "__main__":
    main()
