# SPDX-License-Identifier: BSD-3-Clause
"""papi_decode: the definitions it writes, and that PAPI_encode_events reads the same definitions back."""
import csv
import os
import platform
import re
import tempfile
import unittest

import harness

TITLE = "name,derived,postfix,short_descr,long_descr,note,[native,...]"
ENCODE_FIRST = os.path.join(os.environ["PAPI_TEST_PRELOADS"], "libencode_first.so")
FOUR_COUNTERS = os.path.join(os.environ["PAPI_TEST_PRELOADS"], "libfour_counters.so")

# A line of a definition file, and what it is decoded to. The events can be counted on any machine.
DEFINITIONS = [
    ('PRESET,PAPI_L1_DCM,DERIVED_CMPD,perf::CS,perf::CPU-MIGRATIONS',
     'PAPI_L1_DCM,DERIVED_CMPD,,"L1D cache misses","Level 1 data cache misses",,perf::CS,perf::CPU-MIGRATIONS'),
    ('PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::MINOR-FAULTS,perf::MAJOR-FAULTS',
     'PAPI_TOT_INS,DERIVED_ADD,,"Instr completed","Instructions completed",,perf::MINOR-FAULTS,perf::MAJOR-FAULTS'),
    ('PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK,NOTE,"nanoseconds, not cycles"',
     'PAPI_TOT_CYC,NOT_DERIVED,,"Total cycles","Total cycles","nanoseconds, not cycles",perf::TASK-CLOCK'),
    # Texts with quotes in them, commas, and all that is special elsewhere in the line.
    ("PRESET,PAPI_FP_OPS,DERIVED_SUB,perf::PAGE-FAULTS,perf::CS,"
     """SDESC,'some "FP", really',LDESC,"it's ""#1"", or so",NOTE,' '""",
     '''PAPI_FP_OPS,DERIVED_SUB,,"some ""FP"", really","it's ""#1"", or so"," ",perf::PAGE-FAULTS,perf::CS'''),
    ('PRESET,PAPI_SP_OPS,DERIVED_POSTFIX,N0|4|*|N1|+|,perf::PAGE-FAULTS,perf::CS,SDESC,SP,LDESC,Four times',
     'PAPI_SP_OPS,DERIVED_POSTFIX,N0|4|*|N1|+|,"SP","Four times",,perf::PAGE-FAULTS,perf::CS'),
    ('PRESET,PAPI_DP_OPS,DERIVED_INFIX,N0 * (N1 - 1) / 2,perf::PAGE-FAULTS,perf::CS,SDESC,DP,LDESC,Half',
     'PAPI_DP_OPS,DERIVED_INFIX,N0 * (N1 - 1) / 2,"DP","Half",,perf::PAGE-FAULTS,perf::CS'),
    # New presets. The kernel's form has commas of its own, which a spreadsheet would take for separators.
    ('PRESET,MY_KERNEL,DERIVED_ADD,software/config=0x2,config1=0/,software/config=3/,"software/config=2,config2=0/u"',
     'MY_KERNEL,DERIVED_ADD,,,,,"software/config=0x2,config1=0/",software/config=3/,"software/config=2,config2=0/u"'),
    ('PRESET,MY_SPACES,DERIVED_POSTFIX," N0|N1|+ ",perf::PAGE-FAULTS,perf::CS',
     'MY_SPACES,DERIVED_POSTFIX," N0|N1|+ ",,,,perf::PAGE-FAULTS,perf::CS'),
    ('PRESET,MY_PRESETS,DERIVED_SUB,PAPI_TOT_INS,MY_KERNEL,rusage:::minflt',
     'MY_PRESETS,DERIVED_SUB,,,,,PAPI_TOT_INS,MY_KERNEL,rusage:::minflt'),
    # Names that would be a word of the format, or open a comment, if they stood alone.
    ('PRESET,"#NOTE",NOT_DERIVED,perf::PAGE-FAULTS', '"#NOTE",NOT_DERIVED,,,,,perf::PAGE-FAULTS'),
    ('PRESET,NOTE,NOT_DERIVED,perf::PAGE-FAULTS', 'NOTE,NOT_DERIVED,,,,,perf::PAGE-FAULTS'),
    ('PRESET,MY_NOTE,DERIVED_ADD,"NOTE","#NOTE"', 'MY_NOTE,DERIVED_ADD,,,,,"NOTE","#NOTE"'),
    # A slash opens the kernel's form, which the next one would end.
    ('PRESET,"A/B",NOT_DERIVED,perf::CS', 'A/B,NOT_DERIVED,,,,,perf::CS'),
    ('PRESET,MY_SLASH,DERIVED_INFIX,N0/N1,"A/B",software/config=3/',
     'MY_SLASH,DERIVED_INFIX,N0/N1,,,,"A/B",software/config=3/'),
    ('PRESET,MY_MOST,DERIVED_ADD' + ",perf::PAGE-FAULTS" * 11, 'MY_MOST,DERIVED_ADD,,,,' + ",perf::PAGE-FAULTS" * 11),
]

# These need the clock rate of the CPU, which not every machine tells.
PER_SECOND = [
    ('PRESET,MY_IPS,DERIVED_PS,PAPI_TOT_CYC,PAPI_TOT_INS', 'MY_IPS,DERIVED_PS,,,,,PAPI_TOT_CYC,PAPI_TOT_INS'),
    ('PRESET,MY_SUM,DERIVED_ADD_PS,PAPI_TOT_CYC,perf::PAGE-FAULTS,perf::CS',
     'MY_SUM,DERIVED_ADD_PS,,,,,PAPI_TOT_CYC,perf::PAGE-FAULTS,perf::CS'),
]


def clock_rate_is_known():
    return re.search(r"^CPU Max MHz +: [1-9]", harness.run("papi_avail").stdout, re.M) is not None


class DefinitionsTest(harness.ToolTest):
    """Definition files, and what is decoded from them."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def file(self, name, content):
        path = os.path.join(self.directory.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def table(self, *lines):
        """The environment in which these lines of a definition file are all there is."""
        return {"PAPI_CSV_EVENT_FILE": self.file("table.csv", "".join(line + "\n" for line in lines))}

    def lines(self, output):
        """The definitions, without the title and the blank line."""
        first, blank, *lines = output.split("\n")
        self.assertEqual((first, blank), (TITLE, ""))
        # The last line ends too.
        self.assertEqual(lines.pop(), "")
        return lines

    def encoded(self, decoded, *options, environment=None, preloads=ENCODE_FIRST):
        """What a process decodes after it has read decoded definitions; it has no others if the table is empty."""
        return self.output_of("papi_decode", *options, environment={
            **(environment or self.table()), "LD_PRELOAD": preloads,
            "PAPI_TEST_DEFINITIONS": self.file("decoded.csv", decoded)})


class DecodeTest(DefinitionsTest):
    def test_every_kind_of_definition(self):
        definitions = DEFINITIONS + (PER_SECOND if clock_rate_is_known() else [])
        environment = self.table(*(line for line, _ in definitions))
        self.assertEqual(self.lines(self.output_of("papi_decode", "-a", environment=environment)),
                         [decoded for _, decoded in definitions])

    def test_encode_events_reads_it_back(self):
        decoded = self.output_of("papi_decode", "-a",
                                 environment=self.table(*(line for line, _ in DEFINITIONS + PER_SECOND)))
        self.assertGreaterEqual(len(self.lines(decoded)), len(DEFINITIONS))
        self.assertEqual(self.encoded(decoded, "-a"), decoded)

    def test_built_in_definitions_are_read_back(self):
        for options in ([], ["-a"]):
            decoded = self.output_of("papi_decode", *options)
            self.assertEqual(self.encoded(decoded, *options), decoded)

    @unittest.skipUnless(platform.machine() == "x86_64", "libpfm4 takes these CPUs for its own on x86-64 only")
    def test_definitions_for_other_cpus_are_read_back(self):
        for cpu, event in (("skl", "INST_RETIRED:ANY_P"), ("hsw", "INST_RETIRED:ANY_P"),
                           ("amd64_fam17h_zen2", "RETIRED_INSTRUCTIONS")):
            environment = {"LIBPFM_FORCE_PMU": cpu, "LD_PRELOAD": FOUR_COUNTERS}
            if harness.run("papi_avail", "-e", f"{cpu}::{event}", environment=environment).returncode != 0:
                self.skipTest(f"this libpapi is built without libpfm4, or libpfm4 without {cpu}")
            decoded = self.output_of("papi_decode", "-a", environment=environment)
            self.assertGreater(len(self.lines(decoded)), 20)
            self.assertEqual(self.encoded(decoded, "-a", environment={**environment, **self.table()},
                                          preloads=f"{FOUR_COUNTERS} {ENCODE_FIRST}"), decoded)

    def test_what_is_read_back_replaces(self):
        environment = self.table("PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::CS,SDESC,Old,NOTE,old")
        line = 'PAPI_TOT_INS,NOT_DERIVED,,"New","Newer",,perf::PAGE-FAULTS'
        self.assertEqual(self.lines(self.encoded(f"{TITLE}\n\n{line}\n", environment=environment)), [line])

    def test_counts_are_the_same(self):
        line = "PRESET,MY_SUM,DERIVED_POSTFIX,N0|N0|-|7|+|,perf::PAGE-FAULTS"
        decoded = self.output_of("papi_decode", environment=self.table(line))
        counted = self.output_of("papi_command_line", "MY_SUM", environment={
            **self.table(), "LD_PRELOAD": ENCODE_FIRST, "PAPI_TEST_DEFINITIONS": self.file("decoded.csv", decoded)})
        self.assertRegex(counted, r"MY_SUM : \t7\n")

    def test_a_spreadsheet_sees_the_same_fields(self):
        decoded = self.output_of("papi_decode", "-a", environment=self.table(*(line for line, _ in DEFINITIONS)))
        rows = {row[0]: row for row in csv.reader(self.lines(decoded), strict=True)}
        self.assertEqual(len(rows), len(DEFINITIONS))
        self.assertEqual(rows["PAPI_FP_OPS"], ["PAPI_FP_OPS", "DERIVED_SUB", "", 'some "FP", really',
                                               """it's "#1", or so""", " ", "perf::PAGE-FAULTS", "perf::CS"])
        self.assertEqual(rows["MY_KERNEL"][6:], ["software/config=0x2,config1=0/", "software/config=3/",
                                                 "software/config=2,config2=0/u"])

    def test_available_ones_are_those_of_papi_avail(self):
        for environment in ({}, self.table(*(line for line, _ in DEFINITIONS if "#" not in line))):
            available = self.output_of("papi_avail", "-a", environment=environment)
            decoded = harness.run("papi_decode", "-a", environment=environment)
            left_out = re.findall(r"^papi_decode: (\S+) is left out", decoded.stderr, re.M)
            names = [line.split(",")[0].strip('"') for line in self.lines(decoded.stdout)]
            self.assertEqual(sorted(names + left_out), sorted(re.findall(r"^(\S+) +0x8", available, re.M)))

    def test_unavailable_ones(self):
        environment = self.table("PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::PAGE-FAULTS",
                                 "PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|N1|+|,no::SUCH,perf::CS,NOTE,nowhere")
        available = self.lines(self.output_of("papi_decode", "-a", environment=environment))
        self.assertEqual([line.split(",")[0] for line in available], ["PAPI_TOT_INS"])
        every = self.output_of("papi_decode", environment=environment)
        # The note is left out: the library has the reason there.
        line = 'PAPI_TOT_CYC,DERIVED_POSTFIX,N0|N1|+|,"Total cycles","Total cycles",,no::SUCH,perf::CS'
        self.assertEqual(self.lines(every), available + [line])
        self.assertEqual(self.encoded(every), every)

    def test_presets_without_definition_are_left_out(self):
        for options in ([], ["-a"]):
            self.assertEqual(self.output_of("papi_decode", *options, environment=self.table()), TITLE + "\n\n")


class LongDefinitionTest(DefinitionsTest):
    """Definitions that PAPI_get_event_info cannot tell whole are not told at all."""

    def assert_left_out(self, line, *words):
        name = line.split(",")[1]
        result = harness.run("papi_decode", "-a", environment=self.table(line, "PRESET,MY_LAST,NOT_DERIVED,perf::CS"))
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.lines(result.stdout), ["MY_LAST,NOT_DERIVED,,,,,perf::CS"])
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in (f"papi_decode: {name} is left out", *words):
            self.assertIn(word, result.stderr)

    def test_terms(self):
        self.assert_left_out("PRESET,MY_TERMS,DERIVED_ADD" + ",perf::CS" * 13, "first 12 of its terms")

    def test_formula(self):
        self.assert_left_out("PRESET,MY_FORMULA,DERIVED_POSTFIX,N0|" + "1|+|" * 80 + ",perf::CS",
                             "first 255 characters of its formula")

    def test_term(self):
        native = "software/config=0x" + "3".rjust(250, "0") + "/"
        self.assert_left_out(f"PRESET,MY_TERM,NOT_DERIVED,{native}", "first 255 characters of one of its terms")

    def test_descriptions_are_as_long_as_the_interface_has_them(self):
        decoded = self.output_of("papi_decode", environment=self.table(
            "PRESET,MY_TEXTS,NOT_DERIVED,perf::CS,SDESC," + "s" * 100 + ",LDESC," + "l" * 2000 + ",NOTE," + "n" * 2000))
        texts = ",".join('"' + letter * length + '"' for letter, length in (("s", 63), ("l", 1023), ("n", 1023)))
        self.assertEqual(self.lines(decoded), [f"MY_TEXTS,NOT_DERIVED,,{texts},perf::CS"])
        self.assertEqual(self.encoded(decoded), decoded)


if __name__ == "__main__":
    harness.main()
