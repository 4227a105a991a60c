# SPDX-License-Identifier: BSD-3-Clause
"""The names that programs written for pypapi use, over the library of PAPI in C. New programs: package papi.

Codes of events are numbers without a sign here, as in pypapi.events; functions take them with a sign as well.
"""
