# SPDX-License-Identifier: BSD-3-Clause
"""papi.region: what is in the file of results."""
import json
import os
import unittest

from python_harness import ProgramTest, main, need_virtual

import papi


class Regions(ProgramTest):
    def setUp(self):
        super().setUp()
        need_virtual()

    def regions(self, text):
        self.program(text, PAPI_EVENTS="PAPI_FP_OPS", PAPI_OUTPUT_DIRECTORY=self.directory)
        with open(os.path.join(self.directory, "papi_hl_output", "rank_0.json"), encoding="utf-8") as file:
            threads = json.load(file)["threads"]
        return [list(thread["regions"].values()) if isinstance(thread["regions"], dict) else thread["regions"]
                for thread in (threads.values() if isinstance(threads, dict) else threads)]

    def test_with_and_decorator(self):
        found, = self.regions("""
            import papi
            @papi.region("add")
            def add(number):
                "adds"
                total = 0.0
                for _ in range(number):
                    total += 1.5
                return total
            assert add.__name__ == "add" and add.__doc__ == "adds"
            with papi.region("outer"):
                assert add(10) == 15
                add(number=20)
            add(5)
            try:
                with papi.region("fails"):
                    raise ValueError
            except ValueError:
                pass
        """)
        self.assertEqual([(region["name"], region["region_count"], region["PAPI_FP_OPS"]) for region in found],
                         [("outer", 1, 30), ("add", 2, 30), ("add", 1, 5), ("fails", 1, 0)])
        self.assertFalse(any("unfinished" in region for region in found))

    def test_threads_recursion_and_reads(self):
        found = self.regions("""
            import threading, papi
            @papi.region("fall")
            def fall(number):
                if number:
                    fall(number - 1)
            fall(2)
            def work():
                with papi.region("work") as region:
                    region.read()
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            papi.write_regions()
        """)
        self.assertEqual([[region["name"] for region in thread] for thread in found],
                         [["fall", "fall", "fall"], ["work"]])
        self.assertIn("read_1", found[1][0]["PAPI_FP_OPS"])


class Refused(unittest.TestCase):
    def test_generators(self):
        def generator():
            yield 1

        async def coroutine():
            pass

        async def both():
            yield 1
        for function in (generator, coroutine, both):
            with self.assertRaisesRegex(TypeError, function.__name__):
                papi.region("x")(function)

    def test_names(self):
        for name, error in ((None, TypeError), ("a\0", ValueError)):
            with self.assertRaises(error):
                papi.region(name)
        with self.assertRaises(papi.Error):
            papi.region("").__enter__()
        with self.assertRaises(papi.Error):
            papi.region("never begun").read()


if __name__ == "__main__":
    main()
