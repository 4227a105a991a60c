# SPDX-License-Identifier: BSD-3-Clause
"""papi_run -g: metrics of a program of known counts, what stands out, passes, and groups that make no sense."""
import os
import re
import signal
import subprocess

from run_harness import events_of, HELPERS, main, PAGE_FAULTS, PAPI_RUN, RunTest, TASK_CLOCK, TOUCHER

FLOPS = os.path.join(HELPERS, "flops")
FEW_COUNTERS = os.path.join(HELPERS, "libfew_counters.so")
METRIC_KEYS = ["group", "name", "value", "unit", "kind", "partial", "rsd_percent", "passes", "description", "error"]
FAULTS = """GROUP,faults,"Faults, for a test"
METRIC,all,fault,N0,perf::PAGE-FAULTS,SDESC,all,LDESC,"All of them."
METRIC,double,fault,2 * N0,all,SDESC,twice,LDESC,"Twice that."
METRIC,rate,fault/s,N0 / N1,all,seconds,SDESC,in a second,LDESC,"By the clock."
METRIC,busy,CPU,N0 / N1,perf::TASK-CLOCK,seconds,SDESC,busy,LDESC,"CPUs."
METRIC,nothing,%,100 * N0 / (N1 - N1),all,all,SDESC,nothing,LDESC,"Divides by zero."
METRIC,gone,1,N0,no_such_event,SDESC,gone,LDESC,"Not here."
RULE,all,above,10,"There are {}."
RULE,double,above,1,"There are {}, twice."
RULE,nothing,below,1,never
RULE,all,below,0,never
"""


def metrics_of(report):
    return {metric["name"]: metric for metric in report["metrics"]}


class MetricsTest(RunTest):
    def group_file(self, text=FAULTS, name="groups.csv"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def metrics(self, *arguments, **how):
        report = self.report(*arguments, **how)
        for metric in report["metrics"]:
            self.assertEqual(list(metric), METRIC_KEYS)
            self.assertEqual(metric["value"] is None, metric["error"] is not None, metric)
            self.assertEqual(metric["value"] is None, metric["kind"] is None, metric)
        return report

    def refused(self, words, *arguments, **how):
        result = self.run_it(*arguments, **how)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(words, result.stderr.decode())
        return result.stderr.decode()


class Values(MetricsTest):
    def test_file(self):
        report = self.metrics("-g", self.group_file(), TOUCHER, "100", "s")
        events, metrics = events_of(report), metrics_of(report)
        self.assertEqual(set(events), {PAGE_FAULTS, TASK_CLOCK})
        faults = events[PAGE_FAULTS]["count"]
        self.assertEqual([metrics["all"]["value"], metrics["double"]["value"]], [faults, 2 * faults])
        rate = faults / report["elapsed_s"]
        self.assertAlmostEqual(metrics["rate"]["value"], rate, delta=rate * 1e-6)
        self.assertAlmostEqual(metrics["busy"]["value"], events[TASK_CLOCK]["count"] / 1e9 / report["elapsed_s"],
                               places=6)
        self.assertEqual(metrics["all"]["kind"], "exact")
        self.assertEqual(metrics["all"]["unit"], "fault")
        self.assertEqual(metrics["nothing"]["error"], "it divides by a count of 0")
        self.assertIn(self.path("groups.csv") + ":7:18: no event is named", metrics["gone"]["error"])
        # What is beyond its threshold by more comes first.
        self.assertEqual(report["findings"], [f"There are {2 * faults} fault, twice.", f"There are {faults} fault."])

    def test_runs(self):
        report = self.metrics("-r", "3", "-g", self.group_file(), TOUCHER, "100", "s")
        metrics, counts = metrics_of(report), events_of(report)[PAGE_FAULTS]["counts"]
        self.assertAlmostEqual(metrics["all"]["value"], sum(counts) / 3, places=3)
        self.assertAlmostEqual(metrics["all"]["rsd_percent"], events_of(report)[PAGE_FAULTS]["rsd_percent"], places=6)

    def test_environment(self):
        how = {"env": {**os.environ, "PAPI_METRICS_FILE": self.group_file()}}
        self.assertIn("double", metrics_of(self.metrics("-g", "faults", TOUCHER, "1", "s", **how)))
        wrong = self.group_file("GROUP,g,x\nMETRIC,a,mile,N0,r01\n", "wrong.csv")
        how = {"env": {**os.environ, "PAPI_METRICS_FILE": wrong}}
        result = self.run_it("-g", "system", TOUCHER, "1", "s", **how)
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"{wrong}:2:10: there is no unit", result.stderr.decode())

    def test_csv(self):
        result = self.run_it("--format", "csv", "-g", self.group_file(), TOUCHER, "100", "s")
        rows = self.read_csv(result.stderr.decode())
        self.assertEqual(rows["faults:double"]["count"], str(2 * int(rows[PAGE_FAULTS]["count"])))
        self.assertEqual(rows["faults:double"]["unit"], "fault")
        self.assertEqual(rows["faults:nothing"]["count"], "")
        self.assertEqual(rows["faults:nothing"]["error"], "it divides by a count of 0")

    def test_text(self):
        result = self.run_it("--explain", "-g", self.group_file(), TOUCHER, "100", "s")
        text = result.stderr.decode()
        self.assertRegex(text, r"\nMetric +Value  Worth  What it is\n")
        self.assertRegex(text, r"\ndouble +\d+ fault  exact  twice\n")
        self.assertRegex(text, r"\nnothing +n/a +nothing\n")
        self.assertIn("\nn/a: nothing: it divides by a count of 0\n", text)
        self.assertIn("\nnot here: gone; papi_run --list-groups says why\n", text)
        self.assertRegex(text, r"\n- There are \d+ fault, twice\.\n- There are \d+ fault\.\n")
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        quiet = self.run_it("-g", self.group_file(), TOUCHER, "100", "s").stderr.decode()
        self.assertNotIn("There are", quiet)

    def test_nothing_stands_out(self):
        groups = self.group_file("GROUP,g,x\nMETRIC,a,fault,N0,perf::PAGE-FAULTS\nRULE,a,below,1,never\n")
        text = self.run_it("--explain", "-g", groups, TOUCHER, "1", "s").stderr.decode()
        self.assertIn("Nothing stands out: no value is beyond the threshold of one of the 1 rules",
                      " ".join(text.split()))

    def test_three_sentences(self):
        rules = "".join(f"RULE,a,above,{i},number {i}\n" for i in range(1, 7))
        groups = self.group_file("GROUP,g,x\nMETRIC,a,fault,N0,perf::PAGE-FAULTS\n" + rules)
        text = self.run_it("--explain", "-g", groups, TOUCHER, "100", "s").stderr.decode()
        self.assertEqual(re.findall(r"^- number (\d)$", text, re.M), ["1", "2", "3"])


class Refused(MetricsTest):
    def test_groups(self):
        self.refused('no group of metrics is named "nix"; there are flops, cache,', "-g", "nix", "true")
        self.refused("-g: a group of metrics has a name", "-g", "system,", "true")
        self.refused("No such file", "-g", "/nowhere/groups", "true")
        self.refused("this file has no group of metrics", "-g", self.group_file("# none\n"), "true")
        self.refused(":2:12: formula", "-g", self.group_file("GROUP,g,x\nMETRIC,a,1,N0 +,r01\n"), "true")
        self.refused("the metric a is made of itself", "-g", self.group_file("GROUP,g,x\nMETRIC,a,1,N0,a\n"), "true")
        gone = self.group_file("GROUP,g,x\nMETRIC,a,1,N0,no_such_event\n")
        self.refused(":2:15: no event is named", "-g", gone, "true")
        self.assertEqual(self.run_it("--best-effort", "-g", gone + ",system", "true").returncode, 0)

    def test_options(self):
        self.refused("--explain is about metrics", "--explain", "true")
        self.refused("--passes is about metrics", "--passes", "true")
        self.refused("watches a process", "--passes", "-g", "system", "-p", str(os.getpid()))

    def test_terminals_are_safe(self):
        groups = self.group_file("GROUP,g,\x1b[31mx\nMETRIC,a,fault,N0,perf::PAGE-FAULTS,SDESC,\x1b[2J,LDESC,\x1b]x\n"
                                 "RULE,a,above,0,\x1b[1m{}\n")
        for arguments in (("--explain", "-g", groups, "true"), ("--list-groups", "-g", groups)):
            result = subprocess.run([PAPI_RUN, *arguments], capture_output=True, timeout=60, check=True)
            self.assertNotIn(b"\x1b", result.stdout + result.stderr)


class Energy(MetricsTest):
    """A PMU "power" that is made here: its energy are the page faults of a whole CPU, half a Joule each."""

    def tree(self, cpus="0"):
        pmu = self.path("root/sys/bus/event_source/devices/power")
        for name, text in (("type", "1"), ("cpumask", cpus), ("format/event", "config:0-63"),
                           ("events/energy-pkg", "event=0x02"), ("events/energy-pkg.unit", "Joules"),
                           ("events/energy-pkg.scale", "0.5")):
            path = os.path.join(pmu, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text + "\n")
        return {"env": {**os.environ, "PAPI_ROOT": self.path("root")}}

    def energy(self, pages, **how):
        report = self.metrics("-g", "energy", TOUCHER, pages, "s", **how)
        metrics, event = metrics_of(report), events_of(report)["power/energy-pkg/"]
        if event["error"] and ("forbids" in event["error"] or "not permitted" in event["error"]):
            self.assertEqual(metrics["package_energy"]["error"], "power/energy-pkg/: " + event["error"])
            self.skipTest(event["error"])
        self.assertIsNone(event["error"])
        return report, metrics, event

    def test_of_a_cpu(self):
        """All that runs there meanwhile, so no less than the program."""
        cpu = min(os.sched_getaffinity(0))
        report, metrics, event = self.energy("4000", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
                                             **self.tree(str(cpu)))
        self.assertGreaterEqual(event["count"], 4000)
        self.assertEqual(metrics["package_energy"]["value"], event["count"] / 2)
        self.assertEqual((metrics["package_energy"]["unit"], metrics["package_energy"]["kind"]), ("J", "exact"))
        power = event["count"] / 2 / report["elapsed_s"]
        self.assertAlmostEqual(metrics["package_power"]["value"], power, delta=power * 1e-6)
        for name, event in (("cores_energy", "energy-cores"), ("memory_energy", "energy-ram")):
            self.assertIn(f'PMU power has no event or field "{event}"', metrics[name]["error"])

    def test_of_all_packages(self):
        """The sum, wherever the program runs."""
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        _, metrics, event = self.energy("4000", **self.tree(cpus))
        self.assertGreaterEqual(event["count"], 4000)
        self.assertEqual(metrics["package_energy"]["value"], event["count"] / 2)

    def test_of_no_pmu(self):
        os.makedirs(self.path("root/sys"))
        text = self.refused("-g energy: nothing of this group can be counted here: power/energy-pkg/: the kernel has "
                            'no PMU "power"', "-g", "energy", "true",
                            env={**os.environ, "PAPI_ROOT": self.path("root")})
        self.assertIn("nothing was run", text)


class Lists(MetricsTest):
    def test_all(self):
        result = subprocess.run([PAPI_RUN, "--list-groups"], capture_output=True, text=True, timeout=60, check=True)
        groups = re.findall(r"^(\w+)  ", result.stdout, re.M)
        self.assertEqual(groups, ["flops", "cache", "branch", "tlb", "memory", "vector", "instructions", "stalls",
                                  "energy", "roofline", "system"])
        self.assertIn("  page_faults_per_second    faults, by CPU time (fault/s, exact): N0 / N1 = perf::PAGE-FAULTS, "
                      "perf::TASK-CLOCK\n", result.stdout)

    def test_one(self):
        result = subprocess.run([PAPI_RUN, "--list-groups", "-g", self.group_file()], capture_output=True, text=True,
                                timeout=60, check=True)
        self.assertRegex(result.stdout, r"\Afaults  Faults, for a test\n  all +all \(fault, exact\): N0 = perf::PAGE-")
        self.assertRegex(result.stdout, r"\n  gone +not here: .*:7:18: no event is named")


class Passes(MetricsTest):
    """On a processor with two counters, which few_counters.so makes of one without any."""

    GROUPS = """GROUP,one,x
METRIC,a,%,100 * N0 / N1,perf::CYCLES,perf::INSTRUCTIONS
GROUP,two,x
METRIC,b,%,100 * N0 / N1,perf::BRANCHES,perf::BRANCH-MISSES
METRIC,c,1,N0 + N1 + N2,perf::CYCLES,perf::BRANCHES,perf::PAGE-FAULTS
"""

    def setUp(self):
        super().setUp()
        if not os.path.exists(FEW_COUNTERS):
            self.skipTest("few_counters.so is for x86-64")
        self.how = {"env": {**os.environ, "PAPI_VPMU": "off", "LD_PRELOAD": FEW_COUNTERS}}

    def test_refused(self):
        self.refused("drop two, or have the program run 2 times with --passes", "-g", self.group_file(self.GROUPS),
                     TOUCHER, "100", "s", **self.how)
        self.refused("ask for less than g, or have the program run 2 times", "-g", self.group_file(
            "GROUP,g,x\nMETRIC,c,1,N0 + N1 + N2,perf::CYCLES,perf::BRANCHES,perf::INSTRUCTIONS\n"), TOUCHER, "100", "s",
            **self.how)

    def test_fits(self):
        how = {"env": {**self.how["env"], "FEW_COUNTERS": "4"}}
        metrics = metrics_of(self.metrics("-g", self.group_file(self.GROUPS), TOUCHER, "100", "s", **how))
        self.assertEqual([metric["passes"] for metric in metrics.values()], [1, 1, 1])

    def test_passes(self):
        script = self.script(f"#!/bin/sh\necho x >>{self.path('runs')}\nexec {TOUCHER} 100 s\n")
        report = self.metrics("--passes", "-r", "3", "-g", self.group_file(self.GROUPS), script, **self.how)
        metrics = metrics_of(report)
        with open(self.path("runs"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 6)
        self.assertEqual(report["repeats"], 3)
        self.assertEqual({name: metric["passes"] for name, metric in metrics.items()}, {"a": 1, "b": 1, "c": 2})
        self.assertEqual(metrics["a"]["value"], 100)
        self.assertEqual(metrics["b"]["value"], 100)
        self.assertIn("not all events were counted at once", " ".join(report["notes"]))
        text = self.run_it("--passes", "-g", self.group_file(self.GROUPS), script, **self.how).stderr.decode()
        self.assertRegex(text, r"\nc +\d+  exact, 2 runs")

    def test_signal(self):
        """The second pass does not take place."""
        process = self.start("--passes", "-g", self.group_file(self.GROUPS), "--format", "json", "-o",
                             self.path("report"), "/bin/sh", "-c", f"echo x >{self.path('on')}; sleep 60", **self.how)
        self.wait_until(lambda: os.path.exists(self.path("on")), "the program runs")
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        metrics = metrics_of(self.read_json(self.path("report")))
        self.assertIsNotNone(metrics["a"]["value"])
        self.assertIn("a signal has ended papi_run", metrics["b"]["error"])


class Virtual(MetricsTest):
    """The virtual PMU, on a program of known counts."""

    def setUp(self):
        super().setUp()
        # With a third level of cache, which not every machine has.
        self.how = {"env": {**os.environ, "PAPI_VPMU": "always", "PAPI_VPMU_CACHE": "L3=8M/16/64"}}
        result = self.run_it("-e", "vpmu:::INSTRUCTIONS", "true", **self.how)
        if b"component vpmu is disabled" in result.stderr or b"is not here" in result.stderr:
            self.skipTest(" ".join(result.stderr.decode().split()))

    def both(self, groups, *arguments):
        """The counts and metrics of the program, and the counts of one that does nothing, which start-up has."""
        # Reading a number takes a branch for each digit.
        report, nothing = (self.metrics("--reproducible", "-g", groups, FLOPS,
                                        *(f"{times * argument:08}" for argument in arguments), **self.how)
                           for times in (1, 0))
        return ({name: event["count"] for name, event in events_of(report).items()}, metrics_of(report),
                {name: event["count"] for name, event in events_of(nothing).items()})

    def test_flops(self):
        counts, metrics, before = self.both("flops,vector,instructions", 100000, 50000)
        self.assertEqual(counts["PAPI_FP_OPS"] - before["PAPI_FP_OPS"], 300000)
        self.assertEqual(counts["PAPI_FP_INS"] - before["PAPI_FP_INS"], 250000)
        self.assertEqual(counts["PAPI_DP_OPS"] - before["PAPI_DP_OPS"], 300000)
        # Start-up has a few more operations: relative errors of a part in a thousand.
        instructions = counts["PAPI_TOT_INS"]
        for name, expected in {"flops": 300000, "flops_per_instr": 300000 / instructions,
                               "fp_share": 25000000 / instructions, "double_share": 100, "fma_share": 0,
                               "flops_per_fp_instr": 1.2, "vector_fp_share": 20, "width_128_share": 100 / 3,
                               "width_256_share": 0, "width_512_share": 0, "instructions": instructions,
                               "float_share": 25000000 / instructions}.items():
            self.assertAlmostEqual(metrics[name]["value"], expected, delta=expected * 1e-3 + 1e-9, msg=name)
            self.assertEqual(metrics[name]["kind"], "exact")
        for name in ("flops_per_second", "instructions_per_second"):
            self.assertIn("counted by translation", metrics[name]["error"])

    def test_branches(self):
        counts, metrics, before = self.both("branch,memory", 0, 200000)
        self.assertEqual(counts["PAPI_BR_CN"] - before["PAPI_BR_CN"], 200000)
        self.assertEqual(counts["PAPI_LD_INS"] - before["PAPI_LD_INS"], 200000)
        self.assertEqual(counts["PAPI_SR_INS"] - before["PAPI_SR_INS"], 200000)
        self.assertAlmostEqual(metrics["branch_share"]["value"], 20, delta=0.1)
        self.assertAlmostEqual(metrics["taken_share"]["value"], 100, delta=0.5)
        self.assertLess(metrics["branch_miss_rate"]["value"], 0.5)
        self.assertAlmostEqual(metrics["loads_per_instr"]["value"], 0.2, delta=0.002)
        self.assertEqual(metrics["memory_bytes"]["value"], 64 * counts["PAPI_L3_TCM"])
        self.assertEqual([metrics["branch_share"]["kind"], metrics["branch_miss_rate"]["kind"]], ["exact", "modelled"])

    def test_all_groups_count(self):
        report = self.metrics("-g", "flops,cache,branch,tlb,memory,vector,instructions,stalls,system", FLOPS, "1000",
                              "1000", **self.how)
        missing = {name for name, metric in metrics_of(report).items() if metric["value"] is None}
        # What happens in the kernel only is not for every user.
        missing -= {"migrations_per_second", "switches_per_second"}
        self.assertEqual(missing, {"flops_per_second", "memory_bandwidth", "instructions_per_second", "retiring",
                                   "frontend_bound", "backend_bound", "bad_speculation", "cpus_busy", "clock_rate"})
        self.assertEqual(metrics_of(report)["major_faults"]["kind"], "affected")


if __name__ == "__main__":
    main()
