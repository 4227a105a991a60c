# SPDX-License-Identifier: BSD-3-Clause
"""The files of examples/prometheus with a real Prometheus: it scrapes what perfometer counts, to the unit, and each
expression of the dashboard has values. (Grafana itself, which draws them, is not in Debian.)"""
import json
import os
import re
import shutil
import subprocess
import unittest

from meter import (HAS_SERVER, is_virtual, LOOPER, main, MeterTest, PAGE_FAULTS, PERFOMETER, read_messages, samples_of,
                   TASK_CLOCK)
from prometheus import find, Prometheus, series_of

EXAMPLE = os.environ["PAPI_EXAMPLE"]
TOKEN = "token-of-the-test-0123456789"
MPIRUN = os.environ["MPIRUN"]


def setUpModule():
    find("prometheus")


class Files(MeterTest):
    """What promtool says of them."""

    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLE, self.path("example"))
        with open(self.path("example/token"), "w", encoding="ascii") as file:
            file.write(TOKEN)

    def promtool(self, *arguments):
        return subprocess.run([find("promtool"), *arguments], cwd=self.path("example"), capture_output=True, text=True,
                              timeout=120, check=False)

    def test_configuration(self):
        result = self.promtool("check", "config", "prometheus.yml")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"SUCCESS: \d+ rules found")

    def test_rules(self):
        result = self.promtool("test", "rules", "rules_test.yml")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        # It does look: with another expectation it fails.
        with open(self.path("example/rules_test.yml"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("value: 0.5"), 1)
        with open(self.path("example/rules_test.yml"), "w", encoding="utf-8") as file:
            file.write(text.replace("value: 0.5", "value: 0.6"))
        self.assertNotEqual(self.promtool("test", "rules", "rules_test.yml").returncode, 0)


@unittest.skipUnless(HAS_SERVER, "this build of perfometer serves no pages: libmicrohttpd is missing")
class Scraped(MeterTest):
    """A perfometer and a Prometheus, which has the configuration of the example, with another port and in a hurry."""

    def scraped(self, *arguments, threads=False, **how):
        os.mkdir(self.path("example"))
        for name in ("rules.yml", "prometheus.yml", "dashboard.json"):
            shutil.copy(os.path.join(EXAMPLE, name), self.path("example"))
        token = self.path("example/token")
        with open(token, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(TOKEN + "\n")
        meter = self.meter("--token-file", token, *arguments, token=TOKEN, **how)
        self.configure(meter.port, threads)
        prometheus = Prometheus(self.path("example/prometheus.yml"), self.directory)
        self.addCleanup(prometheus.close)
        self.wait_until(prometheus.is_there, "prometheus")
        return meter, prometheus

    def configure(self, port, threads):
        path = self.path("example/prometheus.yml")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for before, after in (("interval: 5s", "interval: 250ms"), ("127.0.0.1:8000", f"127.0.0.1:{port}"),
                              ("# params:", "params:" if threads else "# params:")):
            self.assertIn(before, text)
            text = text.replace(before, after)
        # Somebody who does not know the token.
        text += f"""
  - job_name: stranger
    authorization: {{ credentials: {TOKEN[:-1]} }}
    static_configs: [{{ targets: ["127.0.0.1:{port}"] }}]
"""
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_values(self):
        """All that perfometer has in the end, and nothing else; also of a program with a name of trouble."""
        name = self.path('a"b\\c\n{d="e",}\x1b#\u00e4')
        os.symlink("/bin/sh", name)
        meter, prometheus = self.scraped("-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "--stay", name, "-c", "ls / | wc -l")
        self.wait_until(lambda: re.search(r"papi_program_running\{.*\} 0\n", meter.ask("/metrics")[1]), "its end")
        expected = series_of(meter.ask("/metrics")[1])
        self.assertEqual(len(expected), 3)
        self.assertEqual({dict(labels)["program"] for labels in expected}, {'a"b\\c?{d="e",}?#\u00e4'})
        self.wait_until(lambda: self.values(meter, prometheus) == expected, "the last values")
        self.wait_until(lambda: "papi_event" in prometheus.ask("metadata"), "types")
        kinds = {name: (rows[0]["type"], rows[0]["help"]) for name, rows in prometheus.ask("metadata").items()}
        self.assertEqual(kinds["papi_event"], ("counter", "Events of a program and of all that it has started."))
        self.assertEqual(kinds["papi_program_running"][0], "gauge")
        targets = {}

        def all_were_asked():
            targets.update({target["labels"]["job"]: target for target in prometheus.ask("targets")["activeTargets"]})
            return len(targets) == 2 and all(target["health"] != "unknown" for target in targets.values())
        self.wait_until(all_were_asked, "both targets to be asked")
        self.assertEqual((targets["perfometer"]["health"], targets["perfometer"]["lastError"]), ("up", ""))
        self.assertEqual(targets["stranger"]["health"], "down")
        self.assertIn("403", targets["stranger"]["lastError"])
        self.wait_until(lambda: self.alerts(prometheus) == [("ProgramEnded", "firing")], "the alert")

    def values(self, meter, prometheus):
        """Those that it has scraped last, as series_of() has them."""
        found = {}
        for labels, value in prometheus.query('{__name__=~"papi_.*_total|papi_program_running"}'):
            self.assertEqual((labels.pop("job"), labels.pop("instance")), ("perfometer", f"127.0.0.1:{meter.port}"))
            found[tuple(sorted(labels.items()))] = value
        return found

    @unittest.skipUnless(MPIRUN, "needs mpirun (Debian package openmpi-bin)")
    def test_ranks(self):
        """Each rank of a job has series of its own, with its last totals also after its end."""
        environment = {**os.environ, "PAPI_PERFOMETER": os.path.basename(self.directory),
                       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        meter, prometheus = self.scraped("--listen", "-e", f"{PAGE_FAULTS},{TASK_CLOCK}", "--record",
                                         self.path("recording"), env=environment)
        self.assertEqual(series_of(meter.ask("/metrics")[1]), {})
        subprocess.run([MPIRUN, "--oversubscribe", "-np", "4", PERFOMETER, "--join",
                        f"{meter.base}/?token={meter.token}", "--", "sleep", "0.3"],
                       capture_output=True, check=True, env=environment, timeout=120)
        self.wait_until(lambda: meter.ask("/metrics")[1].count("} 0\n") == 4, "their ends")
        expected = series_of(meter.ask("/metrics")[1])
        self.wait_until(lambda: self.values(meter, prometheus) == expected, "the last values")
        self.wait_until(lambda: self.alerts(prometheus) == 4 * [("ProgramEnded", "firing")], "the alerts")
        meter.process.terminate()
        meter.wait()
        messages = read_messages(self.path("recording"))
        told = {}
        for lane in (message for message in messages if message["type"] == "thread" and message["whole"]):
            labels = {"program": "sleep", "pid": str(lane["pid"]), "rank": str(lane["rank"]), "lane": str(lane["id"])}
            told[tuple(sorted({"__name__": "papi_program_running", **labels}.items()))] = 0
            for name, total in samples_of(messages, lane["id"])[-1].items():
                told[tuple(sorted({"__name__": "papi_event_total", "event": name, "worth": "exact", **labels,
                                   **({"unit": "ns"} if name == TASK_CLOCK else {})}.items()))] = total
        self.assertEqual(expected, told)
        self.assertEqual({dict(labels)["rank"] for labels in told}, set("0123"))

    @staticmethod
    def alerts(prometheus):
        return [(alert["labels"]["alertname"], alert["state"]) for alert in prometheus.ask("alerts")["alerts"]]

    @unittest.skipUnless(is_virtual(), "virtual events cannot be counted on this machine")
    def test_dashboard(self):
        """Each list of choices has some, and each expression values, with all of them chosen."""
        events = ["PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_L1_DCM", TASK_CLOCK, PAGE_FAULTS]
        _, prometheus = self.scraped("-e", ",".join(events), LOOPER, "tt", "100000000000", threads=True,
                                     env={**os.environ, "PAPI_VPMU": "always"})
        self.wait_until(lambda: len(prometheus.query("rate(papi_thread_event_total[1m])")) >= 3, "rates of threads")
        with open(self.path("example/dashboard.json"), encoding="utf-8") as file:
            dashboard = json.load(file)
        chosen = {"$__rate_interval": "1m"}
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                values = self.choices(prometheus, self.filled(variable["query"]["query"], chosen))
                self.assertTrue(values, variable["name"])
                chosen[f"${variable['name']}"] = values
        self.assertEqual(len(chosen["$event"].split("|")), len(events))
        expressions = [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(expressions), 7)
        for title, expression in expressions:
            filled = self.filled(expression, chosen)
            self.assertNotIn("$", filled)
            # A rate is that of the newest two values, which a busy machine may be late with.
            self.wait_until(lambda filled=filled: prometheus.query(filled), f"{title}: {filled}")
            values = [value for _, value in prometheus.query(filled)]
            self.assertTrue(all(value >= 0 for value in values), (title, values))
            if title == "Branches":
                self.assertAlmostEqual(values[0], 0.5, delta=0.02)
            elif title in ("State", "Processors in use", "Totals"):
                self.assertGreater(max(values), 0, title)
        for rule in ("papi:cpus:rate1m", "papi:branch_share:ratio_rate1m"):
            self.wait_until(lambda rule=rule: len(prometheus.query(rule)) == 1, rule)

    @staticmethod
    def filled(text, chosen):
        for name, value in chosen.items():
            text = text.replace(name, value)
        return text

    def choices(self, prometheus, query):
        """The values of label_values(SERIES, LABEL), in one regular expression, as Grafana writes them."""
        match = re.fullmatch(r"label_values\((.*), (\w+)\)", query)
        values = prometheus.ask(f"label/{match[2]}/values", **{"match[]": match[1]})
        return "|".join(re.sub(r"([^\w:-])", r"\\\\\1", value) for value in values)


if __name__ == "__main__":
    main()
