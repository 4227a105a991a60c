# SPDX-License-Identifier: BSD-3-Clause
"""papi.metrics: values of known programs, and what is no value."""
import os
import tempfile
import unittest

from python_harness import main, need_virtual

import papi


class Metrics(unittest.TestCase):
    def setUp(self):
        need_virtual()

    def load(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        papi.load(file.name)

    def test_values(self):
        self.load("GROUP,mine,A group\n"
                  "METRIC,share,%,100 * N0 / N1,PAPI_LD_INS,PAPI_TOT_INS,SDESC,\"loads\",LDESC,\"How many.\"\n"
                  "METRIC,undefined,1,N0 / (N1 - N1),PAPI_LD_INS,PAPI_TOT_INS,SDESC,\"none\",LDESC,\"Nothing.\"\n"
                  "RULE,share,above,0.001,\"There are loads: {}.\"\n")
        with papi.metrics("mine") as m:
            with papi.count("PAPI_LD_INS", "PAPI_TOT_INS") as c:
                sum(range(100000))
        self.assertAlmostEqual(m["share"], 100 * c["PAPI_LD_INS"] / c["PAPI_TOT_INS"], delta=1)
        self.assertRegex(m.text("share"), r"^\d+(\.\d+)? %$")
        self.assertIsNone(m["undefined"])
        self.assertEqual(m.text("undefined"), "n/a")
        self.assertEqual(list(m), ["share", "undefined"])
        self.assertEqual((m.info("share").unit, m.info("share").worth), ("%", "exact"))
        self.assertRegex(m.findings()[0], r"^There are loads: \d")

    def test_several_groups(self):
        with papi.metrics("branch", "instructions") as m:
            sum(range(1000))
        self.assertLess(0, m["branch_share"])
        self.assertLess(m["branch_share"], 100)
        self.assertEqual(m.info("branch_miss_rate").worth, "modelled")

    def test_groups(self):
        found = {group.name: group for group in papi.groups()}
        self.assertIn("l1d_miss_rate", found["cache"].metrics)

    def test_refused(self):
        for call in (lambda: papi.metrics(), lambda: papi.metrics("nothing"), lambda: papi.load("/nonexistent"),
                     lambda: papi.metrics("cache")["l1d_miss_rate"]):
            with self.assertRaises(papi.Error):
                call()
        with self.assertRaisesRegex(papi.Error, r"\.csv:2:\d+"):
            self.load("GROUP,bad,A group\nMETRIC,x,%,1 +,PAPI_LD_INS\n")
        with papi.metrics("cache") as m:
            with self.assertRaisesRegex(papi.Error, "after `with`"):
                m.text("l1d_miss_rate")


if __name__ == "__main__":
    main()
