# SPDX-License-Identifier: BSD-3-Clause
"""Metrics: numbers with a meaning, made of counts. doc/metrics.md has the groups, and how to write others."""
from __future__ import annotations

import ctypes
import dataclasses
import math
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from ._library import EINVAL, Error, check, encode, library
from ._sets import EventSet
from ._structs import HUGE, GroupInfo, MetricInfo, METRICS, text


@dataclasses.dataclass(frozen=True)
class Group:
    """A group of metrics: "cache", "branch", ..."""
    name: str
    description: str
    metrics: Tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Metric:
    """What a metric is; see PAPI_metric_info."""
    name: str
    unit: str
    description: str
    meaning: str  # how to read it
    formula: str
    terms: str
    worth: str
    why: str      # it cannot be counted here; "": it can


def load(file: str) -> None:
    """Reads a file of groups, for all who ask for one later."""
    check(library().PAPI_metric_load(encode(file)))


def _group(number: int) -> GroupInfo:
    info = GroupInfo()
    check(library().PAPI_metric_group_info(number, ctypes.byref(info)))
    return info


def _metric(group: int, number: int) -> Metric:
    info = MetricInfo()
    check(library().PAPI_metric_info(group, number, ctypes.byref(info)))
    return Metric(*(text(getattr(info, name)) for name in (
        "name", "unit", "short_descr", "long_descr", "formula", "terms", "worth", "why")))


def groups() -> List[Group]:
    """All groups that there are."""
    found = []
    for number in range(check(library().PAPI_metric_groups())):
        info = _group(number)
        found.append(Group(text(info.name), text(info.description),
                           tuple(_metric(number, i).name for i in range(info.metrics))))
    return found


class metrics(EventSet, Mapping[str, Optional[float]]):  # pylint: disable=invalid-name
    """Counts what groups of metrics need: a mapping of the names of metrics to values, None where there is none.

        with papi.metrics("cache", "branch") as m:
            work()
        print(m["l1d_miss_rate"], m.text("branch_miss_rate"))
    """

    def __init__(self, *names: str) -> None:
        encoded = [encode(name) for name in names]
        if not encoded:
            raise Error(EINVAL, "no group is named: papi.groups() lists what there is")
        super().__init__(False)
        self._groups = [check(self._papi.PAPI_metric_group(name)) for name in encoded]
        self._places: Dict[str, Tuple[int, int]] = {}
        self._info: Dict[str, Metric] = {}
        for group in self._groups:
            check(self._papi.PAPI_metric_add(group, self._set))
            for number in range(_group(group).metrics):
                metric = _metric(group, number)
                self._places.setdefault(metric.name, (group, number))
                self._info.setdefault(metric.name, metric)
        self._ready()

    def __enter__(self) -> metrics:
        self._enter()
        status = self._start(self._set)
        if status:
            raise self._not_started(status)
        return self

    def _compute(self, group: int) -> ctypes.Array[ctypes.c_double]:
        if self._running:
            raise Error(-10, "metrics are there after `with`: elapsed time belongs to them")
        found = (ctypes.c_double * METRICS)()
        check(self._papi.PAPI_metric_values(group, self._set, self._now(), self.seconds, found))
        return found

    def __getitem__(self, name: str) -> Optional[float]:
        group, number = self._places[name]
        value = float(self._compute(group)[number])
        return None if math.isnan(value) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def info(self, name: str) -> Metric:
        """What a metric is, what it is worth, and why it has no value here."""
        return self._info[name]

    def text(self, name: str) -> str:
        """A value with its unit: "12.5 %", "n/a"."""
        group, number = self._places[name]
        written = ctypes.create_string_buffer(HUGE)
        check(self._papi.PAPI_metric_text(group, number, self._compute(group)[number], written, HUGE))
        return text(written.value)

    def findings(self) -> List[str]:
        """What stands out, by the rules of the groups: sentences, what is furthest beyond its threshold first."""
        found = []
        for group in self._groups:
            values = self._compute(group)
            for rule in range(_group(group).rules):
                beyond, sentence = ctypes.c_double(), ctypes.create_string_buffer(HUGE)
                check(self._papi.PAPI_metric_finding(group, rule, values, ctypes.byref(beyond), sentence, HUGE))
                if beyond.value > 0:
                    found.append((beyond.value, text(sentence.value)))
        return [sentence for _, sentence in sorted(found, key=lambda pair: -pair[0])]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other
