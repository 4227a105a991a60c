# SPDX-License-Identifier: BSD-3-Clause
"""What comments and documents say, compared with the tree: names of files, variables of the environment, numbers."""
import fnmatch
import re

from texts import prose
from tree import C_FILES, Finding

MAN = ('.1', '.3', '.5')
FILE_NAME = re.compile(
    r'(?<![\w<>"$%{*/.\\-])(?P<name>(?:(?:\.\.?|[\w*.+-]+)/)*[\w*+-]*[A-Za-z_*][\w*+-]*(?:\.in)?'
    r'\.(?:c|h|\[ch\]|S|F|f90|hpp|cc|in|py|sh|md|csv|abi|cmake|rng|json|txt|build|[135]))(?![\w*/]|\.\w)')
# No files of this tree: what the build or a program makes, what others have, and what stands for a user's file.
OTHER_FILES = re.compile(r"""
    (?:.*/)?f(?:77|90)?papi\.h | .*_spellings\.h | (?:.*/)?builtin_tables\.c | papi-config.*\.cmake  # of the build
    | (?:.*/)?(?:test|fuzz)log\.json | compile_commands\.json | meson-info\.json | coverage\.(?:txt|json)
    | (?:.*/)?rank_\d+\.json                                                # results of regions
    | (?:stdio|ucontext|cmocka|jansson)\.h                                  # of others
    | share/papi/.* | (?:copies|decoded|faults|other|presets|wrong)\.csv    # installed; of users, in examples
    | (?:baseline|before|after|new)\.json | histograms\.json                 # of users, saved by papi_run and programs
    | mm\.c | (?:fast|unique)\.(?:c|py)                                     # of those of doc/stories.md
    | (?:first|second|test_sum)\.py | papi-baseline\.json                   # of users of the Python package
    | .*\.so\.\d | (?:.*[/_])?[A-Z]+\.\w+                                   # libraries; placeholders such as NAME.c
    """, re.X)

GETENV = re.compile(r'\b(?:secure_)?getenv\s*\(\s*((?:[^()]|\([^()]*\))*?)\s*\)')
ENVIRON = re.compile(r'\bos\.environ(?:\.get)?[\[(]\s*"(\w+)"')  # in Python
STRING = re.compile(r'"([^"\n]*)"')
VARIABLE = re.compile(r'\bPAPI_[A-Z0-9_]*[A-Z0-9](?![\w*])')

NAMES_OF_USERS = {'PAPI_MY_FAULTS',  # of events that examples define
                  'PAPI_RUN_PADDING'}  # a variable that fills room
FOR_DEVELOPERS = ('CONTRIBUTING.md', 'bench/README.md')


def script_comments(text):
    """The comments of a script or a build file, and the texts between three quotes."""
    return re.finditer(r'(?:^|(?<=\s))#[^\n]*|"""(?:.*?)"""', text, re.S | re.M)


def man_prose(text):
    """A man page with spaces in the place of its examples."""
    return re.sub(r'^\.Bd\b.*?^\.Ed\b', lambda found: re.sub(r'[^\n]', ' ', found[0]), text, flags=re.M | re.S)


def statements(tree):
    """What people are told, as pieces: a file, the number of the piece's first line, its text."""
    for path in tree.files:
        if path == 'CHANGELOG.md' or path.startswith('LICENSE'):
            continue
        if path.endswith(C_FILES + ('.hpp', '.cc')):
            yield from ((path, tree.line_of(path, position), text) for position, text in tree.comments(path))
        elif path.endswith('.md'):
            yield from ((path, number, line) for number, line in prose(tree, path, everything=True))
        elif path.endswith(MAN):
            yield path, 1, man_prose(tree.text(path))
        elif path.endswith(('.py', '.sh', 'meson.build', 'Makefile')):
            yield from ((path, tree.line_of(path, found.start()), found[0])
                        for found in script_comments(tree.text(path)))


def ends_of_paths(tree):
    """Every path of the tree, and each of its ends after a slash."""
    return {path.split('/', i)[-1] for path in tree.files for i in range(path.count('/') + 1)}


def exists(ends, name):
    """Whether files are in the tree that a name means, which may have stars and [ch]."""
    plain = re.sub(r'^(?:\.\.?/)+', '', name)
    names = [plain.replace('[ch]', kind) for kind in 'ch'] if '[ch]' in plain else [plain]
    return all(one in ends or ('*' in one and fnmatch.filter(ends, one)) for one in names)


def names_of_files(tree):
    """A file that a comment or a document names is there."""
    ends = ends_of_paths(tree)
    for path, line, text in statements(tree):
        for found in FILE_NAME.finditer(text):
            if not exists(ends, found['name']) and not OTHER_FILES.fullmatch(found['name']):
                yield Finding(path, line + text.count('\n', 0, found.start()),
                              f'there is no file {found["name"]}: say what is there now, or put a name that is no '
                              'file of this tree into OTHER_FILES of tests/house/documents.py')


def enclosing(text, position):
    """The name of the function that a position of code is in."""
    heads = re.findall(r'^[A-Za-z_][^;{}=#\n]*?\b(\w+)\(', text[:position], re.M)
    return heads[-1] if heads else ''


def passed_to(tree, path, function):
    """What is passed to a function first, and from where: of one file, or by all who can call it."""
    for caller in tree.select(('src/', 'tools/'), ('.c',)) if function.startswith('papi_') else [path]:
        text = tree.code(caller)
        for call in re.finditer(rf'\b{function}\(\s*([^(),]+)', text):
            if not call[1].startswith(('const ', 'char ')):
                yield caller, call[1], enclosing(text, call.start())


def values_of(tree, path, expression, function, inner=()):
    """The strings that an expression in a function may be: literals, a macro, an item of a table, or what is passed to
    the function. inner: the functions that are being looked at."""
    if '"' in expression:
        return set(STRING.findall(expression))
    name = re.match(r'\w+', expression)[0]
    table = re.search(rf'\b{name}\s*\[[^\]]*\]\s*=\s*\{{(.*?)\}};', tree.code(path), re.S)
    if table:
        return set(STRING.findall(table[1]))
    for header in [path, *tree.select(('src/', 'tools/'), ('.h',))]:
        macro = re.search(rf'^#define\s+{name}\s+"([^"]*)"', tree.code(header), re.M)
        if macro:
            return {macro[1]}
    inner = (*inner, function)
    return {value for caller, passed, inside in passed_to(tree, path, function) if inside not in inner
            for value in values_of(tree, caller, passed, inside, inner)}


def variables_read(tree):
    """The variables of the environment that the code reads, and where: {name: (path, line)}; '' where that is not
    known."""
    found = {}
    for path in tree.select(('src/', 'tools/'), C_FILES):
        text = tree.code(path)
        for read in GETENV.finditer(text):
            names = values_of(tree, path, read[1], enclosing(text, read.start()))
            for name in names or {''}:
                found.setdefault(name, (path, tree.line_of(path, read.start())))
    for path in tree.select(('python/',), ('.py',)):
        for read in ENVIRON.finditer(tree.text(path)):
            found.setdefault(read[1], (path, tree.line_of(path, read.start())))
    return found


def documents(tree):
    """The documents, and the man pages."""
    return [path for path in tree.select(ends=('.md',) + MAN) if path != 'CHANGELOG.md']


def names_known(tree):
    """Names of this form that are no variables."""
    return {name for path in tree.select(('include/', 'src/', 'tools/', 'data/'), C_FILES + ('.csv', '.f90'))
            for name in VARIABLE.findall(tree.bare(path) if path.endswith(C_FILES) else tree.text(path))}


def variables_of_scripts(tree):
    """What the scripts of tests and benchmarks read: documents for developers have it."""
    return {name for path in tree.select(('tests/', 'bench/', 'tools/dev/'), ('.sh', '.py', 'meson.build'))
            for name in VARIABLE.findall(tree.text(path))}


def undocumented(tree, read):
    """Variables that the code reads and no document has."""
    documented = ' '.join(tree.text(path) for path in documents(tree))
    for name, (path, line) in sorted(read.items()):
        if not name:
            yield Finding(path, line, 'reads a variable whose name this rule does not find: pass a literal, or teach '
                          'values_of() of tests/house/documents.py')
        elif not re.search(rf'\b{name}\b', documented):
            yield Finding(path, line, f'reads {name}, which no document or man page explains: explain it')


def environment(tree):
    """A variable that the code reads is documented, and one that is documented is read."""
    read = variables_read(tree)
    yield from undocumented(tree, read)
    known = names_known(tree) | read.keys() | NAMES_OF_USERS
    for path in documents(tree):
        here = known | variables_of_scripts(tree) if path in FOR_DEVELOPERS else known
        for number, line in tree.lines(path):
            for name in VARIABLE.findall(line):
                if name not in here and not line.startswith('.Dt '):
                    yield Finding(path, number, f'nothing reads the variable {name}, and it is no name of a header: '
                                  'delete it')
