# SPDX-License-Identifier: BSD-3-Clause
"""The baseline of the pytest plugin: a file of JSON with the counts that tests had, and verdicts on new ones.

    {"papi_pytest": 1, "papi_version": "7.0.0", "tests": {
       "tests/test_solver.py::test_solve": {"python": "3.11.2 (main, ...)", "cpu": "...", "caches": "",
         "events": {"PAPI_TOT_INS": {"count": 1234, "worth": "exact", "component": "vpmu"}}}}}

`caches` is what PAPI_VPMU_CACHE says. A count is compared with one of the same interpreter and the same component;
where it is modelled, or counted by something else than the virtual PMU, of the same processor, too.
"""
from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from decimal import Decimal
from typing import Any, Dict, Optional

FORMAT = 1


class BaselineError(Exception):
    """The file cannot be read, is another one, or cannot be written."""


class Limit:
    """How much more a count may be: "1%" or "+1000"."""

    def __init__(self, text: Any) -> None:
        found = re.fullmatch(r"(?:(\d+(?:\.\d*)?|\.\d+)%|\+(\d+))", text if isinstance(text, str) else "")
        if not found:
            raise ValueError(f"{text!r} is no limit: a limit is \"1%\" or \"+1000\"")
        self.text = str(text)
        self._percent, self._number = found[1], found[2]

    def is_over(self, before: int, after: int) -> bool:
        """Whether there is more than the limit allows, with nothing rounded."""
        if self._percent is not None:
            return after > before and (after - before) * 100 > Decimal(self._percent) * abs(before)
        return after - before > int(self._number)


def here(cpu: str) -> Dict[str, str]:
    """What counts depend on, besides the program."""
    return {"python": " ".join(sys.version.split()), "cpu": cpu, "caches": os.environ.get("PAPI_VPMU_CACHE", "")}


def not_comparable(before: Dict[str, Any], after: Dict[str, Any], name: str) -> Optional[str]:
    """Why the count of an event says nothing about the one before; None: it does."""
    old, new = before["events"][name], after["events"][name]
    if before.get("python") != after["python"]:
        return f"the baseline is of Python {before.get('python')}, and this is {after['python']}"
    if old.get("component") != new["component"]:
        return f"the component {old.get('component')} counted the baseline, and {new['component']} counts here"
    if old.get("worth") != new["worth"]:
        return f"the baseline is {old.get('worth')}, and what is counted here is {new['worth']}"
    if new["worth"] == "exact" and new["component"] == "vpmu":
        return None
    for what, words in (("cpu", "of the processor"), ("caches", "of PAPI_VPMU_CACHE")):
        if before.get(what) != after[what]:
            return f"the baseline is {words} {before.get(what)!r}, and here it is {after[what]!r}"
    return None


def _foreign(path: str, content: Any) -> str:
    if isinstance(content, dict) and "papi_run_save" in content:
        return f"{path} is a file of papi_run --save, which papi_compare reads; name another one in papi_baseline"
    return f"{path} is JSON, but no baseline of papi for pytest: name another file in papi_baseline"


def _is_good(test: Any) -> bool:
    return isinstance(test, dict) and isinstance(test.get("events"), dict) and all(
        isinstance(event, dict) and isinstance(event.get("count"), int) for event in test["events"].values())


def read(path: str) -> Dict[str, Any]:
    """The tests of a baseline; none where there is no file yet."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise BaselineError(f"cannot read the baseline {path}: {error}") from None
    if not isinstance(content, dict) or "papi_pytest" not in content:
        raise BaselineError(_foreign(path, content))
    if content["papi_pytest"] != FORMAT:
        raise BaselineError(f"{path}: PAPI {content.get('papi_version')} has written this, in format "
                            f"{content['papi_pytest']}, and this plugin reads format {FORMAT}")
    tests = content.get("tests")
    if not isinstance(tests, dict):
        raise BaselineError(f'{path}: "tests" should be an object')
    for name, test in tests.items():
        if not _is_good(test):
            raise BaselineError(f"{path}: what it has of {name!r} is not what a baseline has")
    return tests


def write(path: str, tests: Dict[str, Any], version: str) -> None:
    """Writes the whole file, or leaves the one that is there."""
    content = {"papi_pytest": FORMAT, "papi_version": version, "tests": tests}
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(path) or ".",
                                         prefix=".papi-baseline-", delete=False) as file:
            try:
                json.dump(content, file, indent=1, sort_keys=True)
                file.write("\n")
                file.flush()
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(file.name, 0o666 & ~mask)
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise BaselineError(f"cannot write the baseline {path}: {error.strerror}") from None
