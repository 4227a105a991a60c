# SPDX-License-Identifier: BSD-3-Clause
"""Counting what happens inside `with`."""
from __future__ import annotations

import ctypes
import struct
from typing import Any, Dict, Iterator, Mapping, Union

from ._library import EINVAL, Error, check, encode
from ._sets import EventSet

Number = Union[int, float]
_UNSIGNED, _FLOAT = 1, 2  # PAPI_DATATYPE_...


class count(EventSet, Mapping[str, Number]):  # pylint: disable=invalid-name
    """Counts events of the calling thread: a mapping of their names, as they were given, to counts.

        with papi.count("PAPI_TOT_INS", "PAPI_L1_DCM") as c:
            work()
        print(c["PAPI_TOT_INS"])

    An object may be entered again, and then counts from zero. With multiplex, more events than there are counters take
    turns, and `worth` says which counts are estimates.
    """

    def __init__(self, *events: str, multiplex: bool = False) -> None:
        names = [encode(name) for name in events]
        if not names:
            raise Error(EINVAL, "no event is named: papi.presets() and papi.natives() list what there is")
        super().__init__(multiplex)
        if multiplex:
            check(self._papi.PAPI_multiplex_init())
            # A set must know its component before its events take turns; that of the first event.
            code = ctypes.c_int()
            check(self._papi.PAPI_event_name_to_code(names[0], ctypes.byref(code)))
            index = check(self._papi.PAPI_get_event_component(code.value))
            check(self._papi.PAPI_assign_eventset_component(self._set, index))
            check(self._papi.PAPI_set_multiplex(self._set))
        for name in names:
            check(self._papi.PAPI_add_named_event(self._set, name))
        self._ready()
        self._places: Dict[str, int] = {name: place for place, name in enumerate(events)}

    def __enter__(self) -> count:
        self._enter()
        status = self._start(self._set)
        if status:
            raise self._not_started(status)
        return self

    def _value(self, values: Any, place: int) -> Number:
        kind, value = self._events[place].data_type, values[place]
        if kind == _FLOAT:
            return float(struct.unpack("d", struct.pack("q", value))[0])
        return int(value & 0xffffffffffffffff if kind == _UNSIGNED else value)

    def __getitem__(self, name: str) -> Number:
        place = self._places[name]
        return self._value(self._now(), place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def read(self) -> Dict[str, Number]:
        """All counts of one moment."""
        values = self._now()
        return {name: self._value(values, place) for name, place in self._places.items()}

    @property
    def worth(self) -> Dict[str, str]:
        """What each count is worth: "exact", "sampled", "modelled", "estimated" or "affected"."""
        worths = self._worths()
        return {name: worths[place] for name, place in self._places.items()}

    @property
    def components(self) -> Dict[str, str]:
        """Who counts each event: "perf_event", "vpmu", ..."""
        return {name: self._events[place].component for name, place in self._places.items()}

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        if not self._running and not self._counted:
            return f"papi.count({', '.join(map(repr, self._places))})"
        return f"<papi.count {self.read()}>"
