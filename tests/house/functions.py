# SPDX-License-Identifier: BSD-3-Clause
"""Functions: those that libraries export, and those that nobody calls."""
import os
import re
import subprocess

from tree import C_FILES, Finding, Skipped

# A function as clang-format lays it out: from a line that begins with its type to the brace in the first column.
DEFINITION = re.compile(r'^(?P<head>[A-Za-z_][^;{}#]*?\))(?: [A-Z_]+)?\n\{\n(?P<body>.*?)^\}', re.M | re.S)
ATTRIBUTE = re.compile(r'__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|_Alignas\([^()]*\)')
BY_OTHERS = re.compile(r'\b(?:constructor|destructor|VISIBLE|PAPI_API)\b')  # run by the linker, or exported
MACRO = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
NAME = re.compile(r'\b([A-Za-z_]\w*)\s*\(')
WORD = re.compile(r'[A-Za-z_]\w*')
LIBRARIES = ('src/libpapi.so', 'src/sde/libsde.so')
# Exported for another part of this project, and in no public header.
BETWEEN_PARTS = {
    r'papi_agent_\w+': 'src/components/vpmu/agent.h',
    r'papi_sde_tools': 'src/sde/tools.h',
    # What 7.0 exports for its own libsde.
    r'papi_sde_(?:check_overflow_status|set_timer_for_overflow)': 'src/components/sde/sde.h',
}


def public_names(tree):
    """The names that public headers have, and all spellings of Fortran's."""
    names = set()
    for path in tree.select(('include/',), ('.h',)):
        names.update(WORD.findall(tree.bare(path)))
    for path in tree.select(('src/fortran/',), ('.c',)):
        for name in re.findall(r'^void (papif_\w+)_\(', tree.bare(path), re.M):
            names.update((name, name + '_', name + '__', name.upper(), 'PAPIF_' + name[6:]))
    return names


def exported_names(tree, library):
    """What a library of the build exports."""
    path = os.path.join(tree.needs_build(), library)
    if not os.path.exists(path):
        raise Skipped(f'there is no {path}: build first')
    listed = subprocess.run(['nm', '-D', '--defined-only', path], capture_output=True, check=True, text=True).stdout
    return [line.split()[-1].split('@')[0] for line in listed.splitlines()]


def exported_between_parts(tree):
    """All names that are exported for another part of this project."""
    return {name for pattern, header in BETWEEN_PARTS.items()
            for name in re.findall(rf'\b{pattern}\b', tree.bare(header))}


def exports(tree):
    """What a library exports is in a public header."""
    declared = public_names(tree) | exported_between_parts(tree)
    for library in LIBRARIES:
        for name in exported_names(tree, library):
            if name not in declared:
                yield Finding('include/papi.h', 1, f'{name} is exported by {library} and in no public header: make it '
                              'hidden, or declare it')


def definitions(tree, path):
    """The functions of a file: name, line, words of the body, begins by itself; and the file without them."""
    bare = tree.bare(path)
    found = []
    for function in DEFINITION.finditer(bare):
        head = ATTRIBUTE.sub('', function['head'])
        name = NAME.search(head)
        if name:
            found.append((name[1], tree.line_of(path, function.start() + function['head'].rfind(name[1] + '(')),
                          set(WORD.findall(function['body'])), BY_OTHERS.search(function['head'])))
    return found, DEFINITION.sub(' ', bare)


def words_outside(text, path):
    """The names that a file's macros and tables use: not those that it only declares."""
    if path.endswith('.S'):
        return set(WORD.findall(text))
    used = {word for macro in MACRO.findall(text) for word in WORD.findall(macro)}
    text = ATTRIBUTE.sub('', MACRO.sub('', text))
    return used | (set(WORD.findall(text)) - set(NAME.findall(text))) | set(WORD.findall(' '.join(
        re.findall(r'=\s*\{.*?^\};', text, re.M | re.S))))


def nobody_calls(tree):
    """Every function is reached from a program, a library's interface or a table of functions."""
    functions, reached = {}, {'main', *public_names(tree), *exported_between_parts(tree)}
    for path in tree.select(('src/', 'tools/'), C_FILES):
        found, rest = definitions(tree, path)
        reached |= words_outside(rest, path)
        for name, line, body, by_itself in found:
            functions.setdefault(name, []).append((path, line, body))
            reached |= {name} if by_itself else set()
    waiting = list(reached & functions.keys())
    while waiting:
        for _, _, body in functions[waiting.pop()]:
            new = (body & functions.keys()) - reached
            reached |= new
            waiting += new
    for name in sorted(functions.keys() - reached):
        for path, line, _ in functions[name]:
            yield Finding(path, line, f'{name} is called by nobody but tests: delete it, or move it to the tests')
