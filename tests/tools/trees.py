# SPDX-License-Identifier: BSD-3-Clause
"""Recorded machines for the tests of utilities: what tests/unit/linux/tree.h says of their files, in Python."""
import os
import re
import tempfile


def unpack(path, change=None):
    """A directory (to be cleaned up) with the files of a tree; change maps paths to another content, None: no file."""
    directory = tempfile.TemporaryDirectory(prefix="papi-tree-")
    files = {}
    with open(path, encoding="ascii") as tree:
        for line in tree:
            if not line.startswith("#"):
                name, content = line.rstrip("\n").split("\t", 1)
                files[name] = re.sub(rb"\\(x[0-9a-fA-F]{2}|.)", unescape, content.encode())
    files.update({name: None if content is None else content.encode() for name, content in (change or {}).items()})
    for name, content in files.items():
        full = directory.name + name
        if name.endswith("/"):
            os.makedirs(full, exist_ok=True)
        elif content is not None:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(content)
    return directory


def unescape(match):
    escape = match[1]
    if escape[:1] == b"x" and len(escape) == 3:
        return bytes([int(escape[1:], 16)])
    return {b"n": b"\n", b"t": b"\t"}.get(escape, escape)
