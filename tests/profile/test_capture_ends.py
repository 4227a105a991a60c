# SPDX-License-Identifier: BSD-3-Clause
"""How recordings end: with the program, by signals, of processes that run already, and when nothing can be written."""
import os
import pty
import resource
import signal
import subprocess
import time

from capture_harness import BURNER, CaptureTest, main, PAGE_FAULTS, PAPI_PROFILE, Store


def cpu_seconds(pid):
    """CPU time of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Programs(CaptureTest):
    def test_status_is_passed_on(self):
        store, _ = self.profile("sh", "-c", "exit 3", status=3)
        self.assertEqual(os.WEXITSTATUS(store.run["status"]), 3)
        store, _ = self.profile("sh", "-c", "kill -9 $$", status=128 + signal.SIGKILL)
        self.assertEqual(os.WTERMSIG(store.run["status"]), signal.SIGKILL)

    def test_streams_are_the_programs(self):
        result = self.run_it("sh", "-c", "cat; echo $0 >&2", input="in\n", stdin=None)
        self.assertEqual((result.returncode, result.stdout), (0, "in\n"))
        self.assertIn("sh\npapi_profile: ", result.stderr)

    def test_descriptors_and_signals_are_as_alone(self):
        script = "ls -l /proc/self/fd | grep -c -e perf -e papi_profile; " \
                 "grep -e Sig[BCI] -e 'open files' /proc/self/status /proc/self/limits"
        alone = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                               check=False).stdout
        self.assertEqual(self.run_it("sh", "-c", script).stdout, alone)

    def test_the_terminal_interrupts_the_program(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execv(PAPI_PROFILE, [PAPI_PROFILE, "-e", "perf::TASK-CLOCK", BURNER, "forever"])
        said = b""
        while b"ready" not in said:
            said += os.read(terminal, 1000)
        # Once, or it would be two signals.
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 128 + signal.SIGINT)
        os.close(terminal)
        store = Store(self.path())
        self.assert_whole(store)
        self.assertEqual(os.WTERMSIG(store.run["status"]), signal.SIGINT)

    def test_a_signal_is_passed_on(self):
        process = self.start("-e", "perf::TASK-CLOCK", BURNER, "forever")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGTERM)
        self.assertEqual(os.WTERMSIG(Store(self.path()).run["status"]), signal.SIGTERM)

    def test_what_was_written_survives(self):
        process = self.start("-e", "perf::TASK-CLOCK", BURNER, "forever")
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.wait_until(lambda: self.written() > 500, "samples in the store")
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            burner = int(file.read().split()[0])
        process.kill()
        process.wait(timeout=60)
        used = cpu_seconds(burner)
        os.kill(burner, signal.SIGKILL)
        store = Store(self.path())
        self.assert_whole(store)
        self.assertIsNone(store.run["status"])
        self.assertGreater(store.run["seconds"], 0)
        # A second, and what it takes to write on a machine that has much to do.
        self.assertGreater(store.sum("value") / 1e9, 0.75 * used - 2)
        self.assertGreater(store.sum(), 500)

    def test_a_file_that_may_grow_no_more(self):
        self.profile("-e", PAGE_FAULTS, "-F", "1", "true")
        limit = os.path.getsize(self.path()) + 4096
        # Each process has rows of its own.
        program = ["sh", "-c", "for i in $(seq 100); do ls; done >&2; echo done"]
        result = self.run_it("-e", PAGE_FAULTS, "-c", "1", *program,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual((result.returncode, result.stdout), (125, "done\n"), result.stderr)
        self.assertIn("cannot write", result.stderr)
        store = Store(self.path())
        self.assert_whole(store)
        self.assertEqual(len(store.events), 1)

    def test_a_profile_replaces_the_one_before(self):
        self.profile("-e", "perf::TASK-CLOCK", BURNER, "split")
        store, _ = self.profile("-e", PAGE_FAULTS, "true")
        self.assertEqual([event["name"] for event in store.events], [PAGE_FAULTS])

    def test_an_empty_file_is_taken(self):
        with open(self.path(), "w", encoding="ascii"):
            pass
        self.profile("true")


class Processes(CaptureTest):
    def attached(self, process):
        """Whether papi_profile has made its store, which it does when all is open."""
        if process.poll() is not None:
            self.fail(f"papi_profile has ended: {process.communicate()}")
        return os.path.exists(self.path()) and os.path.getsize(self.path()) > 0

    def watch(self, target, *arguments):
        process = self.start("-e", "perf::TASK-CLOCK", "-p", str(target.pid), *arguments)
        self.wait_until(lambda: self.attached(process), "the store")
        # What is left to do is to enable the events and to read the mappings.
        time.sleep(0.3)
        return process

    def test_to_its_end(self):
        target = self.start_target("wait")
        process = self.watch(target)
        output, _ = target.communicate("\n")
        self.assertEqual(process.wait(timeout=60), 0)
        store = Store(self.path())
        self.assert_whole(store)
        self.assertEqual(len(store.processes), 1)
        self.assertEqual((store.processes[0]["pid"], store.processes[0]["name"]), (target.pid, "burner"))
        self.assertEqual(sorted(thread["name"] for thread in store.threads), ["burner", "long"])
        self.assertIsNone(store.run["status"])
        self.assert_burnt(store, thread="long")
        self.assertGreater(store.sum("value"), 0.5 * sum(map(int, output.split())))
        self.assertEqual({module["kind"] for module in store.modules} - {"kernel", "file", "vdso"}, set())

    def test_for_a_time(self):
        target = self.start_target("forever")
        process = self.start("-e", "perf::TASK-CLOCK", "-t", "0.5", "-p", str(target.pid))
        output = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, output)
        self.assertIsNone(target.poll())
        store = Store(self.path())
        self.assertGreaterEqual(store.run["seconds"], 0.5)
        self.assert_burnt(store)

    def test_to_a_signal(self):
        target = self.start_target("forever")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.watch(target)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), 0)
            self.assertGreater(Store(self.path()).sum(), 0)
            self.assertIsNone(target.poll())
            os.remove(self.path())


if __name__ == "__main__":
    main()
