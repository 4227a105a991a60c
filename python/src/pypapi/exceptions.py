# SPDX-License-Identifier: BSD-3-Clause
"""An exception for each code that the library returns. All have `code`, and the library's sentence in `detail`."""
from typing import Dict, Type

from papi._library import Error, failure


class PapiError(Error):
    """The base of all."""


_CODES: Dict[int, Type[PapiError]] = {}


def _define(code: int, name: str, meaning: str) -> Type[PapiError]:
    _CODES[code] = type(name, (PapiError,), {"__doc__": meaning, "__module__": __name__})
    return _CODES[code]


PapiInvalidValueError = _define(-1, "PapiInvalidValueError", "PAPI_EINVAL: an argument is not valid")
PapiNoMemoryError = _define(-2, "PapiNoMemoryError", "PAPI_ENOMEM: no memory left")
PapiSystemError = _define(-3, "PapiSystemError", "PAPI_ESYS: the system refused something")
PapiComponentError = _define(-4, "PapiComponentError", "PAPI_ECMP: the component cannot do this")
PapiCountersLostError = _define(-5, "PapiCountersLostError", "PAPI_ECLOST: access to the counters was lost")
PapiBugError = _define(-6, "PapiBugError", "PAPI_EBUG: a mistake inside the library")
PapiNoEventError = _define(-7, "PapiNoEventError", "PAPI_ENOEVNT: no such event here")
PapiConflictError = _define(-8, "PapiConflictError", "PAPI_ECNFLCT: the event collides with what is in use")
PapiNotRunningError = _define(-9, "PapiNotRunningError", "PAPI_ENOTRUN: the event set is not running")
PapiIsRunningError = _define(-10, "PapiIsRunningError", "PAPI_EISRUN: the event set is running")
PapiNoEventSetError = _define(-11, "PapiNoEventSetError", "PAPI_ENOEVST: no such event set")
PapiNotPresetError = _define(-12, "PapiNotPresetError", "PAPI_ENOTPRESET: not the code of a preset")
PapiNoCounterError = _define(-13, "PapiNoCounterError", "PAPI_ENOCNTR: not enough counters")
PapiMiscellaneousError = _define(-14, "PapiMiscellaneousError", "PAPI_EMISC: none of the other codes fits")
PapiPermissionError = _define(-15, "PapiPermissionError", "PAPI_EPERM: not permitted")
PapiNotInitializedError = _define(-16, "PapiNotInitializedError", "PAPI_ENOINIT: library_init was not called")
PapiNoComponentError = _define(-17, "PapiNoComponentError", "PAPI_ENOCMP: no such component")
PapiNotSupportedError = _define(-18, "PapiNotSupportedError", "PAPI_ENOSUPP: not supported")
PapiNotImplementedError = _define(-19, "PapiNotImplementedError", "PAPI_ENOIMPL: not implemented")
PapiBufferError = _define(-20, "PapiBufferError", "PAPI_EBUF: a buffer is too small")
PapiInvalidDomainError = _define(-21, "PapiInvalidDomainError", "PAPI_EINVAL_DOM: no domain of the component")
PapiAttributeError = _define(-22, "PapiAttributeError", "PAPI_EATTR: an attribute of the event is not valid")
PapiCountError = _define(-23, "PapiCountError", "PAPI_ECOUNT: more than there is room for")
PapiComboError = _define(-24, "PapiComboError", "PAPI_ECOMBO: attributes of the event exclude each other")
PapiComponentDisabledError = _define(-25, "PapiComponentDisabledError", "PAPI_ECMP_DISABLED: it is disabled")


def raised(code: int) -> PapiError:
    """The exception for what the calling thread was refused last."""
    return _CODES.get(code, PapiError)(code, failure(code).detail)
