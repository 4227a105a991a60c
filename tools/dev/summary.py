#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds up meson's test logs: says why tests were skipped, names the failed ones, and closes with one line of totals.

The exit status is 1 when a test failed, when a log is missing or empty, or when nothing passed.
"""
import argparse
import json
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP'}


def read_log(path):
    """The results in one testlog.json, which holds a JSON object per line."""
    try:
        with open(path, encoding='utf-8') as log:
            return [json.loads(line) for line in log if line.strip()]
    except (OSError, ValueError) as error:
        print(f'check: {path}: {error}')
        return []


def reason(result):
    """The last line that a test printed: by the rule of the house, why it was skipped."""
    lines = (result.get('stdout', '') + '\n' + result.get('stderr', '')).split('\n')
    lines = [line for line in lines if line.strip()]
    return lines[-1].strip() if lines else 'no reason given'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--passed', type=int, default=0, help='what passed outside the logs, such as analyses')
    parser.add_argument('--failed', type=int, default=0, help='failures outside the logs, such as builds')
    parser.add_argument('--skipped', type=int, default=0, help='skips outside the logs')
    parser.add_argument('logs', nargs='*')
    arguments = parser.parse_args()
    passed, failed, skipped = arguments.passed, arguments.failed, arguments.skipped
    for path in arguments.logs:
        directory = path.split('/')[0]
        results = read_log(path)
        if not results:
            print(f'failed:  {directory}: no test ran')
            failed += 1
        for result in results:
            if result['result'] in PASSED:
                passed += 1
            elif result['result'] in SKIPPED:
                skipped += 1
                print(f'skipped: {directory}: {result["name"]}: {reason(result)}')
            else:
                failed += 1
                print(f'failed:  {directory}: {result["name"]} ({result["result"]})')
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
