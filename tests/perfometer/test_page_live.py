# SPDX-License-Identifier: BSD-3-Clause
"""The page of perfometer while something is counted: the server is the test's own, and says what it wants."""
import time

import pages
import recordings


def event(name, **others):
    return {"name": name, "description": f"What {name} counts", "kind": "exact", "unit": "", "group": "preset",
            "available": True, "why": None, **others}


AVAILABLE = [event(one["name"], description=one["description"], kind=one["kind"])
             for one in (recordings.INS, recordings.DCM)] + [
    event("PAPI_FP_OPS", available=False, why="no counter has it"), event("PAPI_BR_MSP", kind="modelled")]


class LiveTest(pages.PageTest):
    def begin(self, events=(recordings.INS,), tenths=20):
        self.made = recordings.Recording(events=events)
        self.made.thread(0, 0)
        self.at = 0
        self.go_on(tenths)
        server = self.serve(self.made, AVAILABLE)
        self.said = len(self.made.messages)
        self.wait_for(lambda: self.window.text("#event-count"), str(len(AVAILABLE)))
        return server

    def go_on(self, tenths, server=None, value=100):
        for _ in range(tenths):
            self.made.sample(self.at, {0: (value,) * len(self.made.events)})
            self.at += 1
        if server:
            self.tell(server)

    def tell(self, server):
        server.say(*self.made.lines()[self.said:])
        self.said = len(self.made.messages)

    def end_shown(self):
        return self.window_shown()[1]

    def test_lanes_move_and_pause(self):
        server = self.begin(tenths=200)
        self.assertEqual(self.window.text("#state"), "live")
        self.wait_for(self.end_shown, 19.9)
        self.assertEqual(self.lanes(), {"mm": "1.000 k/s"})
        self.go_on(10, server, value=250)
        self.wait_for(self.end_shown, 20.9)
        self.assertEqual(self.lanes(), {"mm": "2.500 k/s"})
        self.window.click("#pause")
        self.assertIn("paused", self.window.text("#state"))
        self.go_on(10, server, value=300)
        self.wait_for(lambda: self.window.text(".lane-total"), "total 25,500")
        self.assertEqual(self.end_shown(), 20.9)
        self.assertIn("of 0.000 s to 21.900 s", self.window.text("#window"))
        self.window.press("<")  # back
        self.assertAlmostEqual(self.end_shown(), 18.4, delta=0.01)
        self.window.click("#pause")
        self.wait_for(self.end_shown, 21.9)
        # Back by the slider, and live again at its end.
        self.window.run("position.value = 0; position.dispatchEvent(new Event('input'))")
        self.wait_for(lambda: self.window_shown()[0], 0)
        self.assertIn("paused", self.window.text("#state"))
        self.window.run("position.value = 1000; position.dispatchEvent(new Event('input'))")
        self.wait_for(self.end_shown, 21.9)
        self.assertEqual(self.window.text("#state"), "live")

    def click_event(self, name, cell=".name"):
        self.window.run("[...document.querySelectorAll('#event-list .row')].find(row => "
                        "row.querySelector('.name').textContent === arguments[0]).id = 'wanted'", name)
        self.window.click("#wanted " + cell)

    def test_a_click_switches_what_is_counted(self):
        server = self.begin()
        self.window.press("/", *"misses")
        self.click_event("PAPI_L1_DCM")
        self.wait_for(lambda: server.asked, [["PAPI_L1_DCM"]])
        self.assertIn("asked for PAPI_L1_DCM", self.window.text("#status"))
        self.made.count(self.at - 0.5, [recordings.DCM])
        self.go_on(5, server, value=7)
        self.wait_for(self.lanes, {"mm": "70/s"})
        self.assertIn("PAPI_L1_DCM per second", self.window.text("#worth"))
        self.assertNotIn("asked for", self.window.text("#status"))
        # One more, by the keyboard, and the ratio of the two.
        self.window.press("Escape", "/", *"instr")
        self.window.press("Down", " ")
        self.wait_for(lambda: server.asked[1:], [["PAPI_L1_DCM", "PAPI_TOT_INS"]])
        self.made.count(self.at - 0.5, [recordings.DCM, recordings.INS])
        self.go_on(5, server)
        self.wait_for(self.lanes, {"mm": "1.000 k/s"})
        self.choose("view", "ratio")
        self.assertEqual(self.lanes(), {"mm": "1"})
        # And no longer.
        self.window.press("2", " ")
        self.wait_for(lambda: server.asked[2:], [["PAPI_L1_DCM"]])

    def test_the_sign_counts_beside_the_others(self):
        server = self.begin()
        self.click_event("PAPI_L1_DCM", ".sign")
        self.wait_for(lambda: server.asked, [["PAPI_TOT_INS", "PAPI_L1_DCM"]])
        self.assertIn("Level 1 data cache misses", self.window.text("#about"))
        self.made.count(self.at - 0.5, [recordings.INS, recordings.DCM])
        self.go_on(5, server)
        self.wait_for(lambda: self.window.texts("#event-list .sign")[:2], ["\u25cf", "\u25cf"])
        self.click_event("PAPI_TOT_INS", ".sign")
        self.wait_for(lambda: server.asked[1:], [["PAPI_L1_DCM"]])

    def test_what_cannot_be_counted_is_not_asked_for(self):
        server = self.begin()
        self.click_event("PAPI_FP_OPS")
        self.assertIn("It cannot be counted: no counter has it", self.window.text("#about"))
        self.window.press("2", "Enter", " ")
        self.assertEqual(server.asked, [])

    def test_a_refusal_is_told(self):
        server = self.begin()
        server.on_ask = lambda events: (400, {"error": f"<b>{events[0]}</b> needs a counter that is taken"})
        self.click_event("PAPI_BR_MSP")
        self.wait_for(lambda: self.window.text("#doubts"), "<b>PAPI_BR_MSP</b> needs a counter that is taken")
        self.assertNotIn("asked for", self.window.text("#status"))
        self.window.errors()  # the browser tells of each answer of that kind

    def test_a_connection_that_is_lost_comes_again(self):
        server = self.begin()
        self.wait_for(self.end_shown, 10)
        server.hang_up()
        self.wait_for(lambda: self.window.text("#state"), "live")
        self.wait_for(lambda: len(server.listeners), 1)
        # Meanwhile the program went on: nothing is known of that time, and totals are.
        self.at += 30
        self.go_on(5, server)
        self.wait_for(lambda: self.window.text("#window").split("of ")[1], "0.000 s to 5.400 s")
        self.window.press("0", "1", "Left", "Left", "Left", "Left", "Left")
        self.window.errors()
        self.assertEqual(self.window.texts(".lane-total"), ["total 2,500"])

    def test_a_stopped_program_is_told(self):
        """As long as it is stopped, also by a connection that comes again and gets all messages once more."""
        server = self.begin()
        for last in (False, True):
            self.made.say("mark", t=self.at / 10 - 0.09, id=None, name="stopped", color="#8a8a8a", begin=True,
                          stopped=True)
            self.go_on(5, server, value=0)
            self.wait_for(lambda: self.window.text("#state"), "live; the program is stopped")
            if not last:
                self.made.say("mark", t=self.at / 10 - 0.09, id=None, name="stopped", color="#8a8a8a", begin=False,
                              stopped=True)
                self.go_on(15, server)
                self.wait_for(lambda: self.window.text("#state"), "live")
        server.hang_up()
        self.wait_for(lambda: len(server.listeners), 1)
        self.go_on(5, server, value=0)
        self.wait_for(lambda: self.window.text("#window").split("of ")[1], f"0.000 s to {self.at / 10 - 0.1:.3f} s")
        self.assertEqual(self.window.text("#state"), "live; the program is stopped")
        self.window.press("1", "0", "Left")
        self.assertRegex(self.window.text("#status"), "stopped")
        self.assertEqual(self.window.text("#state"), "paused: counting goes on; the program is stopped")
        self.window.errors()

    def test_another_recording_begins_anew(self):
        server = self.begin()
        other = recordings.Recording(program="other", events=[recordings.INS])
        other.messages[0]["started"] = "2026-11-23T16:00:00Z"
        other.thread(0, 7, name="new")
        other.sample(0, {7: (5,)})
        other.sample(1, {7: (5,)})
        server.say(*other.lines())
        self.wait_for(self.lanes, {"new": "50/s"})
        self.assertEqual(self.window.text("#program"), "other")

    def test_the_end(self):
        server = self.begin()
        self.made.end(self.at, 0)
        self.made.say("bye", t=self.at / 10, reason="the program has ended: exit 3")
        self.tell(server)
        self.wait_for(lambda: self.window.text("#state"), "the program has ended: exit 3")
        self.assertTrue(self.window.run("return pause.hidden"))
        time.sleep(0.1)
        self.wait_for(lambda: len(server.listeners), 1)  # that of the connection, until something is sent
        self.assertIn("ended", self.window.text(".lane-facts"))

    def test_a_wrong_token_is_told(self):
        server = self.begin()
        self.window.run("history.replaceState(null, '', '?token=wrong')")
        server.hang_up()
        page = self.write(server.page)
        self.window.open(page)
        self.window.settle()
        self.assertIn("has no recording in it", self.window.text("#state"))
        self.window.errors()

    def test_two_pages_see_the_same(self):
        server = self.begin()
        first = self.window.run("return document.querySelector('.lane-total').textContent")
        other = pages.browser.Browser()
        try:
            other.go(server.address)
            self.wait_for(lambda: other.texts(".lane-total"), [first])
        finally:
            other.close()


if __name__ == "__main__":
    pages.main()
