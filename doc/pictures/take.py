#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes the pictures of doc/stories.md: take.py SOURCE_ROOT BUILD_ROOT [DIRECTORY]

Runs the commands that the stories show, up to the page of each, opens that in Chromium without a screen, selects the
function that the story is about, and writes what is seen to DIRECTORY, doc/pictures if none is named.
"""
import os
import re
import subprocess
import sys
import tempfile

# The page that the story writes, the function that is clicked, the picture, and whether it is dark, with instructions
# instead of source.
PICTURES = (("mm.html", "multiply", "multiply.png", False),
            ("unique.html", "PyUnicode_RichCompare", "unique.png", True))


def commands(document):
    """What a reader would type; files that are shown are written."""
    with open(document, encoding="utf-8") as file:
        lines = [line[4:] for line in file.read().split("\n") if line.startswith("    ") or not line]
    script = ["set -e"]
    for number, line in enumerate(lines):
        shown = re.fullmatch(r"\$ cat (\S+)", line)
        if shown:
            end = next(i for i in range(number + 1, len(lines)) if lines[i].startswith("$ "))
            script += [f"cat > {shown[1]} <<'END'", *lines[number + 1:end], "END"]
        elif line.startswith("$ "):
            script.append(line[2:])
        elif number and lines[number - 1].endswith("\\"):
            script.append(line)
    return "\n".join(script) + "\n"


def take(browser, page, function, picture, dark):
    """One picture."""
    window = browser.Browser(1280, 860, dark)
    try:
        window.open(page)
        window.settle()
        window.run("[...document.querySelectorAll('#function-list .row')].find(row => "
                   "row.textContent.includes(arguments[0])).click()", function)
        window.settle()
        if dark:
            window.click("#to-code")
        window.picture(picture)
    finally:
        window.close()


def main():
    source, build = map(os.path.abspath, sys.argv[1:3])
    to = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else os.path.join(source, "doc/pictures")
    sys.path.insert(0, os.path.join(source, "tests/profile"))
    import browser  # pylint: disable=import-outside-toplevel,import-error

    if browser.missing():
        sys.exit("take.py: " + browser.missing())
    environment = {**os.environ, "PATH": f"{build}/tools:/usr/bin:{os.environ['PATH']}",
                   "LD_LIBRARY_PATH": f"{build}/src"}
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["bash", "-c", commands(os.path.join(source, "doc/stories.md"))], cwd=directory, check=True,
                       env=environment, stdout=subprocess.DEVNULL)
        for page, function, picture, dark in PICTURES:
            take(browser, os.path.join(directory, page), function, os.path.join(to, picture), dark)


if __name__ == "__main__":
    main()
