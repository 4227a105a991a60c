# SPDX-License-Identifier: BSD-3-Clause
"""Regions: pieces of a program with a name. PAPI_EVENTS says what they count; doc/regions.md, where results are."""
from __future__ import annotations

import functools
import inspect
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar

from ._library import check, encode, failure, library

Function = TypeVar("Function", bound=Callable[..., Any])


class region:  # pylint: disable=invalid-name
    """A region, as `with papi.region("solve"):` or as a decorator, `@papi.region("solve")`.

    It belongs to the thread that begins it. Functions that are left and entered again, generators and coroutines, are
    no regions, since others run meanwhile.
    """
    __slots__ = ("_name", "_begin", "_end")

    def __init__(self, name: str) -> None:
        papi = library()
        self._name, self._begin, self._end = encode(name), papi.PAPI_hl_region_begin, papi.PAPI_hl_region_end

    def __enter__(self) -> region:
        status = self._begin(self._name)
        if status:
            raise failure(status)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        status = self._end(self._name)
        if status and kind is None:
            raise failure(status)

    def read(self) -> None:
        """Records the counts since it began, without ending it."""
        check(library().PAPI_hl_read(self._name))

    def __call__(self, function: Function) -> Function:
        if (inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function)
                or inspect.isasyncgenfunction(function)):
            raise TypeError(f"{function.__name__} is a generator or a coroutine, which others run in the middle of: "
                            "use `with papi.region(...)` between its yields")

        @functools.wraps(function)
        def inside(*arguments: Any, **named: Any) -> Any:
            with self:
                return function(*arguments, **named)
        return inside  # type: ignore[return-value]


def write_regions() -> None:
    """Ends the regions of the calling thread and writes the results of all; needless where a program just ends."""
    check(library().PAPI_hl_stop())
