# SPDX-License-Identifier: BSD-3-Clause
"""The shared library: where it is found, how it is called, and what its errors become.

Functions are called through ctypes.PyDLL, which keeps the interpreter's lock: that is 350 instructions less in every
count, and no other thread of Python gets between the start of a count and the first line that is counted. None of the
calls waits for another thread of Python.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any, List, Optional

SONAME = "libpapi.so.7.0"
VERSION = 0x07000000  # PAPI_VER_CURRENT
PAPI_NULL = -1

# Of PAPI_EINVAL and the following.
_NAMES = ("OK", "EINVAL", "ENOMEM", "ESYS", "ECMP", "ECLOST", "EBUG", "ENOEVNT", "ECNFLCT", "ENOTRUN", "EISRUN",
          "ENOEVST", "ENOTPRESET", "ENOCNTR", "EMISC", "EPERM", "ENOINIT", "ENOCMP", "ENOSUPP", "ENOIMPL", "EBUF",
          "EINVAL_DOM", "EATTR", "ECOUNT", "ECOMBO", "ECMP_DISABLED", "EDELAY_INIT", "EMULPASS")
ENOTRUN, ENOEVNT, EINVAL = -9, -7, -1


def printable(text: str) -> str:
    """The text without what would do something to a terminal."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)


class Error(Exception):
    """What the library refuses: the sentence that says why, and the code, PAPI_E..."""
    __module__ = "papi"

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    @property
    def name(self) -> str:
        """The name of the code: "PAPI_ENOEVNT"."""
        return "PAPI_" + _NAMES[-self.code] if 0 <= -self.code < len(_NAMES) else str(self.code)

    def __str__(self) -> str:
        return f"{printable(self.detail)} ({self.name})"


class LibraryError(ImportError):
    """The shared library is not here, or is another one."""
    __module__ = "papi"


def _places() -> List[str]:
    """Where the library may be, the best first: where the user says, beside an installed package, where it is usual."""
    named = os.environ.get("PAPI_LIBRARY")
    if named:
        return [named]
    # The module is three folders below lib, where the library is.
    beside = [folder / SONAME for folder in list(pathlib.Path(__file__).resolve().parents)[3:4]]
    return [str(path) for path in beside if path.is_file()] + [SONAME]


def _load() -> ctypes.PyDLL:
    reasons = []
    for place in _places():
        try:
            found = ctypes.PyDLL(place)
        except OSError as error:
            reasons.append(printable(str(error)))
            continue
        if not hasattr(found, "PAPI_error_detail") or not hasattr(found, "PAPI_metric_values"):
            reasons.append(f"{printable(place)} is not the library of PAPI in C")
            continue
        return found
    raise LibraryError(f"papi cannot count without its library: {'; '.join(reasons)}; install PAPI in C, or name its "
                       f"{SONAME} in PAPI_LIBRARY")


def _prototypes(papi: ctypes.PyDLL) -> None:
    """Results that are no int, and arguments that ctypes would not pass as they are."""
    papi.PAPI_error_detail.restype = ctypes.c_char_p
    papi.PAPI_strerror.restype = ctypes.c_char_p
    papi.PAPI_thread_id.restype = ctypes.c_ulong
    for name in ("PAPI_get_component_info", "PAPI_get_hardware_info", "PAPI_get_executable_info"):
        getattr(papi, name).restype = ctypes.c_void_p
    for clock in ("real", "virt"):
        for unit in ("cyc", "nsec", "usec"):
            getattr(papi, f"PAPI_get_{clock}_{unit}").restype = ctypes.c_longlong
    papi.PAPI_attach.argtypes = [ctypes.c_int, ctypes.c_ulong]
    papi.PAPI_metric_values.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p]
    papi.PAPI_metric_text.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_double, ctypes.c_char_p, ctypes.c_int]


_library: Optional[ctypes.PyDLL] = None
_lock = threading.Lock()


def unready() -> Any:
    """The library, which nobody may have initialised."""
    global _library
    with _lock:
        if _library is None:
            found = _load()
            _prototypes(found)
            _library = found
    return _library


def library() -> Any:
    """The library, ready to count."""
    papi = unready()
    if not papi.PAPI_is_initialized():
        check(papi.PAPI_library_init(VERSION))
    return papi


def failure(code: int) -> Error:
    """The last error of the calling thread."""
    papi = unready()
    detail = papi.PAPI_error_detail() or papi.PAPI_strerror(code) or b"unknown error"
    return Error(code, detail.decode(errors="replace"))


def check(status: int) -> int:
    """What the library returned, if that is no error."""
    if status < 0:
        raise failure(status)
    return status


def encode(name: str) -> bytes:
    """A name as the library takes it."""
    if not isinstance(name, str):
        raise TypeError(f"a name is a str, not {type(name).__name__}")
    if "\0" in name:
        raise ValueError("a name has no zero byte")
    return os.fsencode(name)
