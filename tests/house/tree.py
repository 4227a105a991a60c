# SPDX-License-Identifier: BSD-3-Clause
"""What the rules of the house look at: the files of a tree, and the objects of its build."""
import bisect
import functools
import json
import os
import re
import subprocess
from typing import NamedTuple

COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)
NOT_A_NEWLINE = re.compile(r'[^\n]')
C_FILES = ('.c', '.h', '.S')


class Finding(NamedTuple):
    """One thing that is wrong, where, and what to do."""
    path: str
    line: int
    message: str

    def __str__(self):
        return f'{self.path}:{self.line}: {self.message}'


class Skipped(Exception):
    """A rule cannot be looked at here; the text says why."""


def blanked(text):
    """Spaces in the place of a text, with its ends of lines."""
    return NOT_A_NEWLINE.sub(' ', text)


@functools.lru_cache(maxsize=None)
def read(path, _changed):
    """The text of a file, which is read again only when it has changed."""
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def without_comments(text):
    """A text in C with spaces in the place of its comments."""
    return COMMENT_OR_STRING.sub(lambda found: blanked(found[0]) if found[0][0] == '/' else found[0], text)


@functools.lru_cache(maxsize=None)
def without_comments_and_strings(text):
    """A text in C with spaces in the place of its comments and strings."""
    return COMMENT_OR_STRING.sub(lambda found: blanked(found[0]), text)


@functools.lru_cache(maxsize=None)
def comments_of(text):
    """The comments of a text in C, as pairs of a position and a text."""
    return [(found.start(), found[0]) for found in COMMENT_OR_STRING.finditer(text) if found[0][0] == '/']


@functools.lru_cache(maxsize=None)
def ends_of_lines(text):
    """Where the lines of a text end."""
    return [found.start() for found in re.finditer('\n', text)]


class Tree:
    """The files of a source tree, by their paths below its root."""

    def __init__(self, root, build=None):
        self.root = os.path.abspath(root)
        self.build = os.path.abspath(build) if build else None
        self.known = self._found()
        self.files = sorted(self.known)

    def _found(self):
        """The files that git knows or would take; in a tree without git, all but those of builds."""
        if os.path.exists(os.path.join(self.root, '.git')):
            listed = subprocess.run(['git', '-C', self.root, 'ls-files', '-z', '-co', '--exclude-standard'],
                                    capture_output=True, check=True, text=True).stdout.split('\0')
            return {path for path in listed if path and os.path.isfile(os.path.join(self.root, path))}
        found = set()
        for folder, below, names in os.walk(self.root):
            below[:] = [name for name in below if name != '__pycache__' and
                        not (folder == self.root and name.startswith('build'))]
            found.update(os.path.relpath(os.path.join(folder, name), self.root) for name in names)
        return found

    def select(self, folders=('',), ends=('',)):
        """The files below folders whose names end so."""
        return [path for path in self.files if path.startswith(tuple(folders)) and path.endswith(tuple(ends))]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """The text of a file."""
        full = os.path.join(self.root, path)
        status = os.stat(full)
        return read(full, (status.st_mtime_ns, status.st_size, status.st_ino))

    def lines(self, path):
        """The lines of a file with their numbers, from 1."""
        return enumerate(self.text(path).split('\n'), 1)

    def code(self, path):
        """A file in C with spaces in the place of its comments."""
        return without_comments(self.text(path))

    def bare(self, path):
        """A file in C with spaces in the place of its comments and strings."""
        return without_comments_and_strings(self.text(path))

    def comments(self, path):
        """The comments of a file in C, as pairs of a position and a text."""
        return comments_of(self.text(path))

    def line_of(self, path, position):
        """The number of the line that a position of a file's text is in."""
        return bisect.bisect_left(ends_of_lines(self.text(path)), position) + 1

    def needs_build(self):
        """Where the build is; Skipped when there is none."""
        if not self.build or not os.path.exists(os.path.join(self.build, 'compile_commands.json')):
            raise Skipped('needs a build: house.py TREE BUILD')
        return self.build

    @functools.lru_cache(maxsize=None)
    def objects(self):
        """What the objects of src/ and tools/ define and need: {object: (source, defined, undefined)}."""
        build = self.needs_build()
        with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
            commands = json.load(file)
        sources = {}
        for command in commands:
            path = os.path.join(command['directory'], command['output'])
            source = os.path.relpath(os.path.join(command['directory'], command['file']), source_root(build))
            if source.startswith(('src/', 'tools/')) and os.path.exists(path):
                sources[path] = os.path.normpath(source)
        if not sources:
            raise Skipped(f'{build} has no objects: build first')
        listed = subprocess.run(['nm', '-A', *sources], capture_output=True, check=True, text=True).stdout
        found = {path: (source, set(), set()) for path, source in sources.items()}
        for line in listed.splitlines():
            path, _, rest = line.rpartition(':')
            kind, name = rest.split()[-2:]
            if kind.isupper() or kind in 'vw':
                found[path][2 if kind in 'Uw' else 1].add(name)
        return found


def source_root(build):
    """The source tree that a build was configured for."""
    with open(os.path.join(build, 'meson-info', 'meson-info.json'), encoding='utf-8') as file:
        return json.load(file)['directories']['source']
