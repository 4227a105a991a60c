# SPDX-License-Identifier: BSD-3-Clause
"""The structures of include/papi_types.h and include/papi_metrics.h that Python reads, byte for byte."""
from __future__ import annotations

import ctypes
from ctypes import c_char, c_char_p, c_float, c_int, c_longlong, c_uint, c_void_p

MIN, MAX, MAX2, HUGE = 64, 128, 256, 1024
TERMS, PMUS, CACHES, LEVELS, METRIC_EVENTS, METRICS = 12, 80, 6, 4, 16, 256


class EventInfo(ctypes.Structure):
    _fields_ = [("event_code", c_uint), ("symbol", c_char * HUGE), ("short_descr", c_char * MIN),
                ("long_descr", c_char * HUGE), ("component_index", c_int), ("units", c_char * MIN),
                ("location", c_int), ("data_type", c_int), ("value_type", c_int), ("timescope", c_int),
                ("update_type", c_int), ("update_freq", c_int), ("count", c_uint), ("event_type", c_uint),
                ("derived", c_char * MIN), ("postfix", c_char * MAX2), ("code", c_uint * TERMS),
                ("name", c_char * MAX2 * TERMS), ("note", c_char * HUGE)]


class ComponentInfo(ctypes.Structure):
    _fields_ = [("name", c_char * MAX), ("short_name", c_char * MIN), ("description", c_char * MAX),
                ("version", c_char * MIN), ("support_version", c_char * MIN), ("kernel_version", c_char * MIN),
                ("disabled_reason", c_char * HUGE), ("disabled", c_int), ("initialized", c_int), ("CmpIdx", c_int),
                ("num_cntrs", c_int), ("num_mpx_cntrs", c_int), ("num_preset_events", c_int),
                ("num_native_events", c_int), ("default_domain", c_int), ("available_domains", c_int),
                ("default_granularity", c_int), ("available_granularities", c_int), ("hardware_intr_sig", c_int),
                ("component_type", c_int), ("pmu_names", c_char_p * PMUS), ("reserved", c_int * 8),
                *((name, c_uint, 1) for name in (
                    "hardware_intr", "precise_intr", "posix1b_timers", "kernel_profile", "kernel_multiplex",
                    "fast_counter_read", "fast_real_timer", "fast_virtual_timer", "attach", "attach_must_ptrace",
                    "cntr_umasks", "cpu", "inherit")), ("reserved_bits", c_uint, 19)]


class Tlb(ctypes.Structure):
    _fields_ = [("type", c_int), ("num_entries", c_int), ("page_size", c_int), ("associativity", c_int)]


class Cache(ctypes.Structure):
    _fields_ = [("type", c_int), ("size", c_int), ("line_size", c_int), ("num_lines", c_int),
                ("associativity", c_int)]


class Level(ctypes.Structure):
    _fields_ = [("tlb", Tlb * CACHES), ("cache", Cache * CACHES)]


class Memory(ctypes.Structure):
    _fields_ = [("levels", c_int), ("level", Level * LEVELS)]


class HardwareInfo(ctypes.Structure):
    _fields_ = [("ncpu", c_int), ("threads", c_int), ("cores", c_int), ("sockets", c_int), ("nnodes", c_int),
                ("totalcpus", c_int), ("vendor", c_int), ("vendor_string", c_char * MAX), ("model", c_int),
                ("model_string", c_char * MAX), ("revision", c_float), ("cpuid_family", c_int),
                ("cpuid_model", c_int), ("cpuid_stepping", c_int), ("cpu_max_mhz", c_int), ("cpu_min_mhz", c_int),
                ("mem_hierarchy", Memory), ("virtualized", c_int), ("virtual_vendor_string", c_char * MAX),
                ("virtual_vendor_version", c_char * MAX), ("mhz", c_float), ("clock_mhz", c_int),
                ("reserved", c_int * 8)]


class MemoryInfo(ctypes.Structure):
    _fields_ = [(name, c_longlong) for name in (
        "peak", "size", "resident", "high_water_mark", "shared", "text", "library", "heap", "locked", "stack",
        "pagesize", "pte")]


class AddressMap(ctypes.Structure):
    _fields_ = [("name", c_char * HUGE), *((name, c_void_p) for name in (
        "text_start", "text_end", "data_start", "data_end", "bss_start", "bss_end"))]


class ExecutableInfo(ctypes.Structure):
    _fields_ = [("fullname", c_char * HUGE), ("address_info", AddressMap)]


class GroupInfo(ctypes.Structure):
    _fields_ = [("name", c_char * MIN), ("description", c_char * MAX2), ("file", c_char * MAX2), ("metrics", c_int),
                ("events", c_int), ("rules", c_int)]


class MetricInfo(ctypes.Structure):
    _fields_ = [("name", c_char * MIN), ("unit", c_char * MIN), ("short_descr", c_char * MAX),
                ("long_descr", c_char * HUGE), ("formula", c_char * HUGE), ("terms", c_char * HUGE),
                ("worth", c_char * MIN), ("why", c_char * HUGE), ("needs_seconds", c_int), ("n_events", c_int),
                ("events", c_int * METRIC_EVENTS)]


def text(field: bytes) -> str:
    """A field of characters."""
    return field.decode(errors="replace")
