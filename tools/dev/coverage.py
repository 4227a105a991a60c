# SPDX-License-Identifier: BSD-3-Clause
"""The summary of gcovr (FILE) of a part of the sources (NAME) as a table: files below the marks, by how much is left;
then the sum. Status 1 below a mark."""
import json
import sys

LINES, BRANCHES = 90.0, 80.0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        summary = json.load(file)
    below = [one for one in summary["files"]
             if one["line_percent"] < LINES or (one["branch_percent"] or 100) < BRANCHES]
    below.sort(key=lambda one: one["line_covered"] - one["line_total"])
    if below:
        print(f"{'file':<52} {'lines':>7} {'left':>5} {'branches':>8}")
    for one in below:
        branches = one["branch_percent"]
        print(f"{one['filename']:<52} {one['line_percent']:6.1f}% {one['line_total'] - one['line_covered']:>5} "
              f"{'-' if branches is None else f'{branches:7.1f}%':>8}")
    lines, branches = summary["line_percent"], summary["branch_percent"]
    print(f"\n{sys.argv[2]}: {lines:.1f} % of {summary['line_total']} lines (at least {LINES:.0f}), "
          f"{branches:.1f} % of {summary['branch_total']} branches (at least {BRANCHES:.0f})")
    sys.exit(0 if lines >= LINES and branches >= BRANCHES else 1)


main()
