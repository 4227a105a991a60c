# SPDX-License-Identifier: BSD-3-Clause
"""How the text of a file looks: layout, columns, and the first words of comments."""
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import C_FILES, Finding, Skipped

CLANG_FORMAT = 14
COLUMNS = 120
TAB = 8
# Sentences that begin so have no noun; "what it is" and "whoever does" begin with a pronoun in its place.
NOUNLESS = re.compile(r'(?:^|[.:;]\s+)((?:One|Those|That) (?:that|which|who|whose)|What is|What was|Whoever)\b')


def clang_format():
    """The program, if it is the version that the house is formatted with."""
    program = shutil.which(f'clang-format-{CLANG_FORMAT}') or shutil.which('clang-format')
    if not program:
        raise Skipped(f'clang-format {CLANG_FORMAT} is missing')
    version = subprocess.run([program, '--version'], capture_output=True, check=True, text=True).stdout
    if not re.search(rf'version {CLANG_FORMAT}\.', version):
        raise Skipped(f'clang-format is not of version {CLANG_FORMAT}, the layout of another one is another: '
                      f'{version.strip()}')
    return program


def layout(tree):
    """C is laid out as .clang-format says."""
    program = clang_format()
    files = tree.select(ends=('.c', '.h'))
    share = max(1, len(files) // (4 * (os.cpu_count() or 1)))

    def look(some):
        return subprocess.run([program, '--dry-run', '--style=file', *some], cwd=tree.root, capture_output=True,
                              check=False, text=True).stderr

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(look, (files[i:i + share] for i in range(0, len(files), share))))
    for path, line in dict.fromkeys(re.findall(r'^(\S+):(\d+):\d+: .*clang-format-violations', ''.join(answers), re.M)):
        yield Finding(path, int(line), f'is laid out otherwise than .clang-format says: clang-format -i {path}')


def width(line):
    """The columns that a line takes."""
    return len(line.expandtabs(TAB))


def prose(tree, path, everything=False):
    """The lines of a document that are no example and no table; with everything, all but fenced examples."""
    fenced = False
    for number, line in tree.lines(path):
        fence = line.lstrip().startswith('```')
        fenced = fenced != fence
        if not (fence or fenced) and (everything or not line.startswith(('    ', '\t', '|'))):
            yield number, line


def columns(tree):
    """Lines of code and prose have at most 120 columns."""
    named = ('meson.build', 'Makefile', 'meson_options.txt')
    for path in tree.select(ends=C_FILES + ('.py', '.sh', '.hpp', '.cc', '.md') + named):
        for number, line in prose(tree, path) if path.endswith('.md') else tree.lines(path):
            if width(line) > COLUMNS:
                yield Finding(path, number, f'has {width(line)} columns, at most {COLUMNS} are read: break the line')


def words(tree):
    """Comments begin with the noun that they are about."""
    for path in tree.select(('src/', 'include/', 'tools/'), C_FILES):
        for position, comment in tree.comments(path):
            sentences = re.sub(r'^[ \t]*/?\*+/?[ \t]*', lambda found: ' ' * len(found[0]), comment, flags=re.M)
            for found in NOUNLESS.finditer(sentences.replace('/*', '  ', 1).lstrip()):
                offset = len(sentences) - len(sentences.lstrip())
                yield Finding(path, tree.line_of(path, position + offset + found.start(1)),
                              f'"{found[1]}" begins a sentence: say which thing or who')
