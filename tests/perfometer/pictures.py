#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PAPI_TOOLS=build/tools pictures.py DIRECTORY: the pictures of doc/perfometer.md, of a program that never ran.

perfometer.png and, to be looked at, perfometer-dark.png.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools"), os.path.join(HERE, "..", "profile")]

import browser  # noqa: E402
import harness  # noqa: E402
import recordings  # noqa: E402


def take(page, picture, dark):
    # The window of a browser has its own borders.
    window = browser.Browser(1280, 943, dark)
    try:
        window.open(page)
        window.settle()
        box = window.run("const box = document.querySelector('.u-over').getBoundingClientRect();"
                         "return [box.left - lanes.getBoundingClientRect().left, box.width]")
        window.point("#lanes", box[0] + box[1] * 0.55, 130)
        window.settle()
        window.picture(picture)
    finally:
        window.close()


def main():
    directory = sys.argv[1]
    with tempfile.TemporaryDirectory() as work:
        recording, page = os.path.join(work, "recording.jsonl"), os.path.join(work, "page.html")
        with open(recording, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in recordings.picture(with_marks=False).lines()))
        with open(page, "w", encoding="utf-8") as file:
            file.write(harness.run("perfometer", "page", recording).stdout)
        take(page, os.path.join(directory, "perfometer.png"), False)
        take(page, os.path.join(directory, "perfometer-dark.png"), True)


if __name__ == "__main__":
    main()
