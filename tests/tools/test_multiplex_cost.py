# SPDX-License-Identifier: BSD-3-Clause
"""papi_multiplex_cost: its table, its files, and that the two say the same."""
import os
import re
import tempfile

import harness

FILES = ["papi_read.dat", "papi_read_ts.dat", "papi_accum.dat", "papi_reset.dat", "papi_startstop.dat"]
KERNEL = "\tmin cycles\tmax cycles\tmean cycles\tstd deviation"
LIBRARY = "\tsw min cycles\tsw max cycles\tsw avg cycles\tsw std dev"


class MultiplexCostTest(harness.ToolTest):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def measure(self, *arguments):
        """The rows of the table, and of each file the second header line and the rows of numbers."""
        output = self.output_of("papi_multiplex_cost", "-t", "50", "-d", self.directory, *arguments)
        table = re.findall(r"^ *(\d+) (kernel|library)((?: +\d+){5})$", output, re.M)
        contents = {}
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(FILES))
        for name in FILES:
            with open(os.path.join(self.directory, name), encoding="ascii") as file:
                lines = file.read().splitlines()
            self.assertRegex(lines[0], r"^###Multiplexed PAPI_\w+(/stop)?\(\)$")
            contents[name] = (lines[1], [[float(word) for word in line.split("\t")] for line in lines[2:]])
        return output, table, contents

    def test_table_and_files_say_the_same(self):
        output, table, contents = self.measure("-x", "3")
        self.assertEqual([row[:2] for row in table],
                         [(str(n), way) for n in (1, 2, 3) for way in ("kernel", "library")])
        self.assertTrue(all(len(line) <= 80 for line in output.splitlines()), output)
        for column, name in enumerate(FILES):
            header, rows = contents[name]
            self.assertEqual(header, "#number of events" + KERNEL + LIBRARY)
            self.assertEqual([row[0] for row in rows], [1, 2, 3])
            means = [mean for row in rows for mean in (row[3], row[7])]
            for (_, _, shown), mean in zip(table, means, strict=True):
                self.assertAlmostEqual(int(shown.split()[column]), mean, delta=1)
            for row in rows:
                self.assertEqual(len(row), 9)
                for least, most, mean in (row[1:4], row[5:8]):
                    self.assertTrue(0 < least <= mean <= most, row)

    def test_more_events_cost_more(self):
        _, _, contents = self.measure("-m", "1", "-x", "9")
        rows = contents["papi_read.dat"][1]
        self.assertEqual(len(rows), 9)
        # The least of fifty calls is what no interrupt fell into.
        self.assertGreater(rows[-1][1], rows[0][1])
        self.assertGreater(rows[-1][5], rows[0][5])

    def test_more_events_than_can_count_at_once(self):
        trial = harness.run("papi_multiplex_cost", "-m", "40", "-x", "40", "-t", "1", "-d", self.directory)
        few = re.search("only .* can be counted here", trial.stderr)
        if few:
            self.skipTest(few[0])
        _, table, _ = self.measure("-m", "40", "-x", "40")
        self.assertEqual([row[:2] for row in table], [("40", "kernel"), ("40", "library")])

    def test_time_is_limited(self):
        """Without -t each call has its share of the time, and no call is measured for longer: seconds in any case."""
        output = self.output_of("papi_multiplex_cost", "-x", "2", "-d", self.directory)
        self.assertRegex(output, r"at most 100000 iterations\nor 250 ms each\.\n")
        self.assertEqual(len(re.findall(r"^ *\d+ (?:kernel|library)(?: +\d+){5}$", output, re.M)), 4)

    def test_one_way_alone(self):
        _, table, contents = self.measure("-s", "-x", "1")
        self.assertEqual([row[1] for row in table], ["kernel"])
        self.assertEqual(contents["papi_read.dat"][0], "#number of events" + KERNEL)
        _, table, contents = self.measure("-k", "-x", "1")
        self.assertEqual([row[1] for row in table], ["library"])
        self.assertEqual(contents["papi_read.dat"][0], "#number of events" + LIBRARY)

    def test_nonsense(self):
        for arguments, word in ((["-s", "-k"], "nothing to measure"), (["-m", "5", "-x", "2"], "more than"),
                                (["-x", "0"], "'0'"), (["-x", "385"], "'385'"), (["-m", "two"], "'two'"),
                                (["-t", "-1"], "'-1'"), (["extra"], "extra")):
            with self.subTest(arguments=arguments):
                self.assert_refused(harness.run("papi_multiplex_cost", *arguments), 2, word)

    def test_a_directory_that_is_not_there(self):
        result = harness.run("papi_multiplex_cost", "-t", "1", "-d", os.path.join(self.directory, "missing"))
        self.assert_refused(result, 1, "cannot be written", "No such file")


if __name__ == "__main__":
    harness.main()
