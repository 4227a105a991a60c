/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that run already: papi_run -p counts them virtually from then on, to the unit what they count from within
 * and what the hardware counts of them; and nothing of that shows in what they do. In the folder with papi_run, worker
 * and busy. With a kind of busy and a number, only that one is disturbed.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define EVENTS   4
#define LIMIT_MS 60000
#define REPORT   "/tmp/attach-report"
#define NAMES    "vpmu:::INSTRUCTIONS,vpmu:::LOADS,vpmu:::STORES,vpmu:::BRANCHES"

extern char **environ;

/* ---- programs ---- */

struct program {
	pid_t pid;
	int to, from; /* its input and output */
};

static struct program start(const char *const words[])
{
	struct program program = { .pid = -1 };
	posix_spawn_file_actions_t actions;
	int in[2], out[2];

	REQUIRE(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	REQUIRE(posix_spawn(&program.pid, words[0], &actions, NULL, (char **)(uintptr_t)words, environ) == 0);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	program.to = in[1];
	program.from = out[0];
	return program;
}

static void read_line(const struct program *program, char *line, size_t size)
{
	size_t n = 0;

	while (n + 1 < size && read(program->from, line + n, 1) == 1 && line[n] != '\n')
		n++;
	line[n] = '\0';
}

static void ask(const struct program *worker, int number, char *answer, size_t size)
{
	REQUIRE(dprintf(worker->to, "%d\n", number) > 0);
	read_line(worker, answer, size);
}

/* All that it writes, with how it ends in the end. */
static void end(struct program *program, char *output, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int status = -1;

	close(program->to);
	while ((got = read(program->from, output + n, size - n - 32)) > 0)
		n += (size_t)got;
	close(program->from);
	EXPECT(waitpid(program->pid, &status, 0) == program->pid);
	snprintf(output + n, size - n, "ended with %d", status);
}

static void pause_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* A file of /proc; its end is '\0'. */
static void read_proc(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got = -1;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		got = read(file, text, size - 1);
		close(file);
	}
	text[got > 0 ? got : 0] = '\0';
}

/* The system call that it waits in; -1: none. */
static long call_of(pid_t pid)
{
	char text[256];

	read_proc(pid, "syscall", text, sizeof(text));
	return text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
}

static void wait_for_call(pid_t pid, long number)
{
	for (int left = LIMIT_MS; call_of(pid) != number && left > 0; left--)
		pause_ms(1);
	EXPECT_EQUAL(number, call_of(pid));
}

/* ---- papi_run ---- */

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid;
}

/* It counts by now: it waits in poll(), which it calls for nothing else. Or it has ended. */
static pid_t attach(pid_t pid, const char *events)
{
	char number[16];
	const char *const words[] = { "./papi_run", "-e", events, "--format", "csv", "-o", REPORT, "-p", number, NULL };
	pid_t tool = -1;

	unlink(REPORT);
	snprintf(number, sizeof(number), "%d", (int)pid);
	REQUIRE(posix_spawn(&tool, words[0], NULL, NULL, (char **)(uintptr_t)words, environ) == 0);
	for (int left = LIMIT_MS; !has_ended(tool) && call_of(tool) != SYS_ppoll && left > 0; left--)
		pause_ms(1);
	return tool;
}

/* Lets go, and reads so many counts. How it ended; -1 for those that there are not. */
static int finish(pid_t tool, long long counts[], unsigned n)
{
	char line[1024] = "";
	FILE *report;
	int status = -1;

	kill(tool, SIGINT);
	EXPECT(waitpid(tool, &status, 0) == tool);
	report = fopen(REPORT, "re");
	if (report && !fgets(line, sizeof(line), report))
		line[0] = '\0';
	for (unsigned i = 0; i < n; i++) {
		const char *count = report && fgets(line, sizeof(line), report) ? strchr(line, ',') : NULL;

		counts[i] = count && count[1] >= '0' && count[1] <= '9' ? strtoll(count + 1, NULL, 10) : -1;
		if (counts[i] < 0)
			fprintf(stderr, "\tthe report says: %s\n", line);
	}
	if (report)
		fclose(report);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- counts ---- */

static const int numbers[] = { 1001, 1002, 2000, 5000 }; /* of as many digits, for each is read */
#define NUMBERS COUNT_OF(numbers)

static void count_from_within(long long counts[NUMBERS][EVENTS])
{
	const char *const words[] = { "./worker", "vpmu:::INSTRUCTIONS", "vpmu:::LOADS", "vpmu:::STORES",
		"vpmu:::BRANCHES", NULL };
	struct program worker = start(words);
	char answer[256];

	read_line(&worker, answer, sizeof(answer));
	ask(&worker, 1, answer, sizeof(answer));
	for (unsigned i = 0; i < NUMBERS; i++) {
		ask(&worker, numbers[i], answer, sizeof(answer));
		EXPECT_EQUAL(EVENTS,
			sscanf(answer, "%lld %lld %lld %lld", &counts[i][0], &counts[i][1], &counts[i][2],
				&counts[i][3]));
	}
	end(&worker, answer, sizeof(answer));
}

static struct program start_worker(void)
{
	const char *const words[] = { "./worker", NULL };
	struct program worker = start(words);
	char answer[64];

	read_line(&worker, answer, sizeof(answer));
	EXPECT_TEXT("ready", answer);
	wait_for_call(worker.pid, SYS_read);
	return worker;
}

static void work(const struct program *worker, int number)
{
	char answer[64];

	ask(worker, number, answer, sizeof(answer));
	EXPECT_TEXT("done", answer);
	wait_for_call(worker->pid, SYS_read);
}

static void end_worker(struct program *worker)
{
	char rest[64];

	end(worker, rest, sizeof(rest));
	EXPECT_TEXT("ended with 0", rest);
}

static long long count_by_hardware(const struct program *worker, int set, int number)
{
	EXPECT_OK(PAPI_start(set));
	work(worker, number);
	return work_stop(set);
}

static void count_from_outside(
	const struct program *worker, int set, long long counts[NUMBERS][EVENTS], long long hardware[NUMBERS])
{
	for (unsigned i = 0; i < NUMBERS; i++) {
		pid_t tool = attach(worker->pid, NAMES);

		work(worker, numbers[i]);
		EXPECT_EQUAL(0, finish(tool, counts[i], EVENTS));
		hardware[i] = count_by_hardware(worker, set, numbers[i]);
	}
}

/* All begin and end somewhere else: it is the differences that are the same. Once before, for what is called for the
 * first time is bound, and libc takes the program for one with threads from the first visit on. */
static void test_exact(void)
{
	long long within[NUMBERS][EVENTS], outside[NUMBERS][EVENTS], hardware[NUMBERS], ignored[EVENTS];
	int set = work_set("perf::INSTRUCTIONS:u", NULL, NULL);
	struct program worker = start_worker();

	count_from_within(within);
	work(&worker, 1);
	EXPECT_EQUAL(0, finish(attach(worker.pid, NAMES), ignored, EVENTS));
	work(&worker, 1);
	REQUIRE_OK(PAPI_attach(set, (unsigned long)worker.pid));
	count_from_outside(&worker, set, outside, hardware);
	for (unsigned i = 1; i < NUMBERS; i++) {
		for (unsigned k = 0; k < EVENTS; k++)
			EXPECT_EQUAL(within[i][k] - within[i - 1][k], outside[i][k] - outside[i - 1][k]);
		EXPECT_EQUAL(hardware[i] - hardware[i - 1], outside[i][0] - outside[i - 1][0]);
	}
	printf("%lld instructions from outside, %lld by the hardware, %lld from within\n", outside[3][0], hardware[3],
		within[3][0]);
	work_discard(set);
	end_worker(&worker);
}

static void test_nothing(void)
{
	struct program worker = start_worker();
	long long counts[EVENTS];

	EXPECT_EQUAL(0, finish(attach(worker.pid, NAMES), counts, EVENTS));
	for (unsigned i = 0; i < EVENTS; i++)
		EXPECT_EQUAL(0, counts[i]);
	end_worker(&worker);
}

static void test_modelled(void)
{
	struct program worker = start_worker();
	pid_t tool = attach(worker.pid, "vpmu:::BRANCHES_MISPREDICTED,vpmu:::INSTRUCTIONS,vpmu:::L1D_MISSES");
	long long counts[3];

	work(&worker, 500);
	EXPECT_EQUAL(0, finish(tool, counts, 3));
	EXPECT(counts[0] > 100 && counts[1] > 100000 && counts[2] >= 0 && counts[2] < counts[1]);
	end_worker(&worker);
}

/* ---- what is left behind ---- */

/* Masks of signals, who traces it, how many threads. */
static void state_of(pid_t pid, char *state, size_t size)
{
	static const char *const keys[] = { "SigBlk:", "SigIgn:", "SigCgt:", "TracerPid:", "Threads:" };
	char text[4096];

	read_proc(pid, "status", text, sizeof(text));
	state[0] = '\0';
	for (unsigned i = 0; i < COUNT_OF(keys); i++) {
		const char *line = strstr(text, keys[i]);

		if (line)
			snprintf(state + strlen(state), size - strlen(state), "%.*s ", (int)strcspn(line, "\n"), line);
	}
}

static void test_leaves(void)
{
	struct program worker = start_worker();
	char before[512], after[512];
	long long counts[EVENTS];

	finish(attach(worker.pid, NAMES), counts, EVENTS);
	state_of(worker.pid, before, sizeof(before));
	for (unsigned i = 0; i < 3; i++) {
		finish(attach(worker.pid, NAMES), counts, EVENTS);
		work(&worker, 1);
	}
	state_of(worker.pid, after, sizeof(after));
	EXPECT_TEXT(before, after);
	EXPECT(strstr(after, "Threads:\t1 "));
	end_worker(&worker);
}

static void test_killed_tool(void)
{
	struct program worker = start_worker();
	pid_t tool = attach(worker.pid, NAMES);
	char state[512] = "";
	long long counts[EVENTS];

	kill(tool, SIGKILL);
	EXPECT(waitpid(tool, NULL, 0) == tool);
	work(&worker, 100);
	for (int left = LIMIT_MS; !strstr(state, "Threads:\t1 ") && left > 0; left--) {
		pause_ms(1);
		state_of(worker.pid, state, sizeof(state));
	}
	tool = attach(worker.pid, NAMES);
	work(&worker, 100);
	EXPECT_EQUAL(0, finish(tool, counts, EVENTS));
	EXPECT(counts[0] > 50000);
	end_worker(&worker);
}

/* ---- programs that do what is hard to interrupt ---- */

static void disturb(const char *kind, const char *number)
{
	const char *const words[] = { "./busy", kind, number, NULL };
	char expected[256], got[256];
	struct program program = start(words);
	unsigned done = 0;

	end(&program, expected, sizeof(expected));
	/* Now and then it ends while papi_run looks for a moment to come in. */
	for (unsigned tries = 0; tries < 5 && !done; tries++) {
		program = start(words);
		for (unsigned i = 0; i < 3 && !has_ended(program.pid); i++) {
			long long count[1] = { -1 };
			pid_t tool = attach(program.pid, "vpmu:::INSTRUCTIONS");

			pause_ms(20);
			done += finish(tool, count, 1) == 0 && count[0] > 0;
		}
		end(&program, got, sizeof(got));
		printf("%s: counted %u times, %s\n", kind, done, got);
		EXPECT_TEXT(expected, got);
	}
	EXPECT(done > 0);
}

static void test_busy(void)
{
	disturb("malloc", "200000");
	disturb("sleep", "20");
	disturb("signals", "5000000");
	disturb("threads", "1000");
	disturb("spawn", "150");
	disturb("traps", "200000");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "as many instructions as from within, and by the hardware", test_exact },
		{ "a program that sleeps has counted nothing", test_nothing },
		{ "modelled events", test_modelled },
		{ "nothing is left behind", test_leaves },
		{ "a tool that was killed", test_killed_tool },
		{ "busy programs do as they did", test_busy },
	};

	setlinebuf(stdout);
	setenv("PAPI_VPMU", "always", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	if (argc != 3)
		return check_run(tests, COUNT_OF(tests));
	disturb(argv[1], argv[2]);
	return check_failures() ? 1 : 0;
}
