# SPDX-License-Identifier: BSD-3-Clause
"""Programs as users of pypapi write them."""
from python_harness import ProgramTest, main, need_virtual

WORK = """
def work(number=1000):
    total = 0.0
    for _ in range(number):
        total += 1.5
    return total
"""


class Programs(ProgramTest):
    def setUp(self):
        super().setUp()
        need_virtual()

    def result(self, text):
        return self.program(WORK + "\n" + "\n".join(line[12:] for line in text.split("\n"))).split("\n")[:-1]

    def test_high_level(self):
        self.assertEqual(self.result("""
            from pypapi import papi_high
            from pypapi import events as papi_events
            papi_high.start_counters([
                papi_events.PAPI_FP_OPS,
                papi_events.PAPI_TOT_CYC
            ])
            work()
            first = papi_high.read_counters()
            work(10)
            second = papi_high.accum_counters([5, 0])
            work(20)
            print(first[0], second[0], papi_high.stop_counters()[0])
            print(first[1] > 1000, len(first))
        """), ["1000 15 20", "True 2"])

    def test_flops(self):
        self.assertEqual(self.result("""
            from pypapi import papi_high
            papi_high.flops()
            work()
            result = papi_high.flops()
            print(result.flpops, result.rtime > 0, result.mflops > 0, type(result).__name__)
            papi_high.stop_counters()
            papi_high.ipc()
            work()
            result = papi_high.ipc()
            print(result.ins > 1000, result.ipc > 0)
            papi_high.rate_stop()
            papi_high.epc(), papi_high.rate_stop(), papi_high.flips(), papi_high.rate_stop()
        """), ["1000 True True Flops", "True True"])

    def test_low_level(self):
        self.assertEqual(self.result("""
            from pypapi import papi_low
            from pypapi import events
            papi_low.library_init()
            evs = papi_low.create_eventset()
            papi_low.add_event(evs, events.PAPI_FP_OPS)
            papi_low.add_events(evs, [events.PAPI_TOT_INS, events.PAPI_BR_INS])
            print(papi_low.list_events(evs) == [events.PAPI_FP_OPS, events.PAPI_TOT_INS, events.PAPI_BR_INS])
            papi_low.remove_events(evs, [events.PAPI_BR_INS])
            papi_low.start(evs)
            work()
            print(papi_low.read(evs)[0], papi_low.read_ts(evs)[0][0])
            print(papi_low.accum(evs, [1, 1])[0])
            papi_low.reset(evs)
            work(7)
            result = papi_low.stop(evs)
            print(result[0], len(result), papi_low.num_events(evs))
            papi_low.cleanup_eventset(evs)
            papi_low.destroy_eventset(evs)
            papi_low.shutdown()
        """), ["True", "1000 1000", "1001", "7 2 2"])

    def test_information(self):
        self.assertEqual(self.result("""
            from pypapi import papi_low, consts, events
            assert papi_low.library_init() == consts.PAPI_VER_CURRENT
            code = papi_low.event_name_to_code("PAPI_TOT_INS")
            print(code == events.PAPI_TOT_INS, papi_low.event_code_to_name(code), papi_low.get_event_info(code).symbol)
            papi_low.query_event(code)
            print(papi_low.get_component_info(papi_low.get_component_index("rusage")).name)
            first = papi_low.enum_event(consts.PAPI_PRESET_MASK, consts.PAPI_ENUM_FIRST)
            print(first == events.PAPI_L1_DCM, papi_low.enum_event(first) == events.PAPI_L1_ICM)
            print(papi_low.get_real_usec() <= papi_low.get_real_usec(), papi_low.get_virt_nsec() > 0)
            print(papi_low.get_hardware_info().totalcpus > 0, papi_low.get_dmem_info().size > 0)
            papi_low.register_thread()
            print("python" in papi_low.get_executable_info().fullname, len(papi_low.list_threads()))
        """), ["True PAPI_TOT_INS PAPI_TOT_INS", "rusage", "True True", "True True", "True True", "True 1"])

    def test_errors(self):
        self.assertEqual(self.result("""
            from pypapi import papi_low, papi_high, events, consts
            from pypapi.exceptions import *
            def refused(call, *arguments):
                try:
                    call(*arguments)
                except PapiError as error:
                    assert error.detail
                    print(type(error).__name__, error.code)
            refused(papi_low.create_eventset)
            papi_low.library_init()
            evs = papi_low.create_eventset()
            refused(papi_low.start, evs)
            refused(papi_low.add_event, evs, 0x800000ff)
            refused(papi_low.add_events, evs, [events.PAPI_TOT_INS, events.PAPI_TOT_INS])
            refused(papi_low.stop, evs)
            refused(papi_low.stop, 12345)
            refused(papi_low.accum, evs, [])
            refused(papi_low.event_name_to_code, "nothing")
            refused(papi_low.get_component_info, 99)
            refused(papi_high.stop_counters)
        """), ["PapiNotInitializedError -16", "PapiInvalidValueError -1", "PapiNotPresetError -12",
               "PapiConflictError -8", "PapiNotRunningError -9", "PapiNoEventSetError -11",
               "PapiInvalidValueError -1", "PapiNoEventError -7", "PapiNoComponentError -17",
               "PapiNotRunningError -9"])


if __name__ == "__main__":
    main()
