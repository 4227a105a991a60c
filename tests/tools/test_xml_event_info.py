# SPDX-License-Identifier: BSD-3-Clause
"""papi_xml_event_info: the document against its schema, its content against the other utilities, and odd bytes."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import harness

SCHEMA = os.path.join(os.environ["PAPI_TOOLS_SOURCE"], "papi_xml_event_info.rng")
TOOL = os.path.join(harness.TOOLS, "papi_xml_event_info")


def run(*arguments, **variables):
    """As bytes: what the document holds is what is tested."""
    return subprocess.run([TOOL, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                          env={**os.environ, **variables})


def validate(document):
    """What xmllint has to say against it; "" when it is valid."""
    result = subprocess.run(["xmllint", "--noout", "--nonet", "--relaxng", SCHEMA, "-"], input=document,
                            capture_output=True, timeout=60)
    return "" if result.returncode == 0 else result.stderr.decode(errors="replace")


@unittest.skipUnless(shutil.which("xmllint"), "xmllint is missing (package libxml2-utils)")
class SchemaTest(harness.ToolTest):
    def test_documents_are_valid(self):
        for arguments in ([], ["-n"], ["-p"], ["-n", "-p"], ["-c", "1"], ["-c", "0", "-p"], ["rusage:::minflt"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(validate(result.stdout), "", arguments)

    def test_the_schema_notices(self):
        document = run("-c", "1", "-n").stdout
        for old, new in ((b"<eventinfo>", b"<eventinfo><x/>"), (b' desc="', b' text="'),
                         (b'type="NATIVE"', b'type="OTHER"'),
                         (b'<threads value="', b'<threads value="x'), (b'index="0"', b'index="-1"'),
                         (b"<hardware>", b"<hardware><threads/>"), (b"</component>", b"")):
            self.assertIn(old, document)
            self.assertNotEqual(validate(document.replace(old, new, 1)), "", new)

    def test_odd_names_are_valid(self):
        result = odd_names()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(validate(result.stdout), "")


def odd_names():
    """The document of a machine whose kernel and whose table of presets have names of all sorts of bytes."""
    with tempfile.TemporaryDirectory() as root:
        events = os.fsencode(root) + b"/sys/bus/event_source/devices/odd/events/"
        os.makedirs(events)
        with open(os.path.dirname(os.path.dirname(events)) + b"/type", "wb") as file:
            file.write(b"99\n")
        for name in (b"a<b>&\"'c", b"\xff\xfe", b"caf\xc3\xa9", b"tab\tline\n", b"bell\x07", b"\xed\xa0\x80",
                     b"\xef\xbf\xbf", b"]]>", b"\xf0\x9f\x90\xa7"):
            with open(events + name, "wb") as file:
                file.write(b"config=1\n")
        table = os.path.join(root, "table.csv")
        with open(table, "wb") as file:
            file.write(b"CPU,generic\nEVENT,PAPI_TOT_INS,DERIVED_POSTFIX,N0|N1|+|,perf::PAGE-FAULTS,rusage:::minflt,"
                       b"NOTE,'less < more & \xff\x01 <![CDATA['\n")
        return run(PAPI_ROOT=root, PAPI_CSV_EVENT_FILE=table)


class XmlTest(harness.ToolTest):
    def document(self, *arguments, **variables):
        result = run(*arguments, **variables)
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.returncode, 0)
        return ElementTree.fromstring(result.stdout)

    def names(self, document, kind):
        return [event.get("name") for event in document.findall(f"component/eventset[@type='{kind}']/event")]

    def test_natives_are_those_of_papi_native_avail(self):
        listed = re.findall(r"^\| (\S.*?) *\|$", self.output_of("papi_native_avail", "--noqual"), re.M)
        document = self.document("-n")
        self.assertEqual([name[:76] for name in self.names(document, "NATIVE")], [name[:76] for name in listed])
        self.assertEqual(self.names(document, "PRESET"), [])
        self.assertEqual(document.findall("component/eventset[@type='PRESET']"), [])

    def test_masks(self):
        document = self.document("-n")
        listed = re.findall(r"^\|     (:\S+) *\|$", self.output_of("papi_native_avail"), re.M)
        modifiers = document.findall("component/eventset/event/modifier")
        self.assertEqual(len(modifiers), len(listed))
        for modifier, mask in zip(modifiers, listed):
            self.assertTrue(modifier.get("name").endswith(mask), (modifier.get("name"), mask))

    def test_presets_are_those_of_papi_avail(self):
        listed = re.findall(r"^(PAPI_\w+) +0x", self.output_of("papi_avail", "-a"), re.M)
        self.assertEqual(sorted(self.names(self.document("-p"), "PRESET")), sorted(listed))

    def test_a_preset(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
            table.write("CPU,generic\nEVENT,PAPI_TOT_INS,DERIVED_ADD,rusage:::minflt,rusage:::majflt\n")
            table.flush()
            document = self.document("-p", PAPI_CSV_EVENT_FILE=table.name)
        found = document.findall("component/eventset/event")
        self.assertEqual(len(found), 1, "a preset is listed once, with the component that counts it")
        self.assertEqual(found[0].attrib["name"], "PAPI_TOT_INS")
        self.assertEqual(found[0].attrib["derived"], "DERIVED_ADD")
        self.assertEqual(found[0].attrib["index"], str(0x32))
        self.assertEqual([native.get("name") for native in found[0]], ["rusage:::minflt", "rusage:::majflt"])
        self.assertEqual([component.get("id") for component in document.findall("component")
                          if component.find("eventset/event") is not None], ["rusage"])

    def test_one_component(self):
        document = self.document("-c", "1")
        self.assertEqual([component.get("id") for component in document.findall("component")], ["rusage"])
        self.assertIn("rusage:::minflt", self.names(document, "NATIVE"))

    def test_with_events(self):
        document = self.document("rusage:::minflt", "rusage:::majflt", "-c", "1")
        names = self.names(document, "NATIVE")
        self.assertNotIn("rusage:::minflt", names)
        self.assertNotIn("rusage:::majflt", names)
        self.assertEqual(len(names), 7)
        # An event keeps its index.
        self.assertEqual(document.find("component/eventset/event[@name='rusage:::inblock']").get("index"), "4")

    def test_odd_names(self):
        result = odd_names()
        self.assertEqual(result.stderr, b"")
        text = result.stdout.decode("utf-8", errors="strict")
        names = self.names(ElementTree.fromstring(text.encode()), "NATIVE")
        for name in ("odd/a<b>&\"'c/", "odd/\ufffd\ufffd/", "odd/caf\u00e9/", "odd/tab\tline\n/", "odd/bell\ufffd/",
                     "odd/\ufffd\ufffd\ufffd/", "odd/\ufffd/", "odd/]]>/", "odd/\U0001f427/"):
            self.assertIn(name, names)
        self.assertIn("less &lt; more &amp; ?? &lt;![CDATA[", text)

    def test_refused(self):
        for arguments, words in ((["-c", "99"], ["-c takes a number from 0 to"]), (["-c", "x"], ["'x'"]),
                                 (["-c"], ["requires an argument"]),
                                 (["--nonsense"], ["--nonsense", "Try"])):
            self.assert_refused(harness.run("papi_xml_event_info", *arguments), 2, *words)
        for event in ("nonsense", "", "rusage:::nothing"):
            result = harness.run("papi_xml_event_info", event)
            self.assert_refused(result, 1, "papi_xml_event_info: ")
            self.assertEqual(result.stdout, "", "no beginning of a document")
        self.assert_refused(harness.run("papi_xml_event_info", "rusage:::minflt", "rusage:::minflt"), 1, "already")

    def test_outputs_that_end(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([TOOL], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)
        result = subprocess.run(["sh", "-c", 'set -e; "$0" | head -n 1', TOOL], capture_output=True, text=True,
                                timeout=60)
        self.assertEqual((result.stdout, result.stderr), ('<?xml version="1.0" encoding="UTF-8"?>\n', ""))


if __name__ == "__main__":
    harness.main()
