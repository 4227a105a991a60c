# SPDX-License-Identifier: BSD-3-Clause
"""Calling the library, with the exceptions of this package."""
from __future__ import annotations

import ctypes
from typing import Any, List, Sequence

from papi._library import unready

from .exceptions import raised


def call(name: str, *arguments: Any) -> int:
    """What a function returns that is no error."""
    status = int(getattr(unready(), name)(*arguments))
    if status < 0:
        raise raised(status)
    return status


def number(code: int) -> int:
    """A code without its sign."""
    return code & 0xffffffff


def codes(events: Sequence[int]) -> Any:
    """An array of codes."""
    return (ctypes.c_int * len(events))(*(ctypes.c_int(event).value for event in events))


def longs(values: Any) -> List[int]:
    """The numbers of an array."""
    return [int(value) for value in values]


def values(length: int) -> Any:
    """Room for counts."""
    return (ctypes.c_longlong * length)()
