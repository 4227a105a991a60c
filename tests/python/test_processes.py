# SPDX-License-Identifier: BSD-3-Clause
"""Threads count for themselves, and children of a fork from their own `with` on."""
import os
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from python_harness import ProgramTest, main, need_virtual
from test_counting import add

import papi


class Threads(unittest.TestCase):
    def setUp(self):
        need_virtual()

    def test_each_for_itself(self):
        def work(number):
            with papi.count("PAPI_FP_OPS") as c:
                together.wait()
                add(number)
                together.wait()
            return c["PAPI_FP_OPS"]
        together = threading.Barrier(4)
        numbers = [100, 2000, 30000, 4]
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(work, numbers)), numbers)

    def test_others_are_not_counted(self):
        with papi.count("PAPI_FP_OPS") as c:
            other = threading.Thread(target=add, args=(100000,))
            other.start()
            other.join()
            add(5)
        self.assertLess(c["PAPI_FP_OPS"], 1000)

    def test_one_object_in_two_threads(self):
        found = []

        def enter():
            try:
                c.__enter__()
            except papi.Error as error:
                found.append(str(error))
        with papi.count("PAPI_FP_OPS") as c:
            thread = threading.Thread(target=enter)
            thread.start()
            thread.join()
            add(3)
        self.assertIn("each needs its own", found[0])
        self.assertEqual(c["PAPI_FP_OPS"], 3)


class Forks(ProgramTest):
    def setUp(self):
        super().setUp()
        need_virtual()

    PROGRAM = """
        import os, sys
        sys.path.insert(0, %r)
        from test_counting import add
        import papi
        with papi.count("PAPI_FP_OPS") as c:
            add(10)
            child = os.fork()
            if not child:
                add(1000)
        if not child:
            try:
                c["PAPI_FP_OPS"]
            except papi.Error as error:
                print(error, flush=True)
            with c:
                add(20)
            print(c["PAPI_FP_OPS"], flush=True)
            with papi.count("PAPI_FP_OPS") as own:
                add(30)
            print(own["PAPI_FP_OPS"], flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(c["PAPI_FP_OPS"])
    """

    def test_fork(self):
        lines = self.program(self.PROGRAM % os.path.dirname(os.path.abspath(__file__)),
                             PYTHONWARNINGS="ignore").splitlines()
        self.assertIn("the parent of this process was counted", lines[0])
        self.assertEqual(lines[1:], ["20", "30", "10"])

    def test_multiprocessing(self):
        self.write("work.py", """
            import papi
            def work(number):
                total = 0.0
                with papi.count("PAPI_FP_OPS") as c:
                    for _ in range(number):
                        total += 1.5
                return c["PAPI_FP_OPS"]
        """)
        for method in ("fork", "spawn"):
            text = self.program(f"""
                import multiprocessing, papi, work
                if __name__ == "__main__":
                    papi.presets()
                    with multiprocessing.get_context("{method}").Pool(2) as pool:
                        print(pool.map(work.work, [10, 200, 3000]))
            """, PYTHONWARNINGS="ignore", PYTHONPATH=self.directory + ":" + os.environ["PYTHONPATH"])
            self.assertEqual(text, "[10, 200, 3000]\n")


if __name__ == "__main__":
    main()
