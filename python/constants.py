#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the constants of the headers as modules of pypapi: constants.py INCLUDE OUTPUT.

consts.py gets the numbers of papi_constants.h, events.py the codes of papiStdEventDefs.h, as numbers without a sign.
What is written is part of the source: a test compares it with the headers.
"""
import os
import re
import sys

HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
"""{}: written by python/constants.py."""
'''


def plain(header):
    """The text without its comments, and with what macros stand for in one line."""
    return re.sub(r"/\*.*?\*/", "", header, flags=re.S).replace("\\\n", "")


def constants(header):
    """Names and values of macros without arguments, and of enumerations, that are whole numbers."""
    known = {}
    macros = {"PAPI_VERSION_NUMBER": lambda *parts: sum(part << 8 * (3 - i) for i, part in enumerate(parts))}
    for block, name, value in re.findall(r"enum \{(.*?)\}|^#define (\w+)[ \t]+(\S[^\n]*)$", plain(header), re.S | re.M):
        following = 0
        for entry in filter(str.strip, block.split(",")):
            label, _, number = entry.partition("=")
            following = eval(number, {}, known) if number else following  # pylint: disable=eval-used
            known[label.strip()] = following
            following += 1
        if name:
            try:
                number = eval(value.replace("(int)", ""), macros, known)  # pylint: disable=eval-used
            except (NameError, SyntaxError):  # a macro of something else
                continue
            known[name] = number
    return known


def module(description, values):
    """The text of a module."""
    return HEAD.format(description) + "".join(
        f"{name} = {value:#x}\n" if value >= 1 << 30 else f"{name} = {value}\n" for name, value in values.items())


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def modules(include):
    """Names and texts of the modules."""
    numbers = constants(read(include, "papi_constants.h"))
    numbers = {name: value for name, value in numbers.items() if name.startswith("PAPI_")}
    places = constants(read(include, "papiStdEventDefs.h"))
    events = {name[:-4]: 0x80000000 | value for name, value in places.items() if name.endswith("_idx")}
    events.pop("PAPI_END")
    return {"consts.py": module("The constants of papi.h", numbers),
            "events.py": module("The codes of the presets", events)}


def main():
    for name, text in modules(sys.argv[1]).items():
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
