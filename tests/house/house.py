#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the house, kept by a machine.

    house.py TREE [BUILD] [--rule NAME]...

Prints "file:line: what is wrong and what to do" for everything that breaks a rule, and exits with 1 if there was any.
Rules that look at objects need the BUILD of the tree.
"""
import argparse
import sys

import arrows
import counts
import documents
import functions
import texts
from tree import Skipped, Tree

RULES = {rule.__name__: rule for rule in (
    arrows.arrows,
    texts.layout,
    texts.columns,
    texts.words,
    functions.exports,
    functions.nobody_calls,
    documents.names_of_files,
    documents.environment,
    counts.numbers,
)}


def findings_of(tree, name):
    """What breaks a rule; None when the rule cannot be looked at here, which is said."""
    try:
        return list(RULES[name](tree))
    except Skipped as reason:
        print(f'{name}: skipped: {reason}')
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('tree')
    parser.add_argument('build', nargs='?')
    parser.add_argument('--rule', action='append', choices=RULES, help='only this one; may be repeated')
    arguments = parser.parse_args()
    tree = Tree(arguments.tree, arguments.build)
    wrong = 0
    for name in arguments.rule or RULES:
        findings = findings_of(tree, name)
        if findings is not None:
            print(*(f'{finding} [{name}]' for finding in findings), sep='\n', end='\n' if findings else '')
            wrong += len(findings)
    print(f'{len(arguments.rule or RULES)} rules, {wrong} findings')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
