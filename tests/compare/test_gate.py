# SPDX-License-Identifier: BSD-3-Clause
"""examples/ci in a clean directory: unchanged builds pass, and regressions of 0.1 % of the instructions do not."""
import json
import os
import random
import re
import shutil
import subprocess
import unittest

from compare_harness import CompareTest, main, PAPI_RUN, TOOLS

PAPI_PROFILE = os.path.join(TOOLS, "papi_profile")
EXAMPLE = os.path.join(os.environ["PAPI_EXAMPLES"], "ci")
PLATE = "	for (int x = 0; x < SIZE; x++)\n		plate[x] = next[x] = 100;\n"
STEP = "		step(plate, next);\n"
# What somebody does to the program without a thought: each costs 0.1 % of its instructions or more.
REGRESSIONS = [
    *(("STEPS 1000", f"STEPS {steps}") for steps in (1001, 1002, 1005, 1100)),
    (PLATE, PLATE + "	for (volatile int i = 0; i < 5000; i++)\n		continue;\n"),
    (STEP, STEP + "		for (volatile int x = 0; x < 3; x++)\n			next[x] = 100;\n"),
    (STEP, STEP + "		free(realloc(malloc(100 + (size_t)i), 200 + (size_t)i));\n"),
    (STEP, "		char text[32];\n\n		snprintf(text, sizeof(text), \"%d\", i);\n"
           "		if (text[0] == 'x')\n			break;\n" + STEP),
    ('	printf("%.6f\\n", ', '	for (int i = 0; i < 30; i++)\n'
                               '		printf("%.6f ", plate[i]);\n	printf("%.6f\\n", '),
    (STEP, "		if (getenv(\"SOLVER_STOP\"))\n			break;\n" + STEP),
]


def setUpModule():
    if not shutil.which("cc"):
        raise unittest.SkipTest("there is no C compiler here")
    result = subprocess.run([PAPI_RUN, "--reproducible", "-e", "vpmu:::INSTRUCTIONS", "true"],
                            env={**os.environ, "PAPI_VPMU": "always"}, stderr=subprocess.PIPE, check=False)
    for reason in (b"component vpmu is disabled", b"is not here", b"does not let address randomization"):
        if reason in result.stderr:
            raise unittest.SkipTest(" ".join(result.stderr.decode().split()))


class Gate(CompareTest):
    def setUp(self):
        super().setUp()
        self.work = self.path("project")
        shutil.copytree(EXAMPLE, self.work)
        self.gate(self.work, "--update")

    def gate(self, directory, *arguments, status=0, environment=None):
        """Runs the script; what it counted."""
        path = TOOLS + os.pathsep + os.environ["PATH"]
        # Not in the directory of the script, which finds its own.
        result = subprocess.run([os.path.join(directory, "gate.sh"), *arguments], cwd=self.directory, text=True,
                                capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False,
                                env={**os.environ, **(environment or {}), "PATH": path})
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.output = result.stdout
        with open(os.path.join(directory, "new.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual(saved["command"], ["./solver"])
        return {event["name"]: event["counts"][0] for event in saved["events"]}

    def test_unchanged_builds(self):
        """Twenty, each built anew, in a directory of another length and with another environment."""
        numbers = random.Random(20)
        with open(os.path.join(self.work, "baseline.json"), encoding="utf-8") as file:
            expected = {event["name"]: event["counts"][0] for event in json.load(file)["events"]}
        for number in range(20):
            directory = self.path(os.path.join("b" * numbers.randint(1, 60), f"build{number}"))
            os.makedirs(os.path.dirname(directory), exist_ok=True)
            shutil.copytree(self.work, directory, ignore=shutil.ignore_patterns("solver", "new.json"))
            environment = {f"V{i}": "v" * numbers.randint(0, 2000) for i in range(numbers.randint(0, 50))}
            self.assertEqual(self.gate(directory, environment=environment), expected)
            self.assertIn("no limit is exceeded", self.output)

    def test_regressions(self):
        baseline = self.gate(self.work)["PAPI_TOT_INS"]
        path = os.path.join(self.work, "solver.c")
        with open(path, encoding="utf-8") as file:
            source = file.read()
        self.assertEqual(len(REGRESSIONS), 10)
        for number, (before, after) in enumerate(REGRESSIONS):
            self.assertEqual(source.count(before), 1, before)
            with open(path, "w", encoding="utf-8") as file:
                file.write(source.replace(before, after))
            count = self.gate(self.work, "--github", status=1)["PAPI_TOT_INS"]
            # It is what it is said to be.
            self.assertGreater(count / baseline, 1.00095, after)
            self.assertRegex(self.output, r"(?m)^PAPI_TOT_INS .* over 0\.05%$")
            self.assertRegex(self.output, r"(?m)^::error title=PAPI_TOT_INS::")
            if number == 0:
                # One of the thousand steps more.
                self.assertLess(count / baseline, 1.0011)

    def test_what_is_accepted_is_the_new_baseline(self):
        path = os.path.join(self.work, "solver.c")
        with open(path, encoding="utf-8") as file:
            source = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(source.replace("STEPS 1000", "STEPS 1200"))
        self.gate(self.work, status=1)
        self.gate(self.work, "--update")
        self.gate(self.work)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        self.gate(self.work)
        self.assertIn(" less", self.output)

    def test_a_program_that_fails(self):
        with open(os.path.join(self.work, "solver.c"), "w", encoding="utf-8") as file:
            file.write("int main(void) { return 3; }\n")
        result = subprocess.run([os.path.join(self.work, "gate.sh")], capture_output=True, check=False,
                                env={**os.environ, "PATH": TOOLS + os.pathsep + os.environ["PATH"]})
        self.assertEqual(result.returncode, 3)

    def test_the_function_is_named(self):
        """From exact profiles: the one that does more, by as much as the counts say."""
        if not os.path.exists(PAPI_PROFILE):
            self.skipTest("papi_profile is not built")
        path = os.path.join(self.work, "solver.c")
        environment = {**os.environ, "PATH": TOOLS + os.pathsep + os.environ["PATH"], "PAPI_VPMU": "always"}
        with open(path, encoding="utf-8") as file:
            # Where it is called, it is not inlined.
            source = file.read().replace("static void step", "__attribute__((noinline)) static void step")
        saved, profiles = [], []
        for name, steps in (("before", "1000"), ("after", "1010")):
            saved.append(self.path(name + ".json"))
            profiles.append(self.path(name + ".db"))
            with open(path, "w", encoding="utf-8") as file:
                file.write(source.replace("STEPS 1000", "STEPS " + steps))
            for command in (["cc", "-g", "-O1", "-o", "solver", "solver.c"],
                            [PAPI_RUN, "--reproducible", "--save", saved[-1], "-e", "PAPI_TOT_INS", "./solver"],
                            [PAPI_PROFILE, "--exact", "-e", "PAPI_TOT_INS", "-o", profiles[-1], "./solver"],
                            [PAPI_PROFILE, "report", profiles[-1]]):
                subprocess.run(command, cwd=self.work, check=True, env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        options = ("--before-profile", profiles[0], "--after-profile", profiles[1])
        pair = self.compare(*saved, *options, "-l", "PAPI_TOT_INS=0.1%", status=1)["events"][0]
        function = pair["functions"][0]
        self.assertEqual(function["name"], "step")
        self.assertTrue(function["file"].endswith("solver.c"), function)
        self.assertGreater(function["difference"], 0.9 * pair["difference"])
        self.assertLessEqual(function["difference"], pair["difference"])
        self.assertEqual(function["after"] - function["before"], function["difference"])
        result = self.run_it(*saved, *options, "-l", "PAPI_TOT_INS=0.1%", "--github")
        self.assertRegex(result.stdout.decode(), r"::error title=PAPI_TOT_INS::.*; most of all \+[\d,]+ in step \(")
        self.assertRegex(result.stdout.decode(), r"(?m)^PAPI_TOT_INS, by function:\n  - \+[\d,]+ in step \(\S+:\d+\)$")
        # What has not changed has no functions, and a profile that is none is no answer.
        self.assertEqual(self.compare(saved[0], saved[0], *options)["events"][0]["functions"], [])
        result = self.run_it(*saved, "--before-profile", profiles[0], "--after-profile", saved[1])
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"papi_profile diff: ", result.stderr)

    def test_the_workflow_runs_it(self):
        with open(os.path.join(EXAMPLE, "workflow.yml"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.findall(r"run: (\./gate\.sh.*)", text), ["./gate.sh --github"])
        self.assertNotIn("\t", text)


if __name__ == "__main__":
    main()
