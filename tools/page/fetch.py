#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fetch.py DIRECTORY: what draws the page of perfometer, uPlot, from the npm registry; pinned by version and hash.

Puts the files that the page takes into DIRECTORY/uplot, once, and prints that. What stands in the way is told on the
error stream: the page is left out then.
"""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = 'uplot@1.6.32'
# Of the registry's archive, as lock files of npm have it.
HASH = 'sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=='
FILES = {'package/dist/uPlot.iife.min.js': 'uplot.js', 'package/dist/uPlot.min.css': 'uplot.css',
         'package/LICENSE': 'LICENSE'}
SECONDS = 60


def fetch(work):
    """The archive, out of npm's cache if it is there."""
    try:
        result = subprocess.run(['npm', 'pack', '--loglevel=error', '--prefer-offline', '--fetch-retries=0',
                                 '--fetch-timeout=20000', '--ignore-scripts', PACKAGE], cwd=work, timeout=SECONDS,
                                capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        sys.exit(f'npm is missing, which fetches {PACKAGE} (Debian package npm)')
    except subprocess.TimeoutExpired:
        sys.exit(f'npm did not fetch {PACKAGE} within {SECONDS} s')
    found = [name for name in os.listdir(work) if name.endswith('.tgz')]
    if result.returncode or len(found) != 1:
        lines = [line for line in result.stderr.splitlines() if line.lower().startswith('npm err')]
        sys.exit(f'npm could not fetch {PACKAGE}: {ascii(lines[0])[1:-1] if lines else "it does not say why"}')
    return os.path.join(work, found[0])


def unpack(archive, into):
    """The files that are wanted, if the archive is the one that is meant."""
    with open(archive, 'rb') as file:
        digest = 'sha512-' + base64.b64encode(hashlib.sha512(file.read()).digest()).decode()
    if digest != HASH:
        sys.exit(f'{PACKAGE} is another file than it was: {digest} instead of {HASH}')
    with tarfile.open(archive) as packed:
        for name, wanted in FILES.items():
            with packed.extractfile(name) as source, open(os.path.join(into, wanted), 'wb') as target:
                shutil.copyfileobj(source, target)


def main():
    directory = sys.argv[1]
    target = os.path.join(directory, 'uplot')
    if not os.path.isdir(target):
        os.makedirs(directory, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory) as work:
            ready = os.path.join(work, 'uplot')
            os.mkdir(ready)
            unpack(fetch(work), ready)
            os.rename(ready, target)
    print(target)


if __name__ == '__main__':
    main()
