/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program says to a perfometer that listens: the test listens itself. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/frame.h"
#include "live/meet.h"

static int listener = -1, program = -1;

static void listen_now(void)
{
	struct sockaddr_un address;
	socklen_t length = papi_meet_address(&address, geteuid());

	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(listener, 4), 0);
}

static unsigned hear(struct papi_frame_words *words)
{
	static char bytes[PAPI_FRAME_PROGRAM];
	struct papi_frame frame;
	const char *why;
	ssize_t got = recv(program, bytes, sizeof(bytes), MSG_DONTWAIT);

	assert_true(got > 0);
	assert_int_equal(papi_frame_take(bytes, (size_t)got, &frame, &why), got);
	assert_true(papi_frame_read(&frame, words));
	return frame.kind;
}

static bool hears_nothing(void)
{
	char byte;

	return recv(program, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static void meet(void)
{
	struct papi_frame_words words;

	listen_now();
	assert_int_equal(perfometer(), 1);
	program = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(program >= 0);
	assert_int_equal(hear(&words), PAPI_FRAME_HELLO);
	assert_int_equal(words.first, 7);
	assert_string_equal(words.name, program_invocation_short_name);
}

static int part(void **state)
{
	(void)state;
	close(program);
	close(listener);
	program = listener = -1;
	assert_int_equal(perfometer(), 0);
	return 0;
}

static void nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(perfometer(), 0);
	assert_ok(mark_perfometer(PAPI_MARK_RED));
	assert_refused(mark_perfometer(-1), PAPI_EINVAL, "-1 is no colour");
	assert_refused(mark_perfometer(PAPI_MARK_COLOURS), PAPI_EINVAL, "9 is no colour");
	assert_refused(mark_perfometer(0x2000000), PAPI_EINVAL, "is no colour");
}

static void marks_arrive(void **state)
{
	struct papi_frame_words words;

	(void)state;
	meet();
	assert_int_equal(perfometer(), 1);
	assert_ok(mark_perfometer(PAPI_MARK_RED));
	assert_ok(mark_perfometer(PAPI_MARK_RGB(255, 128, 0)));
	assert_int_equal(hear(&words), PAPI_FRAME_MARK);
	assert_int_equal(words.second, PAPI_MARK_RED);
	assert_int_equal(words.first, gettid());
	assert_int_equal(hear(&words), PAPI_FRAME_MARK);
	assert_int_equal(words.second, 0x1ff8000);
	assert_true(hears_nothing());
}

static void want(int regions)
{
	char bytes[PAPI_FRAME_PROGRAM];
	size_t length = papi_frame_write(bytes, PAPI_FRAME_WANT, regions, 0, "");

	assert_int_equal(send(program, bytes, length, 0), (ssize_t)length);
}

static void regions_arrive_where_they_are_wanted(void **state)
{
	struct papi_frame_words words;

	(void)state;
	meet();
	want(1);
	assert_ok(PAPI_hl_region_begin("solve"));
	assert_ok(PAPI_hl_region_end("solve"));
	assert_int_equal(hear(&words), PAPI_FRAME_BEGIN);
	assert_string_equal(words.name, "solve");
	assert_int_equal(hear(&words), PAPI_FRAME_END);
	assert_string_equal(words.name, "solve");
	part(state);
	meet();
	want(0);
	assert_ok(PAPI_hl_region_begin("solve"));
	assert_ok(PAPI_hl_region_end("solve"));
	assert_true(hears_nothing());
}

static void a_full_connection_waits_for_nobody(void **state)
{
	(void)state;
	meet();
	for (int i = 0; i < 100000; i++)
		assert_ok(mark_perfometer(i % PAPI_MARK_COLOURS));
	assert_int_equal(perfometer(), 1);
}

static void a_closed_descriptor_is_left_alone(void **state)
{
	int pair[2], descriptor = -1;
	char byte;

	(void)state;
	meet();
	/* All that is open there, as programs do that close what they have inherited. */
	for (int i = 3; i < 2000; i++) {
		struct ucred peer;

		if (i != listener && i != program && papi_meet_peer(i, &peer) && peer.pid == getpid())
			descriptor = i;
	}
	assert_true(descriptor >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(dup2(pair[0], descriptor), descriptor);
	assert_ok(mark_perfometer(PAPI_MARK_BLUE));
	assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(descriptor, "x", 1), 1);
	close(descriptor);
	close(pair[0]);
	close(pair[1]);
}

static void a_child_is_another_program(void **state)
{
	struct papi_frame_words words;
	int status;
	pid_t child;

	(void)state;
	meet();
	child = fork();
	if (!child) {
		mark_perfometer(PAPI_MARK_RED);
		_exit(perfometer() == 1 ? 0 : 1); /* by a connection of its own */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(hears_nothing());
	assert_ok(mark_perfometer(PAPI_MARK_GREEN));
	assert_int_equal(hear(&words), PAPI_FRAME_MARK);
	assert_int_equal(words.second, PAPI_MARK_GREEN);
}

static void a_program_can_keep_to_itself(void **state)
{
	const char *name = getenv("PAPI_PERFOMETER");
	char kept[64];

	(void)state;
	snprintf(kept, sizeof(kept), "%s", name);
	listen_now();
	setenv("PAPI_PERFOMETER", "off", 1);
	assert_int_equal(perfometer(), 0);
	setenv("PAPI_PERFOMETER", kept, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test_teardown(marks_arrive, part),
		cmocka_unit_test_teardown(regions_arrive_where_they_are_wanted, part),
		cmocka_unit_test_teardown(a_full_connection_waits_for_nobody, part),
		cmocka_unit_test_teardown(a_closed_descriptor_is_left_alone, part),
		cmocka_unit_test_teardown(a_child_is_another_program, part),
		cmocka_unit_test_teardown(a_program_can_keep_to_itself, part),
	};
	char name[32];

	snprintf(name, sizeof(name), "test-%d", (int)getpid());
	setenv("PAPI_PERFOMETER", name, 1);
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	setenv("PAPI_OUTPUT_DIRECTORY", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
