# SPDX-License-Identifier: BSD-3-Clause
"""An event set of the library, with the life of a Python object.

The child of a fork has the objects of its parent, but what they counted was the parent: that is told when somebody
asks for a count that was not taken.
"""
from __future__ import annotations

import ctypes
import os
import time
import weakref
from typing import Any, List, Optional, Type
from types import TracebackType

from ._events import Event, describe
from ._library import ENOTRUN, PAPI_NULL, Error, check, failure, library

_forks = [0]
os.register_at_fork(after_in_child=lambda: _forks.__setitem__(0, _forks[0] + 1))


def _end(papi: Any, handle: int, values: Any) -> None:
    papi.PAPI_stop(handle, values)  # it may run
    papi.PAPI_cleanup_eventset(handle)
    papi.PAPI_destroy_eventset(ctypes.byref(ctypes.c_int(handle)))


class EventSet:
    """Counts what happens inside `with`, in the thread that entered it, each time from zero."""

    def __init__(self, multiplex: bool) -> None:
        papi = library()
        handle = ctypes.c_int(PAPI_NULL)
        check(papi.PAPI_create_eventset(ctypes.byref(handle)))
        self._values: Any = (ctypes.c_longlong * 0)()
        self._papi, self._set, self._start, self._stop = papi, handle.value, papi.PAPI_start, papi.PAPI_stop
        self._finalizer = weakref.finalize(self, _end, papi, self._set, None)
        self._finalizer.atexit = False  # the library is gone by itself then
        self._multiplex = multiplex
        self._events: List[Event] = []
        self._running, self._counted, self._fork = False, False, _forks[0]
        self._began, self._elapsed = 0, 0  # nanoseconds: making seconds of them would count as floating point

    def _ready(self) -> None:
        """All events are in the set."""
        number = ctypes.c_int(check(self._papi.PAPI_num_events(self._set)))
        codes = (ctypes.c_int * max(number.value, 1))()
        check(self._papi.PAPI_list_events(self._set, codes, ctypes.byref(number)))
        self._events = [describe(code) for code in codes[:number.value]]
        self._values = (ctypes.c_longlong * number.value)()
        self._finalizer.detach()
        self._finalizer = weakref.finalize(self, _end, self._papi, self._set, self._values)
        self._finalizer.atexit = False

    def _enter(self) -> None:
        """What is to be done before the count begins; the caller starts it."""
        if self._running and self._fork == _forks[0]:
            raise Error(-10, "this is counting already, here or in another thread: each needs its own")
        self._running, self._counted, self._fork = True, False, _forks[0]
        self._began = time.perf_counter_ns()

    def _not_started(self, status: int) -> Error:
        self._running = False
        return failure(status)

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        status = self._stop(self._set, self._values)
        self._elapsed = time.perf_counter_ns() - self._began
        self._running, self._counted = False, status == 0
        # An exception of the block says more than what happens to its count.
        if status < 0 and kind is None and not (status == ENOTRUN and self._fork != _forks[0]):
            raise failure(status)

    def _now(self) -> Any:
        """The values: so far, or of the last time."""
        if self._fork != _forks[0] and not self._counted:
            raise Error(ENOTRUN, "the parent of this process was counted, not this one: a child counts from its own "
                                 "`with` on")
        if self._running:
            check(self._papi.PAPI_read(self._set, self._values))
        elif not self._counted:
            raise Error(ENOTRUN, "nothing was counted: there is a count during and after `with`")
        return self._values

    def _worths(self) -> List[str]:
        """What the values are worth.

        Events that took turns are estimated; those of others than the virtual PMU, beside it, are affected by it.
        """
        number = len(self._events)
        translated = any(event.component == "vpmu" for event in self._events)
        enabled, ran = (ctypes.c_longlong * number)(), (ctypes.c_longlong * number)()
        check(self._papi.PAPI_get_event_times(self._set, enabled, ran))
        return ["estimated" if self._multiplex and ran[i] < enabled[i]
                else "affected" if translated and event.component != "vpmu" else event.worth
                for i, event in enumerate(self._events)]

    @property
    def seconds(self) -> float:
        """The elapsed time of the last count, which counting by translation makes longer."""
        return self._elapsed / 1e9
