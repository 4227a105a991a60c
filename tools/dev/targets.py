# SPDX-License-Identifier: BSD-3-Clause
"""The files that a build must make for the tests of one suite: targets.py BUILD SUITE"""
import json
import os
import subprocess
import sys


def introspect(build, what):
    result = subprocess.run(["meson", "introspect", what, build], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def main():
    build, suite = os.path.abspath(sys.argv[1]), sys.argv[2]
    made = {target["id"]: target["filename"] for target in introspect(build, "--targets")}
    wanted = set()
    for test in introspect(build, "--tests"):
        # A suite is "project:suite".
        if suite not in [name.split(":")[-1] for name in test["suite"]]:
            continue
        wanted.update(file for name in test["depends"] for file in made.get(name, []))
        wanted.update(word for word in test["cmd"][:1] if word.startswith(build + os.sep))
    print("\n".join(sorted(os.path.relpath(file, build) for file in wanted)))


main()
