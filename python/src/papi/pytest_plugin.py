# SPDX-License-Identifier: BSD-3-Clause
"""The plugin of pytest: tests fail when they do more than they did.

    @pytest.mark.papi_limit(PAPI_TOT_INS="1%")
    def test_solve(papi_count):
        plate = prepare()
        with papi_count:
            solve(plate)

Without the fixture all of the test function is counted. doc/python.md tells the rest. What was counted travels in the
reports of tests, so that it arrives from the processes of pytest-xdist as well.
"""
from __future__ import annotations

import ctypes
import gc
import json
import os
import textwrap
from typing import Any, Dict, Generator, List, Optional, Tuple

import pytest

from . import Error, LibraryError, __version__, count, processor
from ._baseline import BaselineError, Limit, here, not_comparable, read, write
from ._library import printable

_PROPERTY = "papi"


class Counted:
    """The fixture: `with papi_count:` counts the events of the test's limits, `papi_count(...)` any others.

    What is inside several `with` of a test adds up. Garbage is collected before each and not inside, as when that is
    due depends on all that ran before.
    """

    def __init__(self, events: Tuple[str, ...]) -> None:
        self._events = events
        self._count: Optional[count] = None
        self._collects = False
        self.counts: Dict[str, int] = {}
        self.worth: Dict[str, str] = {}
        self.components: Dict[str, str] = {}

    def __call__(self, *events: str) -> count:
        """Counts for the test alone, without a limit."""
        return count(*events)

    def __enter__(self) -> Counted:
        if self._count is None:
            if not self._events:
                raise pytest.UsageError("papi_count counts the events of @pytest.mark.papi_limit(EVENT=...), which "
                                        "this test does not have: name events, papi_count(\"PAPI_TOT_INS\")")
            self._count = count(*self._events)
        gc.collect()
        self._collects = gc.isenabled()
        gc.disable()
        try:
            self._count.__enter__()
        except Error:
            self._collect_again()
            raise
        return self

    def __exit__(self, *what: Any) -> None:
        assert self._count is not None
        try:
            self._count.__exit__(*what)
        finally:
            self._collect_again()
        for name, value in self._count.read().items():
            self.counts[name] = self.counts.get(name, 0) + int(value)
        self.worth, self.components = self._count.worth, self._count.components

    def _collect_again(self) -> None:
        if self._collects:
            gc.enable()

    def __getitem__(self, event: str) -> int:
        return self.counts[event]


def _limits(item: pytest.Item) -> Dict[str, Limit]:
    """The limits of a test: those of its marker, of its class and of its module; the nearest counts."""
    limits: Dict[str, Limit] = {}
    for mark in reversed(list(item.iter_markers("papi_limit"))):
        given: Dict[str, Any] = {}
        for argument in mark.args:
            if not isinstance(argument, dict):
                raise pytest.UsageError(f"{item.nodeid}: papi_limit takes EVENT=\"1%\", or a dict of such")
            given.update(argument)
        given.update(mark.kwargs)
        for name, text in given.items():
            try:
                limits[name] = Limit(text)
            except ValueError as error:
                raise pytest.UsageError(f"{item.nodeid}: papi_limit: {name}: {error}") from None
    return limits


class Plugin:
    """What one run of pytest needs to know."""

    def __init__(self, config: pytest.Config) -> None:
        self.update = config.getoption("papi_update")
        name = config.getoption("papi_baseline") or config.getini("papi_baseline")
        self.path = os.path.join(str(config.rootpath), name)
        self.tests = read(self.path)
        self.limits: Dict[str, Dict[str, Limit]] = {}
        self.counted: Dict[str, Counted] = {}
        self.results: List[Dict[str, Any]] = []
        # A process of pytest-xdist reports to the one that began it.
        self.writes = not hasattr(config, "workerinput")

    # ---- Counting ----

    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        """Finds mistakes in limits before anything runs."""
        for item in items:
            limits = _limits(item)
            if limits:
                self.limits[item.nodeid] = limits

    @pytest.fixture
    def papi_count(self, request: pytest.FixtureRequest) -> Counted:
        """Counts the events of the test's limits inside `with papi_count:`."""
        return self.counted.setdefault(request.node.nodeid, Counted(tuple(self.limits.get(request.node.nodeid, ()))))

    @pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
        """A test that does not ask for the fixture is counted as a whole."""
        limits = self.limits.get(pyfuncitem.nodeid)
        if limits and "papi_count" not in pyfuncitem.fixturenames:
            pyfuncitem.obj = self._counting(pyfuncitem, pyfuncitem.obj, tuple(limits))
        yield

    def _counting(self, item: pytest.Item, function: Any, events: Tuple[str, ...]) -> Any:
        def counting(**arguments: Any) -> Any:
            counted = self.counted[item.nodeid] = Counted(events)
            with counted:
                return function(**arguments)
        return counting

    # ---- Judging ----

    @pytest.hookimpl(hookwrapper=True)  # type: ignore[misc]
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
        """A test that has passed fails when it did too much."""
        failures: List[str] = []
        if call.when == "call" and call.excinfo is None and item.nodeid in self.limits:
            failures = self._judge(item)
        outcome = yield
        report = outcome.get_result()
        if failures and report.outcome == "passed":
            report.outcome = "failed"
            report.longrepr = "\n".join(textwrap.fill(failure, 80, subsequent_indent="  ") for failure in failures)

    def _judge(self, item: pytest.Item) -> List[str]:
        counted = self.counted.pop(item.nodeid, None)
        if counted is None or not counted.counts:
            return [f"{item.nodeid} has limits, and counted nothing: put `with papi_count:` around what is to be "
                    "counted"]
        now: Dict[str, Any] = {**here(processor()), "events": {
            name: {"count": value, "worth": counted.worth[name], "component": counted.components[name]}
            for name, value in counted.counts.items()}}
        rows, failures = [], []
        for name, limit in self.limits[item.nodeid].items():
            row = self._row(self.tests.get(item.nodeid), now, name, limit)
            rows.append(row)
            if row["failure"] and not self.update:
                failures.append(row["failure"])
        item.user_properties.append((_PROPERTY, json.dumps({"test": item.nodeid, "now": now, "rows": rows})))
        return failures

    def _row(self, before: Optional[Dict[str, Any]], now: Dict[str, Any], name: str, limit: Limit) -> Dict[str, Any]:
        new = now["events"][name]
        row = {"event": name, "before": None, "after": new["count"], "limit": limit.text, "worth": new["worth"],
               "verdict": "new", "failure": ""}
        if before is None or name not in before["events"]:
            row["failure"] = (f"{name}: {new['count']:,}, and the baseline has none for this test: accept it with "
                              "--papi-update")
            return row
        row["before"] = old = before["events"][name]["count"]
        reason = not_comparable(before, now, name)
        if reason:
            row["verdict"] = "n/a"
            row["failure"] = f"{name} cannot be compared: {printable(reason)}: count it anew with --papi-update"
        elif limit.is_over(old, new["count"]):
            row["verdict"] = "over"
            row["failure"] = (f"{name}: {new['count']:,}, and the baseline has {old:,}: {_change(old, new['count'])} "
                              f"is over the limit of {limit.text}; if that is meant, accept it with --papi-update")
        else:
            row["verdict"] = "same" if old == new["count"] else "more" if new["count"] > old else "less"
        return row

    # ---- The end ----

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what was counted, here or in another process."""
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name == _PROPERTY and isinstance(value, str):
                self.results.append(json.loads(value))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the new baseline; tests that did not run keep what they had."""
        if self.update and self.writes and self.results:
            tests = {**self.tests, **{result["test"]: result["now"] for result in self.results}}
            try:
                write(self.path, tests, __version__)
            except BaselineError as error:
                raise pytest.UsageError(printable(str(error))) from None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The table."""
        if not self.results:
            return
        terminalreporter.section("counts")
        for line in _table(self.results):
            terminalreporter.write_line(line)
        for line in _advice():
            terminalreporter.write_line(line)
        if self.update:
            terminalreporter.write_line(f"written to {printable(os.path.relpath(self.path))}: commit it")


def _advice() -> List[str]:
    """What makes the counts of this process differ from those of the next."""
    without_randomization = ctypes.CDLL(None).personality(ctypes.c_ulong(0xffffffff)) & 0x0040000  # ADDR_NO_RANDOMIZE
    if without_randomization and os.environ.get("PYTHONHASHSEED", "random") not in ("", "random"):
        return []
    return ["Addresses and hashes of strings are others in every run, which changes counts a",
            "little. Hardly any difference has: PYTHONHASHSEED=0 setarch -R python3 -m pytest"]


def _change(before: int, after: int) -> str:
    if before == 0:
        return f"{after:+,}"
    percent = 100 * (after - before) / abs(before)
    return f"{percent:+.3g} %" if abs(percent) < 1000 else f"{percent:+,.0f} %"


def _table(results: List[Dict[str, Any]]) -> List[str]:
    rows = [("Event", "Before", "Now", "Change", "Limit", "Verdict", "Test")]
    for result in results:
        for row in result["rows"]:
            old = row["before"]
            rows.append((row["event"], "-" if old is None else f"{old:,}", f"{row['after']:,}",
                         "-" if old is None else _change(old, row["after"]), row["limit"], row["verdict"],
                         result["test"].rpartition("::")[2]))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in range(1, 5)), row[5].ljust(widths[5]),
                 row[6]]
        lines.append(printable("  ".join(cells)).rstrip())
    return lines


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the setting of the file."""
    group = parser.getgroup("papi", "counts of tests (PAPI in C)")
    group.addoption("--papi-update", action="store_true", dest="papi_update",
                    help="accept what tests count: write it to the baseline")
    group.addoption("--papi-baseline", dest="papi_baseline", metavar="FILE",
                    help="the baseline, instead of the setting papi_baseline")
    parser.addini("papi_baseline", "the file of counts, relative to the root directory", default="papi-baseline.json")


def pytest_configure(config: pytest.Config) -> None:
    """Reads the baseline."""
    config.addinivalue_line("markers", "papi_limit(EVENT=\"1%\", ...): fail when there is more of an event than the "
                                       "baseline has, by more than that; \"+1000\" is a number")
    try:
        config.pluginmanager.register(Plugin(config), "papi-plugin")
    except BaselineError as error:
        raise pytest.UsageError(printable(str(error))) from None


__all__ = ["Counted", "Error", "LibraryError", "Plugin", "pytest_addoption", "pytest_configure"]
