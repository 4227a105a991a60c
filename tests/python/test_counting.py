# SPDX-License-Identifier: BSD-3-Clause
"""papi.count: known counts, what is refused, what there is."""
import gc
import unittest

from python_harness import main, need_virtual

import papi


def add(number):
    """That many additions of floating-point numbers, and no other."""
    total = 0.0
    for _ in range(number):
        total += 1.5
    return total


class Counting(unittest.TestCase):
    def setUp(self):
        need_virtual()
        gc.disable()
        self.addCleanup(gc.enable)

    def test_known_counts(self):
        with papi.count("PAPI_FP_OPS", "PAPI_TOT_INS") as c:
            add(1000)
        self.assertEqual(c["PAPI_FP_OPS"], 1000)
        self.assertGreater(c["PAPI_TOT_INS"], 10000)
        self.assertEqual(list(c), ["PAPI_FP_OPS", "PAPI_TOT_INS"])
        self.assertEqual(dict(c), c.read())

    def test_again_from_zero(self):
        c = papi.count("PAPI_FP_OPS")
        for number in (10, 1000, 0):
            with c:
                add(number)
            self.assertEqual(c["PAPI_FP_OPS"], number)

    def test_every_time_nearly_the_same(self):
        """Where objects happen to be is some instructions more or less."""
        c, counts = papi.count("PAPI_TOT_INS"), []
        for _ in range(40):  # the interpreter adapts its code to what it runs
            with c:
                add(100)
            counts.append(c["PAPI_TOT_INS"])
        self.assertLess(max(counts[-5:]) - min(counts[-5:]), 0.005 * counts[-1], counts)

    def test_empty(self):
        """What the interpreter does between the start and the end, in instructions: doc/python.md has the number."""
        counts = []
        for events in (("PAPI_TOT_INS",), ("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_L1_DCM", "PAPI_BR_MSP")):
            c = papi.count(*events)
            for _ in range(40):
                with c:
                    pass
            counts.append(c["PAPI_TOT_INS"])
        self.assertGreater(min(counts), 100)
        self.assertLess(max(counts), 6000)
        # Some hundred depend on where dictionaries have their entries.
        self.assertAlmostEqual(counts[0], counts[1], delta=0.3 * counts[0])

    def test_during(self):
        with papi.count("PAPI_FP_OPS") as c:
            add(10)
            self.assertEqual(c["PAPI_FP_OPS"], 10)
            add(5)
            self.assertEqual(c.read(), {"PAPI_FP_OPS": 15})
        self.assertEqual(c["PAPI_FP_OPS"], 15)

    def test_nested(self):
        with papi.count("PAPI_FP_OPS") as outer:
            add(1)
            with papi.count("PAPI_FP_OPS") as inner:
                add(10)
            add(2)
        self.assertEqual((outer["PAPI_FP_OPS"], inner["PAPI_FP_OPS"]), (13, 10))

    def test_exceptions_pass(self):
        c = papi.count("PAPI_FP_OPS")
        with self.assertRaises(ZeroDivisionError):
            with c:
                add(3)
                1 / 0  # pylint: disable=pointless-statement
        self.assertEqual(c["PAPI_FP_OPS"], 3)

    def test_worth(self):
        with papi.count("PAPI_TOT_INS", "PAPI_L1_DCM") as c:
            add(1)
        self.assertEqual(c.worth, {"PAPI_TOT_INS": "exact", "PAPI_L1_DCM": "modelled"})
        self.assertEqual(set(c.components.values()), {"vpmu"})
        with papi.count("PAPI_TOT_INS", "rusage:::minflt") as c:
            add(1)
        self.assertEqual(list(c.worth.values()), ["exact", "affected"])

    def test_refused(self):
        with self.assertRaises(papi.Error) as caught:
            papi.count("PAPI_TOT_INX")
        self.assertEqual((caught.exception.code, caught.exception.name), (-7, "PAPI_ENOEVNT"))
        self.assertIn('no event is named "PAPI_TOT_INX"', str(caught.exception))
        for events, error in (((), papi.Error), (("PAPI_TOT_INS", "PAPI_TOT_INS"), papi.Error), ((1,), TypeError),
                              (("a\0b",), ValueError), (("",), papi.Error), (("x" * 100000,), papi.Error)):
            with self.assertRaises(error):
                papi.count(*events)

    def test_names_reach_no_terminal(self):
        with self.assertRaises(papi.Error) as caught:
            papi.count("\x1b[31mred")
        self.assertTrue(str(caught.exception).isprintable())

    def test_one_with_at_a_time(self):
        c = papi.count("PAPI_FP_OPS")
        with c:
            with self.assertRaisesRegex(papi.Error, "each needs its own"):
                c.__enter__()
            add(7)
        self.assertEqual(c["PAPI_FP_OPS"], 7)

    def test_nothing_counted(self):
        c = papi.count("PAPI_FP_OPS")
        with self.assertRaisesRegex(papi.Error, "nothing was counted"):
            c["PAPI_FP_OPS"]  # pylint: disable=pointless-statement
        with c:
            add(1)
        with self.assertRaises(KeyError):
            c["PAPI_TOT_INS"]  # pylint: disable=pointless-statement

    def test_sets_are_given_back(self):
        for _ in range(2000):
            papi.count("PAPI_FP_OPS").__enter__()
        with papi.count("PAPI_FP_OPS") as c:
            add(4)
        self.assertEqual(c["PAPI_FP_OPS"], 4)

    def test_a_with_costs_what_the_document_says(self):
        c = papi.count("PAPI_TOT_INS")
        for _ in range(40):
            with c:
                pass
        self.assertLess(c["PAPI_TOT_INS"], 10000)


class Kernel(unittest.TestCase):
    def test_events_that_take_turns(self):
        try:
            c = papi.count("perf::PAGE-FAULTS", "perf::TASK-CLOCK", multiplex=True)
            with c:
                bytearray(1 << 22)
        except papi.Error as error:
            self.skipTest(str(error))
        self.assertGreater(c["perf::PAGE-FAULTS"], 0)
        self.assertLessEqual(set(c.worth.values()), {"exact", "estimated"})


class Lists(unittest.TestCase):
    def test_presets(self):
        found = {event.name: event for event in papi.presets()}
        self.assertEqual(found["PAPI_TOT_INS"].code, 0x80000032)
        self.assertTrue(found["PAPI_TOT_INS"].description)
        for event in found.values():
            self.assertIn(event.worth, ("exact", "sampled", "modelled", "estimated"))
            self.assertTrue(event.available or event.note, event)

    def test_natives(self):
        found = papi.natives()
        self.assertGreater(len(found), 10)
        of_rusage = papi.natives("rusage")
        self.assertEqual({event.component for event in of_rusage}, {"rusage"})
        self.assertLess(len(of_rusage), len(found))
        self.assertEqual(papi.event(of_rusage[0].name), of_rusage[0])
        with self.assertRaisesRegex(papi.Error, "PAPI_ENOCMP"):
            papi.natives("nothing")
        with self.assertRaisesRegex(papi.Error, "PAPI_ENOEVNT"):
            papi.event("nothing")


if __name__ == "__main__":
    main()
