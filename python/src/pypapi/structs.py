# SPDX-License-Identifier: BSD-3-Clause
"""What functions return that have more than one thing to tell. Attributes are called as the members in C."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Tuple, Type

from papi import _structs


class Flips(NamedTuple):
    """Floating point instructions, and millions of them in a second."""
    rtime: float
    ptime: float
    flpins: int
    mflips: float


class Flops(NamedTuple):
    """Floating point operations, and millions of them in a second."""
    rtime: float
    ptime: float
    flpops: int
    mflops: float


class IPC(NamedTuple):
    """Instructions, and how many of them in a cycle."""
    rtime: float
    ptime: float
    ins: int
    ipc: float


class EPC(NamedTuple):
    """Events, and how many of them in a cycle."""
    rtime: float
    ptime: float
    ref: int
    core: int
    evt: int
    epc: float


class Struct:
    """A copy of a structure of the library: numbers, str, and lists of these."""

    def __init__(self, source: ctypes.Structure) -> None:
        for name, *_ in source._fields_:
            if name not in ("reserved", "reserved_bits"):
                setattr(self, name, _value(getattr(source, name)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no {name}")


def _value(field: Any) -> Any:
    if isinstance(field, bytes):
        return _structs.text(field)
    if isinstance(field, ctypes.Array):
        return [_value(entry) for entry in field if entry is not None]
    if isinstance(field, ctypes.Structure):
        return KINDS.get(type(field), Struct)(field)
    return 0 if field is None else field


def _kind(name: str, of: Type[ctypes.Structure]) -> Tuple[Type[ctypes.Structure], Type[Struct]]:
    return of, type(name, (Struct,), {"__doc__": f"The members of {of.__name__}.", "__module__": __name__})


KINDS = dict(_kind(name, of) for name, of in (
    ("EventInfo", _structs.EventInfo), ("ComponentInfo", _structs.ComponentInfo),
    ("HardwareInfo", _structs.HardwareInfo), ("MemoryInfo", _structs.MemoryInfo),
    ("ExecutableInfo", _structs.ExecutableInfo), ("AddressMap", _structs.AddressMap)))
EventInfo = KINDS[_structs.EventInfo]
ComponentInfo = KINDS[_structs.ComponentInfo]
HardwareInfo = KINDS[_structs.HardwareInfo]
MemoryInfo = KINDS[_structs.MemoryInfo]
ExecutableInfo = KINDS[_structs.ExecutableInfo]
AddressMap = KINDS[_structs.AddressMap]
