# SPDX-License-Identifier: BSD-3-Clause
"""What can be counted here: presets, native events, and what a count of each is worth."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Iterator, List, Optional

from ._library import ENOEVNT, check, encode, failure, library
from ._structs import ComponentInfo, EventInfo, HardwareInfo, text

_PRESET, _NATIVE = -0x80000000, 0x40000000
_FIRST, _NEXT = 1, 0
WORTHS = ("exact", "sampled", "modelled", "estimated")


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that can be counted; see PAPI_get_event_info."""
    name: str
    code: int
    description: str
    unit: str
    worth: str       # "exact", "sampled", "modelled" or "estimated"
    available: bool  # it can be counted here
    note: str        # why it cannot, or where a count is not what the name promises
    component: str   # the name of the component that counts it
    data_type: int   # PAPI_DATATYPE_...


def component(index: int) -> str:
    """The name of a component."""
    place = library().PAPI_get_component_info(index)
    return text(ComponentInfo.from_address(place).name) if place else ""


def describe(code: int) -> Event:
    """The event of a code."""
    info = EventInfo()
    papi = library()
    check(papi.PAPI_get_event_info(code, ctypes.byref(info)))
    note, preset = text(info.note), bool(info.event_code & 0x80000000)
    first = note.replace(":", " ").replace(",", " ").replace(";", " ").split(" ")[0]
    available = info.count > 0 if preset else True
    counts = papi.PAPI_get_event_component(code) if available else info.component_index
    return Event(text(info.symbol), info.event_code, text(info.long_descr), text(info.units),
                 first if first in WORTHS else "exact", available, note, component(counts), info.data_type)


def event(name: str) -> Event:
    """The event of that name; Error when there is none."""
    code = ctypes.c_int()
    check(library().PAPI_event_name_to_code(encode(name), ctypes.byref(code)))
    return describe(code.value)


def _walk(kind: int, index: Optional[int]) -> Iterator[int]:
    papi, code, step = library(), ctypes.c_int(kind), _FIRST
    while True:
        if index is None:
            status = papi.PAPI_enum_event(ctypes.byref(code), step)
        else:
            status = papi.PAPI_enum_cmp_event(ctypes.byref(code), step, index)
        if status == ENOEVNT:
            return
        if status < 0:
            raise failure(status)
        yield code.value
        step = _NEXT


def presets() -> List[Event]:
    """All presets, those that cannot be counted here as well: see Event.available."""
    return [describe(code) for code in _walk(_PRESET, None)]


def natives(of: Optional[str] = None) -> List[Event]:
    """The native events of all components, or of one, by its name."""
    index = None if of is None else check(library().PAPI_get_component_index(encode(of)))
    return [describe(code) for code in _walk(_NATIVE, index)]


def processor() -> str:
    """What processor this is."""
    place = library().PAPI_get_hardware_info()
    return text(HardwareInfo.from_address(place).model_string) if place else ""
