#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""embed.py [--library SCRIPT.js STYLE.css LICENSE] NAME HEADER page.html page.css MODULE.js... OUTPUT.c

A page as two strings in C, NAME_begin and NAME_end, around its data. The modules become one script, in the order in
which they are given: each may import from those before it. A library's script and style, with its license, come before
them. The page allows this script and this style by their hashes, and nothing else.
"""
import argparse
import base64
import hashlib
import re
import sys

IMPORT = re.compile(r"^import (\{[^}]*\}) from '\./(\w+)\.js';\n", re.M)
EXPORT = re.compile(r'^export ((?:(?:async )?function|const|class) (\w+))', re.M)


def bundle(paths):
    """One script of all modules. Each is a function, which is called once and gives what the module exports."""
    parts, seen = [], set()
    for path in paths:
        name = re.search(r'(\w+)\.js$', path)[1]
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for _, wanted in IMPORT.findall(text):
            if wanted not in seen:
                sys.exit(f'{path}: {wanted} has to come before it')
        seen.add(name)
        exports = ', '.join(found[1] for found in EXPORT.findall(text))
        text = EXPORT.sub(r'\1', IMPORT.sub(r'const \1 = module_\2;\n', text))
        if re.search(r'^(?:import|export)\b', text, re.M):
            sys.exit(f'{path}: an import or export has a form that embed.py does not know')
        parts.append(f'const module_{name} = (() => {{\n{text}\nreturn {{ {exports} }};\n}})();\n')
    return '\n' + '\n'.join(parts)


def digest(text):
    """As Content-Security-Policy has it."""
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def string(name, text):
    """A text as a string in C."""
    lines = [line.replace('\\', '\\\\').replace('"', '\\"').replace('?', '\\?') for line in text.split('\n')]
    return f'const char {name}[] =\n\t"' + '\\n"\n\t"'.join(lines) + '";\n'


def text_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--library', nargs=3)
    parser.add_argument('name')
    parser.add_argument('header')
    parser.add_argument('html')
    parser.add_argument('css')
    parser.add_argument('modules', nargs='+')
    parser.add_argument('output')
    given = parser.parse_args()
    html, page = given.html, text_of(given.html)
    style = '\n' + text_of(given.css)
    script = bundle(given.modules)
    if given.library:
        library, library_style, license_text = map(text_of, given.library)
        notice = f'/*!\n{license_text.replace("*/", "* /").strip()}\n*/\n'
        script = '\n' + notice + library + script
        style = '\n' + notice + library_style + style
    if '</' in script + style:
        sys.exit('"</" would end the script or the style')
    for mark, text in (('@STYLE_HASH@', digest(style)), ('@SCRIPT_HASH@', digest(script)), ('@STYLE@', style),
                       ('@SCRIPT@', script)):
        before, found, after = page.partition(mark)
        if not found:
            sys.exit(f'{html}: there is no {mark}')
        page = before + text + after
    begin, found, end = page.partition('@DATA@')
    if not found:
        sys.exit(f'{html}: there is no @DATA@')
    with open(given.output, 'w', encoding='ascii', errors='strict') as file:
        file.write(f'/* Made by embed.py. */\n#include "{given.header}"\n\n' + string(given.name + '_begin', begin) +
                   '\n' + string(given.name + '_end', end))


if __name__ == '__main__':
    main()
