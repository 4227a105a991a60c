# SPDX-License-Identifier: BSD-3-Clause
"""The high level: each function is the PAPI_ function of its name, and initialises the library by itself."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, List, Sequence

from ._call import call, codes, longs, values
from .structs import EPC, IPC, Flips, Flops

_own = threading.local()  # .length: how many events the counters of this thread have


def num_counters() -> int:
    """How many hardware counters there are."""
    return call("PAPI_num_counters")


def num_components() -> int:
    """How many components there are."""
    return call("PAPI_num_components")


def start_counters(events: Sequence[int]) -> None:
    """Starts to count a list of events for the calling thread."""
    call("PAPI_start_counters", codes(events), len(events))
    _own.length = len(events)


def _room() -> Any:
    return values(getattr(_own, "length", 0))


def read_counters() -> List[int]:
    """The counts since start or the last read, in the order of the events."""
    found = _room()
    call("PAPI_read_counters", found, len(found))
    return longs(found)


def accum_counters(counts: Sequence[int]) -> List[int]:
    """The counts since start or the last read, added to those given."""
    found = (ctypes.c_longlong * len(counts))(*counts)
    call("PAPI_accum_counters", found, len(found))
    return longs(found)


def stop_counters() -> List[int]:
    """Stops the counters, or a rate; the counts."""
    found = _room()
    call("PAPI_stop_counters", found, len(found))
    _own.length = 0
    return longs(found)


def _rate(name: str, *event: int) -> Any:
    real, cpu, total, rate = ctypes.c_float(), ctypes.c_float(), ctypes.c_longlong(), ctypes.c_float()
    call(name, *event, ctypes.byref(real), ctypes.byref(cpu), ctypes.byref(total), ctypes.byref(rate))
    return real.value, cpu.value, total.value, rate.value


def flips() -> Flips:
    """Floating point instructions since the first call."""
    return Flips(*_rate("PAPI_flips"))


def flops() -> Flops:
    """Floating point operations since the first call."""
    return Flops(*_rate("PAPI_flops"))


def flips_rate(event: int) -> Flips:
    """Floating point instructions of a kind since the first call: PAPI_FP_INS, PAPI_VEC_SP or PAPI_VEC_DP."""
    return Flips(*_rate("PAPI_flips_rate", event))


def flops_rate(event: int) -> Flops:
    return Flops(*_rate("PAPI_flops_rate", event))


def ipc() -> IPC:
    """Instructions and cycles since the first call."""
    return IPC(*_rate("PAPI_ipc"))


def epc(event: int = 0) -> EPC:
    """Events per cycle since the first call; without an event, instructions."""
    real, cpu, rate = ctypes.c_float(), ctypes.c_float(), ctypes.c_float()
    ref, core, total = ctypes.c_longlong(), ctypes.c_longlong(), ctypes.c_longlong()
    call("PAPI_epc", event, ctypes.byref(real), ctypes.byref(cpu), ctypes.byref(ref), ctypes.byref(core),
         ctypes.byref(total), ctypes.byref(rate))
    return EPC(real.value, cpu.value, ref.value, core.value, total.value, rate.value)


def rate_stop() -> None:
    """Ends a rate."""
    call("PAPI_rate_stop")


def hl_region_begin(region: str) -> None:
    """Begins a region."""
    call("PAPI_hl_region_begin", region.encode())


def hl_read(region: str) -> None:
    """Records the counts of a region that goes on."""
    call("PAPI_hl_read", region.encode())


def hl_region_end(region: str) -> None:
    """Ends a region."""
    call("PAPI_hl_region_end", region.encode())


def hl_stop() -> None:
    """Ends all regions of the thread and writes the results."""
    call("PAPI_hl_stop")
