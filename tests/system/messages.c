/* SPDX-License-Identifier: BSD-3-Clause */
/* What is printed when a call fails: nothing, unless the program or its user asks for it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static char printed[8192];

/* Runs a function in a child, with its standard error in printed; the child's exit status. */
static int run_and_capture(void (*function)(void))
{
	size_t length = 0;
	ssize_t got;
	pid_t child;
	int ends[2];

	REQUIRE(pipe(ends) == 0);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		function();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], printed + length, sizeof(printed) - 1 - length)) > 0)
		length += (size_t)got;
	printed[length] = '\0';
	close(ends[0]);
	return work_wait(child);
}

static int fail_once(void)
{
	return PAPI_num_events(54321);
}

static void fail_quietly(void)
{
	int code, set = PAPI_NULL;

	PAPI_library_init(PAPI_VER_CURRENT);
	fail_once();
	PAPI_add_named_event(set, "perf::NOTHING");
	PAPI_event_name_to_code("rusage:::utime", &code);
}

static void nothing_without_asking(void)
{
	EXPECT_EQUAL(0, run_and_capture(fail_quietly));
	EXPECT_TEXT("", printed);
}

static void fail_aloud(void)
{
	int code;

	PAPI_library_init(PAPI_VER_CURRENT);
	PAPI_set_debug(PAPI_VERB_ECONT);
	fail_once();
	/* No failure, nothing to say; nor is the end of a listing. */
	PAPI_event_name_to_code("rusage:::utime", &code);
	code = PAPI_NATIVE_MASK;
	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;)
		status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS);
}

static int lines_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void code_name_and_reason(void)
{
	EXPECT_EQUAL(0, run_and_capture(fail_aloud));
	EXPECT_EQUAL(1, lines_of(printed));
	EXPECT(strstr(printed, "-11") != NULL);
	EXPECT(strstr(printed, "PAPI_ENOEVST") != NULL);
	EXPECT(strstr(printed, PAPI_strerror(PAPI_ENOEVST)) != NULL);
	EXPECT(strstr(printed, "54321") != NULL);
}

static void fail_for_good(void)
{
	PAPI_library_init(PAPI_VER_CURRENT);
	PAPI_set_debug(PAPI_VERB_ESTOP);
	fail_once();
	/* Not reached. */
	_exit(0);
}

static void the_end_of_the_program(void)
{
	EXPECT_EQUAL(1, run_and_capture(fail_for_good));
	EXPECT_EQUAL(1, lines_of(printed));
	EXPECT(strstr(printed, "PAPI_ENOEVST") != NULL);
}

static int count_errors(int code)
{
	fprintf(stderr, "handler %d\n", code);
	return 0;
}

static void fail_with_a_handler(void)
{
	PAPI_option_t option = { .debug = { .level = PAPI_VERB_ECONT, .handler = count_errors } };

	PAPI_library_init(PAPI_VER_CURRENT);
	PAPI_set_opt(PAPI_DEBUG, &option);
	fail_once();
	PAPI_set_debug(PAPI_QUIET);
	fail_once();
}

static void a_handler_instead(void)
{
	EXPECT_EQUAL(0, run_and_capture(fail_with_a_handler));
	EXPECT_TEXT("handler -11\n", printed);
}

static void fail_as_the_user_wants(void)
{
	setenv("PAPI_VERBOSE", "1", 1);
	PAPI_library_init(PAPI_VER_CURRENT);
	fail_once();
}

static void the_environment(void)
{
	EXPECT_EQUAL(0, run_and_capture(fail_as_the_user_wants));
	EXPECT_EQUAL(1, lines_of(printed));
	EXPECT(strstr(printed, "PAPI_ENOEVST") != NULL);
}

static void print_errors(void)
{
	PAPI_library_init(PAPI_VER_CURRENT);
	fail_once();
	PAPI_perror("counting");
	PAPI_perror("");
	PAPI_perror(NULL);
	(PAPI_perror)("function");
	/* Of the 3.5 reference: three arguments, and length 0 prints. */
	PAPI_perror(PAPI_EISRUN, NULL, 0);
}

static void perror_prints(void)
{
	char expected[4000], error[800];

	PAPI_library_init(PAPI_VER_CURRENT);
	fail_once();
	snprintf(error, sizeof(error), "%s: %s", PAPI_strerror(PAPI_ENOEVST), PAPI_error_detail());
	PAPI_shutdown();
	snprintf(expected, sizeof(expected), "counting: %s\n%s\n%s\nfunction: %s\n%s\n", error, error, error, error,
		PAPI_strerror(PAPI_EISRUN));
	EXPECT_EQUAL(0, run_and_capture(print_errors));
	EXPECT_TEXT(expected, printed);
}

/* Into a buffer: cut where it ends, and always ended. */
static void perror_copies(void)
{
	const char *text = PAPI_strerror(PAPI_EINVAL);
	char buffer[64];

	EXPECT_OK(PAPI_perror(PAPI_EINVAL, buffer, (int)sizeof(buffer)));
	EXPECT_TEXT(text, buffer);
	memset(buffer, '#', sizeof(buffer));
	EXPECT_OK(PAPI_perror(PAPI_EINVAL, buffer, 8));
	EXPECT_EQUAL(7, (long long)strlen(buffer));
	EXPECT(strncmp(buffer, text, 7) == 0);
	EXPECT_EQUAL('#', buffer[8]);
	EXPECT_OK(PAPI_perror(PAPI_EINVAL, buffer, 1));
	EXPECT_TEXT("", buffer);
	EXPECT_ERROR(PAPI_EINVAL, "no error code", PAPI_perror(1, buffer, 8));
	EXPECT_ERROR(PAPI_EINVAL, "no error code", PAPI_perror(-PAPI_NUM_ERRORS, buffer, 8));
}

/* As errno: a call that succeeds leaves the last error as it is. */
static void successes_change_nothing(void)
{
	char detail[800];
	int set = PAPI_NULL, code;

	PAPI_library_init(PAPI_VER_CURRENT);
	EXPECT_STATUS(PAPI_ENOEVST, fail_once());
	snprintf(detail, sizeof(detail), "%s", PAPI_error_detail());
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_event_name_to_code("rusage:::utime", &code));
	EXPECT_OK(PAPI_add_event(set, code));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_CYC, &(PAPI_event_info_t){ 0 }));
	EXPECT(PAPI_get_hardware_info() != NULL && PAPI_get_component_info(0) != NULL);
	work_discard(set);
	EXPECT_TEXT(detail, PAPI_error_detail());
	PAPI_shutdown();
}

int main(void)
{
	static const struct test tests[] = {
		{ "nothing without asking", nothing_without_asking },
		{ "code, name and reason", code_name_and_reason },
		{ "the end of the program", the_end_of_the_program },
		{ "a handler instead", a_handler_instead },
		{ "the environment", the_environment },
		{ "perror prints", perror_prints },
		{ "perror copies", perror_copies },
		{ "successes change nothing", successes_change_nothing },
	};

	unsetenv("PAPI_VERBOSE");
	return check_run(tests, COUNT_OF(tests));
}
