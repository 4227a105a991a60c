#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds up meson's test logs: says why tests were skipped, names what failed, shows how each of these ended, and closes
with one line of totals. What failed comes last, for of a long output often only the end is kept.

The exit status is 1 when something failed, when a log is missing or empty, or when nothing passed.
"""
import argparse
import json
import re
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}
MOST = 15  # lines of a failure
LEAST = 5  # where many have failed
ALL = 26  # lines of all failures, if each has its least
WIDTH = 200
# Of what says where a test went wrong: its own word, cmocka's, a sanitizer's, Python's or assert()'s.
TELLING = re.compile(r'\W*(fail|failed|error|timeout)\b|\S*(error|exception)\b|.*\bassertion\b|==\d+==', re.IGNORECASE)
AFTER = 2  # lines that belong to such a one
# Separates only, or repeats that there was a failure.
EMPTY = re.compile(r'[\s=~_\u2015-]*$|Ran \d+ tests? in |FAILED \([\w=, ]*\)$')


def read_log(path):
    """The results in one testlog.json, which holds a JSON object per line; and why there are none."""
    try:
        with open(path, encoding='utf-8') as log:
            return [json.loads(line) for line in log if line.strip()], f'{path} is empty'
    except (OSError, ValueError) as error:
        return [], f'{path}: {error}'


def lines_of(text):
    """Those that say something. Each stays one line, and moves nothing on a terminal."""
    return [shown(line) for line in text.replace('\r\n', '\n').split('\n') if not EMPTY.match(line)]


def shown(line):
    line = ''.join(char if char.isprintable() else f'\\x{ord(char):02x}' if ord(char) < 256 else f'\\u{ord(char):04x}'
                   for char in line.rstrip().expandtabs(4))
    return line if len(line) <= WIDTH else line[:WIDTH - 4] + ' ...'


def reason(lines):
    """The last line that a test printed: by the rule of the house, why it was skipped."""
    return lines[-1].strip() if lines else 'no reason given'


def ending(lines, number):
    """So many lines: the last ones; where these do not say what was wrong, the lines that do come before them."""
    if any(TELLING.match(line) for line in lines[-number:]):
        return lines[-number:]
    told = []
    for place in reversed([place for place, line in enumerate(lines[:-number]) if TELLING.match(line)]):
        if len(told) > number // 3:
            break
        told = [at for at in range(place, place + 1 + AFTER) if at not in told and at < len(lines)] + told
    rest = range(max(0, len(lines) - number + len(told)), len(lines))
    return [lines[place] for place in [*told, *(place for place in rest if place not in told)]]


def show_failures(failures):
    """Each of (name, lines): as much of it as leaves room for the others."""
    number = max(LEAST, min(MOST, ALL // max(1, len(failures)) - 1))
    for name, lines in failures:
        print(f'failed:  {name}')
    for name, lines in failures:
        print(f'---- {name}')
        for line in ending(lines, number) or ['it says nothing']:
            print(f'  {line}')


def read_output(folder, name):
    """What was said by what has no log, such as a build."""
    try:
        with open(f'{folder}/{name}.output', encoding='utf-8', errors='replace') as file:
            return lines_of(file.read())
    except OSError as error:
        return [str(error)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--passed', type=int, default=0, help='what passed outside the logs, such as analyses')
    parser.add_argument('--failed', action='append', default=[], help='what failed outside the logs, such as a build')
    parser.add_argument('--skipped', type=int, default=0, help='skips outside the logs')
    parser.add_argument('--outputs', default='.', help='where NAME.output is what that has said')
    parser.add_argument('logs', nargs='*')
    arguments = parser.parse_args()
    sys.stdout.reconfigure(errors='backslashreplace')
    passed, skipped = arguments.passed, arguments.skipped
    failures = [(name, read_output(arguments.outputs, name)) for name in arguments.failed]
    for path in arguments.logs:
        directory = path.split('/')[0]
        results, why = read_log(path)
        if not results:
            failures.append((f'{directory}: no test ran', [why]))
        for result in results:
            lines = lines_of(result.get('stdout', '') + '\n' + result.get('stderr', ''))
            if result['result'] in PASSED:
                passed += 1
            elif result['result'] in SKIPPED:
                skipped += 1
                print(f'skipped: {directory}: {result["name"]}: {reason(lines)}')
            else:
                failures.append((f'{directory}: {result["name"]} ({result["result"]})', lines))
    show_failures(failures)
    print(f'{passed} passed, {len(failures)} failed, {skipped} skipped')
    return 1 if failures or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
