# SPDX-License-Identifier: BSD-3-Clause
"""PAPI in C for Python: counts what the processor does for a piece of a program.

    with papi.count("PAPI_TOT_INS", "PAPI_L1_DCM") as c:
        work()
    print(c["PAPI_TOT_INS"])

doc/python.md tells the rest.
"""
from ._counting import count
from ._events import Event, event, natives, presets, processor
from ._library import Error, LibraryError
from ._metrics import Group, Metric, groups, load, metrics
from ._regions import region, write_regions

__version__ = "7.0.0"
__all__ = ["count", "Event", "event", "natives", "presets", "processor", "Error", "LibraryError", "Group", "Metric",
           "groups", "load", "metrics", "region", "write_regions"]
