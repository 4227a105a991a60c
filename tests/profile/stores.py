# SPDX-License-Identifier: BSD-3-Clause
"""Stores of papi_profile, written by the schema of doc/profiles.md, and programs for them to be about."""
import datetime
import json
import os
import re
import shutil
import sqlite3
import subprocess

APPLICATION = 0x50415049
SCHEMA = """
CREATE TABLE run (command TEXT, directory TEXT, started TEXT, seconds REAL, machine TEXT, kernel TEXT, version TEXT,
                  source TEXT, status INTEGER, lost INTEGER);
CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT, native TEXT, unit TEXT, kind TEXT, period INTEGER,
                    frequency INTEGER, user INTEGER, kernel INTEGER, note TEXT);
CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, parent INTEGER, name TEXT, command TEXT);
CREATE TABLE thread (id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, name TEXT);
CREATE TABLE module (id INTEGER PRIMARY KEY, path TEXT, build_id TEXT, kind TEXT, process INTEGER);
CREATE TABLE address (id INTEGER PRIMARY KEY, module INTEGER, offset INTEGER, UNIQUE (module, offset));
CREATE TABLE context (id INTEGER PRIMARY KEY, parent INTEGER, address INTEGER);
CREATE TABLE count (thread INTEGER, event INTEGER, context INTEGER, address INTEGER, samples INTEGER, value INTEGER,
                    PRIMARY KEY (thread, event, context, address));
CREATE TABLE function (id INTEGER PRIMARY KEY, module INTEGER, name TEXT, linkage TEXT, low INTEGER, high INTEGER,
                       file TEXT, line INTEGER);
CREATE TABLE location (address INTEGER, depth INTEGER, function INTEGER, file TEXT, line INTEGER,
                       PRIMARY KEY (address, depth));
"""


class Store:
    """A store that is being written."""

    def __init__(self, path, events=("TEST_CYC",), unit="", kind="sampled", lost=0):
        self.path = path
        self.base = sqlite3.connect(path)
        self.base.executescript(SCHEMA)
        self.base.execute(f"PRAGMA application_id = {APPLICATION}")
        self.base.execute("PRAGMA user_version = 1")
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        self.insert("run", json.dumps(["./program", "-n", "3"]), "/tmp", now.strftime("%Y-%m-%dT%H:%M:%SZ"), 1.5,
                    os.uname().machine, os.uname().release, "7.0.0.0", "sampled", 0, lost)
        for i, name in enumerate(events):
            self.insert("event", i + 1, name, name, unit, kind, 1000, None, 1, 0, None)
        self.insert("process", 1, 4711, None, "program", None)
        self.insert("thread", 1, 1, 4711, "program")
        self.known = {}

    def insert(self, table, *values):
        self.base.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    def number(self, table, key, *values):
        """The id of a row, which is written when its key is new."""
        if (table, key) not in self.known:
            self.known[table, key] = 1 + sum(known[0] == table for known in self.known)
            self.insert(table, self.known[table, key], *values)
        return self.known[table, key]

    def module(self, path, build_id=None, kind="file", process=None):
        return self.number("module", (path, build_id, kind, process), path, build_id, kind, process)

    def address(self, module, offset):
        return self.number("address", (module, offset), module, offset)

    def context(self, *addresses):
        """The path of the callers' addresses, from the outermost on; 0 without any."""
        parent = None
        for address in addresses:
            parent = self.number("context", (parent, address), parent, address)
        return parent or 0

    def count(self, address, samples, context=0, event=1, thread=1, period=1000):
        self.insert("count", thread, event, context, address, samples, samples * period)

    def call(self, site, callee, calls, value, event=1, thread=1):
        """Exact profiles have them, since the second version of the schema."""
        self.base.execute("CREATE TABLE IF NOT EXISTS call (thread INTEGER, event INTEGER, site INTEGER, "
                          "callee INTEGER, calls INTEGER, value INTEGER, PRIMARY KEY (thread, event, site, callee))")
        self.base.execute("PRAGMA user_version = 2")
        self.insert("call", thread, event, site, callee, calls, value)

    def close(self):
        self.base.commit()
        self.base.close()
        return self.path


def compiler(language="c"):
    """A compiler, or None."""
    for name in ("cc", "gcc", "clang") if language == "c" else ("c++", "g++", "clang++"):
        if shutil.which(name):
            return name
    return None


def compile_program(directory, name, text, *options, language="c"):
    """A program of this text."""
    source = os.path.join(directory, name + (".c" if language == "c" else ".cc"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.join(directory, name)
    subprocess.run([compiler(language), "-o", program, source, *options], check=True, timeout=120)
    return program


def symbols(program, *options):
    """Name: (address, size), by nm."""
    listed = subprocess.run(["nm", "-S", *options, program], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) \w (.+)$", listed, re.M)
    return {name: (int(address, 16), int(size, 16)) for address, size, name in found}


def build_id(program):
    """In digits, by readelf."""
    notes = subprocess.run(["readelf", "-n", program], check=True, capture_output=True, text=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes)[1]


def instructions(program, name):
    """The addresses of a function's instructions, by objdump."""
    address, size = symbols(program)[name]
    listed = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={address}",
                             f"--stop-address={address + size}", program], check=True, capture_output=True,
                            text=True).stdout
    return [int(found, 16) for found in re.findall(r"^ +([0-9a-f]+):\t", listed, re.M)]
