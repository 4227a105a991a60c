# SPDX-License-Identifier: BSD-3-Clause
"""The low level: each function is the PAPI_ function of its name, and returns what that writes through pointers."""
from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Sequence, Tuple

from papi import _structs
from papi._library import unready

from . import consts
from ._call import call, longs, number, values
from .exceptions import PapiInvalidValueError, raised
from .structs import ComponentInfo, EventInfo, ExecutableInfo, HardwareInfo, MemoryInfo

# ---- Initialization ----


def library_init(version: int = consts.PAPI_VER_CURRENT) -> int:
    """Makes the library ready; its version."""
    return call("PAPI_library_init", version)


def is_initialized() -> int:
    """What of the library is initialized: PAPI_LOW_LEVEL_INITED, ..."""
    return call("PAPI_is_initialized")


def shutdown() -> None:
    """Ends all event sets and gives everything back."""
    unready().PAPI_shutdown()


def set_debug(level: int) -> None:
    """Whether errors are printed."""
    call("PAPI_set_debug", level)


def strerror(code: int) -> Optional[str]:
    """The text of a code."""
    found = unready().PAPI_strerror(code)
    return found.decode() if found else None


# ---- Event sets ----


def create_eventset() -> int:
    """A new event set."""
    handle = ctypes.c_int(consts.PAPI_NULL)
    call("PAPI_create_eventset", ctypes.byref(handle))
    return handle.value


def cleanup_eventset(eventSet: int) -> None:
    """Takes all events out of a set."""
    call("PAPI_cleanup_eventset", eventSet)


def destroy_eventset(eventSet: int) -> None:
    """Ends an empty set."""
    call("PAPI_destroy_eventset", ctypes.byref(ctypes.c_int(eventSet)))


def assign_eventset_component(eventSet: int, cidx: int) -> None:
    """Binds a set to a component."""
    call("PAPI_assign_eventset_component", eventSet, cidx)


def get_eventset_component(eventSet: int) -> int:
    """The component of a set."""
    return call("PAPI_get_eventset_component", eventSet)


def add_event(eventSet: int, eventCode: int) -> None:
    """Adds an event."""
    call("PAPI_add_event", eventSet, eventCode)


def add_events(eventSet: int, eventCodes: Sequence[int]) -> None:
    """Adds events, in order, until one is refused, with the reason of that one."""
    for code in eventCodes:
        add_event(eventSet, code)


def add_named_event(eventSet: int, eventName: str) -> None:
    """Adds an event by its name."""
    call("PAPI_add_named_event", eventSet, eventName.encode())


def remove_event(eventSet: int, eventCode: int) -> None:
    """Takes an event out."""
    call("PAPI_remove_event", eventSet, eventCode)


def remove_events(eventSet: int, eventCodes: Sequence[int]) -> None:
    """Takes events out."""
    for code in eventCodes:
        remove_event(eventSet, code)


def remove_named_event(eventSet: int, eventName: str) -> None:
    """Takes an event out, by its name."""
    call("PAPI_remove_named_event", eventSet, eventName.encode())


def num_events(eventSet: int) -> int:
    """How many events a set has."""
    return call("PAPI_num_events", eventSet)


def list_events(eventSet: int) -> List[int]:
    """The events of a set."""
    length = ctypes.c_int(num_events(eventSet))
    if not length.value:
        return []
    found = (ctypes.c_int * length.value)()
    call("PAPI_list_events", eventSet, found, ctypes.byref(length))
    return [number(code) for code in found[:length.value]]


def state(eventSet: int) -> int:
    """Bits: PAPI_RUNNING, ..."""
    found = ctypes.c_int()
    call("PAPI_state", eventSet, ctypes.byref(found))
    return found.value


# ---- Counting ----


def start(eventSet: int) -> None:
    """Starts to count."""
    call("PAPI_start", eventSet)


def _counts(name: str, eventSet: int) -> List[int]:
    found = values(num_events(eventSet))
    call(name, eventSet, found)
    return longs(found)


def stop(eventSet: int) -> List[int]:
    """Stops to count; the counts."""
    return _counts("PAPI_stop", eventSet)


def read(eventSet: int) -> List[int]:
    """The counts of a set, which goes on."""
    return _counts("PAPI_read", eventSet)


def read_ts(eventSet: int) -> Tuple[List[int], int]:
    """The counts of a set, which goes on, and the clock in cycles."""
    found, cycles = values(num_events(eventSet)), ctypes.c_longlong()
    call("PAPI_read_ts", eventSet, found, ctypes.byref(cycles))
    return longs(found), cycles.value


def _given(eventSet: int, counts: Sequence[int]) -> Any:
    length = num_events(eventSet)
    if len(counts) != length:
        raise PapiInvalidValueError(consts.PAPI_EINVAL, f"the set has {length} events, and there are {len(counts)} "
                                                        "values")
    return (ctypes.c_longlong * length)(*counts)


def accum(eventSet: int, counts: Sequence[int]) -> List[int]:
    """The counts added to those given, and counting goes on from zero."""
    found = _given(eventSet, counts)
    call("PAPI_accum", eventSet, found)
    return longs(found)


def write(eventSet: int, counts: Sequence[int]) -> None:
    """Gives the counts of a set new values."""
    call("PAPI_write", eventSet, _given(eventSet, counts))


def reset(eventSet: int) -> None:
    """Counts from zero again."""
    call("PAPI_reset", eventSet)


# ---- Events and components ----


def query_event(eventCode: int) -> None:
    """Raises an error where an event cannot be counted."""
    call("PAPI_query_event", eventCode)


def query_named_event(eventName: str) -> None:
    """Raises an error where an event cannot be counted."""
    call("PAPI_query_named_event", eventName.encode())


def event_name_to_code(eventName: str) -> int:
    """The code of a name."""
    code = ctypes.c_int()
    call("PAPI_event_name_to_code", eventName.encode(), ctypes.byref(code))
    return number(code.value)


def event_code_to_name(eventCode: int) -> str:
    """The name of a code."""
    name = ctypes.create_string_buffer(_structs.HUGE)
    call("PAPI_event_code_to_name", eventCode, name)
    return _structs.text(name.value)


def enum_event(eventCode: int, modifier: int = consts.PAPI_ENUM_EVENTS) -> int:
    """The event after this one."""
    code = ctypes.c_int(eventCode)
    call("PAPI_enum_event", ctypes.byref(code), modifier)
    return number(code.value)


def enum_cmp_event(eventCode: int, modifier: int, cidx: int) -> int:
    """The event of a component after this one."""
    code = ctypes.c_int(eventCode)
    call("PAPI_enum_cmp_event", ctypes.byref(code), modifier, cidx)
    return number(code.value)


def get_event_info(eventCode: int) -> Any:
    """What an event is."""
    info = _structs.EventInfo()
    call("PAPI_get_event_info", eventCode, ctypes.byref(info))
    return EventInfo(info)


def get_event_component(eventCode: int) -> int:
    """The component of an event."""
    return call("PAPI_get_event_component", eventCode)


def num_components() -> int:
    """How many components there are."""
    return call("PAPI_num_components")


def get_component_index(name: str) -> int:
    """The index of a component."""
    return call("PAPI_get_component_index", name.encode())


def get_component_info(cidx: int) -> Any:
    """What a component is."""
    place = unready().PAPI_get_component_info(cidx)
    if not place:
        raise raised(consts.PAPI_ENOCMP)
    return ComponentInfo(_structs.ComponentInfo.from_address(place))


def disable_component(cidx: int) -> None:
    """Keeps a component from being used; before library_init."""
    call("PAPI_disable_component", cidx)


def disable_component_by_name(name: str) -> None:
    """Keeps a component from being used; before library_init."""
    call("PAPI_disable_component_by_name", name.encode())


def num_hwctrs() -> int:
    """How many events the hardware can count at once."""
    return call("PAPI_num_hwctrs")


def num_cmp_hwctrs(cidx: int) -> int:
    """How many events a component can count at once."""
    return call("PAPI_num_cmp_hwctrs", cidx)


# ---- Options ----


def set_domain(domain: int) -> None:
    """The domain of event sets made from now on."""
    call("PAPI_set_domain", domain)


def set_cmp_domain(domain: int, cidx: int) -> None:
    """The same for one component."""
    call("PAPI_set_cmp_domain", domain, cidx)


def set_granularity(granularity: int) -> None:
    """The granularity of event sets made from now on."""
    call("PAPI_set_granularity", granularity)


def set_cmp_granularity(granularity: int, cidx: int) -> None:
    """The same for one component."""
    call("PAPI_set_cmp_granularity", granularity, cidx)


def multiplex_init() -> None:
    """Lets event sets be multiplexed."""
    call("PAPI_multiplex_init")


def set_multiplex(eventSet: int) -> None:
    """Makes a set a multiplexed one."""
    call("PAPI_set_multiplex", eventSet)


def get_multiplex(eventSet: int) -> bool:
    """Whether a set is a multiplexed one."""
    return bool(call("PAPI_get_multiplex", eventSet))


def attach(eventSet: int, tid: int) -> None:
    """Counts another thread or process."""
    call("PAPI_attach", eventSet, tid)


def detach(eventSet: int) -> None:
    """Counts the calling thread again."""
    call("PAPI_detach", eventSet)


# ---- Threads ----


def thread_id() -> int:
    """What the function for thread identifiers returns."""
    return int(unready().PAPI_thread_id())


def register_thread() -> None:
    """Prepares the calling thread."""
    call("PAPI_register_thread")


def unregister_thread() -> None:
    """Gives back what the calling thread has."""
    call("PAPI_unregister_thread")


def list_threads() -> List[int]:
    """The threads that the library knows."""
    length = ctypes.c_int()
    call("PAPI_list_threads", None, ctypes.byref(length))
    found = (ctypes.c_ulong * max(length.value, 1))()
    call("PAPI_list_threads", found, ctypes.byref(length))
    return longs(found[:length.value])


# ---- Clocks and the machine ----


def get_real_cyc() -> int:
    """Real time in cycles."""
    return int(unready().PAPI_get_real_cyc())


def get_real_nsec() -> int:
    """Real time in nanoseconds."""
    return int(unready().PAPI_get_real_nsec())


def get_real_usec() -> int:
    """Real time in microseconds."""
    return int(unready().PAPI_get_real_usec())


def get_virt_cyc() -> int:
    """The thread's CPU time in cycles."""
    return int(unready().PAPI_get_virt_cyc())


def get_virt_nsec() -> int:
    """The thread's CPU time in nanoseconds."""
    return int(unready().PAPI_get_virt_nsec())


def get_virt_usec() -> int:
    """The thread's CPU time in microseconds."""
    return int(unready().PAPI_get_virt_usec())


def get_hardware_info() -> Any:
    """What the machine is."""
    place = unready().PAPI_get_hardware_info()
    if not place:
        raise raised(consts.PAPI_ENOINIT)
    return HardwareInfo(_structs.HardwareInfo.from_address(place))


def get_executable_info() -> Any:
    """What the program is."""
    place = unready().PAPI_get_executable_info()
    if not place:
        raise raised(consts.PAPI_ENOINIT)
    return ExecutableInfo(_structs.ExecutableInfo.from_address(place))


def get_dmem_info() -> Any:
    """How much memory the program uses."""
    info = _structs.MemoryInfo()
    call("PAPI_get_dmem_info", ctypes.byref(info))
    return MemoryInfo(info)
