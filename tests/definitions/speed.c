/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a file takes time in proportion to its length, whatever is in it and however its lines end. The times are
 * printed as multiples of the time that it takes to read the file and count its lines, which is asserted nowhere.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "files.h"

#define FEW  10000
#define MANY 100000
/* Ten times the lines; half of the rest is for caches that the larger file does not fit into, half for noise. */
#define MOST 20

/* Of this thread: while it waits for a CPU, its time stands still. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A file of lines that are made of a format with the number of the line in it; free(3) its path. */
static char *write_lines(const char *name, const char *format, int n)
{
	char *path = strdup(files_path(name));
	FILE *file = fopen(path, "we");

	REQUIRE(path && file);
	for (int i = 0; i < n; i++) {
		char line[300];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(line, sizeof(line), format, i);
#pragma GCC diagnostic pop
		fputs(line, file);
	}
	REQUIRE(fclose(file) == 0);
	return path;
}

/* The least that has to be done with a file: what wc -l does. */
static double time_to_count(const char *path)
{
	char *block = malloc(1 << 16);
	long lines = 0;
	ssize_t got;
	double start;
	int file;

	REQUIRE(block != NULL);
	start = now();
	file = open(path, O_RDONLY | O_CLOEXEC);
	while ((got = read(file, block, 1 << 16)) > 0)
		for (ssize_t i = 0; i < got; i++)
			lines += block[i] == '\n' || block[i] == '\r';
	close(file);
	start = now() - start;
	free(block);
	/* Or the compiler would find that nobody wants to know. */
	return lines < 0 ? 0 : start;
}

static double time_to_load(const char *path)
{
	PAPI_option_t option = { .events_file = (char *)(size_t)path };
	double start;
	int status;

	files_library_at(files_write("empty", ""), NULL);
	/* What is done once is done. */
	PAPI_query_event(PAPI_TOT_INS);
	start = now();
	status = PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
	start = now() - start;
	/* The file was read, whatever was in it. */
	EXPECT(status == PAPI_OK || (status != PAPI_ESYS && strstr(PAPI_error_detail(), path)));
	files_library_end();
	return start;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* The best of a few: whatever else runs only adds. */
struct times {
	double few, many, reading;
};

/* In turns, so that all have seen the machine as fast as it gets; more of them when it was not still enough. */
static struct times measure(const char *few, const char *many)
{
	struct times best = { 1e9, 1e9, 1e9 };

	for (int round = 0; round < 3 || (round < 15 && best.many >= MOST * best.few); round++) {
		best.few = smaller(best.few, smaller(time_to_load(few), time_to_load(few)));
		best.many = smaller(best.many, time_to_load(many));
		best.reading = smaller(best.reading, time_to_count(many));
	}
	return best;
}

static void linear(void)
{
	static const struct {
		const char *name, *format;
	} files[] = {
		{ "events",
			"EVENT,USER_EVENT_%d,DERIVED_INFIX,N0+(N1*3)," FAULTS "," MINOR_FAULTS
			",NOTE,\"Note, of some length\"\n" },
		{ "events, CR",
			"EVENT,USER_EVENT_%d,DERIVED_INFIX,N0+(N1*3)," FAULTS "," MINOR_FAULTS
			",NOTE,\"Note, of some length\"\r" },
		{ "events, CRLF", "EVENT,USER_EVENT_%d,NOT_DERIVED," FAULTS "\r\n" },
		{ "bad lines", "EVENT,USER_EVENT_%d,DERIVED_INFIX,N0+," FAULTS "\n" },
		{ "the same name", "EVENT,ALL_THE_SAME,NOT_DERIVED," FAULTS ",NOTE,%d\n" },
		{ "names like presets", "EVENT,PAPI_USER_%d,NOT_DERIVED," FAULTS "\n" },
		{ "unknown words", "FOO%d,bar,baz\n" },
		{ "other CPUs", "CPU,nobody%d\nEVENT,X,NOT_DERIVED," FAULTS "\n" },
		{ "comments", "# number %d\n" },
		{ "blank lines", "\n" },
		{ "one long line", ",%d," },
	};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char *few = write_lines("few", files[i].format, FEW),
		     *many = write_lines("many", files[i].format, MANY);
		struct times times = measure(few, many);

		printf("  %-18s %6d: %6.2f ms;  %d: %7.2f ms, %4.1f x;  reading, counting lines: %5.2f ms, %5.1f x\n",
			files[i].name, FEW, times.few * 1e3, MANY, times.many * 1e3, times.many / times.few,
			times.reading * 1e3, times.many / times.reading);
		EXPECT(times.many < MOST * times.few);
		free(few);
		free(many);
	}
}

/* What was read is all there. */
static void complete(void)
{
	char *path = write_lines("many", "EVENT,USER_EVENT_%d,NOT_DERIVED," FAULTS "\n", MANY);
	char name[32];

	files_library_at(files_write("empty", ""), path);
	for (int i = 0; i < MANY; i += 999) {
		snprintf(name, sizeof(name), "USER_EVENT_%d", i);
		EXPECT_EQUAL(PAPI_UE_MASK | i, files_code(name));
		EXPECT_OK(PAPI_query_named_event(name));
	}
	files_library_end();
	free(path);
}

int main(void)
{
	static const struct test tests[] = {
		{ "linear", linear },
		{ "complete", complete },
	};
	int status;

	/* Memory that was used once stays: its first touch would be dear for the large file alone. */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
