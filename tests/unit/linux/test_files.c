/* SPDX-License-Identifier: BSD-3-Clause */
/* base/files.h below a root of our own and below "/". */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"

static char directory[PATH_MAX];

static void put(const char *name, const char *content, size_t length)
{
	char path[PATH_MAX + 32];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(content, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	const char *temporary = getenv("TMPDIR");

	(void)state;
	snprintf(directory, sizeof(directory), "%s/papi-files-XXXXXX", temporary ? temporary : "/tmp");
	if (!mkdtemp(directory))
		return -1;
	return papi_linux_set_root(directory);
}

static int tear_down(void **state)
{
	static const char *const names[] = { "a", "b", "link" };
	char path[PATH_MAX + 32];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	papi_linux_set_root(NULL);
	return rmdir(directory);
}

static void root_is_copied_and_trimmed(void **state)
{
	char root[] = "/some/where//";
	char path[64];

	(void)state;
	assert_int_equal(papi_linux_set_root(root), 0);
	root[1] = 'X';
	assert_string_equal(papi_linux_root(), "/some/where");
	assert_false(papi_linux_is_live());
	assert_int_equal(papi_linux_path("/sys/x", path, sizeof(path)), 17);
	assert_string_equal(path, "/some/where/sys/x");
	assert_int_equal(papi_linux_path("/sys/x", path, 17), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void usual_root_has_three_spellings(void **state)
{
	static const char *const spellings[] = { NULL, "", "/" };
	char path[64];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		papi_linux_set_root("/elsewhere");
		assert_int_equal(papi_linux_set_root(spellings[i]), 0);
		assert_string_equal(papi_linux_root(), "/");
		assert_true(papi_linux_is_live());
		assert_int_equal(papi_linux_path("/proc/stat", path, sizeof(path)), 10);
		assert_string_equal(path, "/proc/stat");
	}
}

static void too_long_root_changes_nothing(void **state)
{
	char root[PATH_MAX + 2];

	(void)state;
	memset(root, 'x', sizeof(root));
	root[0] = '/';
	root[sizeof(root) - 1] = '\0';
	errno = 0;
	assert_int_equal(papi_linux_set_root(root), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_string_equal(papi_linux_root(), directory);
	root[PATH_MAX - 1] = '\0';
	assert_int_equal(papi_linux_set_root(root), 0);
	assert_int_equal(papi_linux_open("/a"), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_null(papi_linux_open_directory("/a"));
	assert_false(papi_linux_exists("/a"));
}

static void read_file_fills_what_fits(void **state)
{
	char buffer[8];

	(void)state;
	put("a", "0123456789", 10);
	memset(buffer, 'x', sizeof(buffer));
	assert_int_equal(papi_linux_read_file("/a", buffer, sizeof(buffer)), 7);
	assert_string_equal(buffer, "0123456");
	assert_int_equal(papi_linux_read_file("/a", buffer, 1), 0);
	assert_string_equal(buffer, "");
	put("a", "", 0);
	buffer[0] = 'x';
	assert_int_equal(papi_linux_read_file("/a", buffer, sizeof(buffer)), 0);
	assert_string_equal(buffer, "");
}

static void missing_file_leaves_an_empty_string(void **state)
{
	char buffer[8] = "before";
	long long number = 5;

	(void)state;
	assert_int_equal(papi_linux_read_file("/none", buffer, sizeof(buffer)), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(buffer, "");
	assert_int_equal(papi_linux_read_int("/none", &number), -1);
	assert_int_equal(number, 5);
	assert_null(papi_linux_read_whole("/none", NULL));
	assert_int_equal(errno, ENOENT);
	/* A directory can be opened, but not read. */
	assert_int_equal(papi_linux_read_file("/", buffer, sizeof(buffer)), -1);
	assert_int_equal(errno, EISDIR);
	assert_null(papi_linux_read_whole("/", NULL));
	assert_int_equal(errno, EISDIR);
}

static void read_line_stops_at_the_end_of_the_line(void **state)
{
	char buffer[32];

	(void)state;
	put("a", "first\nsecond\n", 13);
	assert_int_equal(papi_linux_read_line("/a", buffer, sizeof(buffer)), 5);
	assert_string_equal(buffer, "first");
	put("a", "device,tree\0more\0", 17);
	assert_int_equal(papi_linux_read_line("/a", buffer, sizeof(buffer)), 11);
	assert_string_equal(buffer, "device,tree");
}

/* Around the sizes at which the buffer grows. */
static void read_whole_reads_every_length(void **state)
{
	static const size_t lengths[] = { 0, 1, 4094, 4095, 4096, 8190, 8191, 8192, 100000 };
	char *content = malloc(100000);

	(void)state;
	assert_non_null(content);
	for (size_t i = 0; i < 100000; i++)
		content[i] = (char)('a' + i % 26);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t length = 12345678;
		char *text;

		put("a", content, lengths[i]);
		text = papi_linux_read_whole("/a", &length);
		assert_non_null(text);
		assert_int_equal(length, lengths[i]);
		assert_memory_equal(text, content, length);
		assert_int_equal(text[length], '\0');
		free(text);
	}
	free(content);
}

static void read_int_takes_numbers_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		int result;
		long long value;
	} cases[] = {
		{ "42\n", 0, 42 },
		{ "-1\n", 0, -1 },
		{ "0008", 0, 8 },
		{ " 7 \n", 0, 7 },
		{ "0x00000000413fd0c1\n", 0, 0x413fd0c1 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "9223372036854775808", -1, ERANGE },
		{ "", -1, EINVAL },
		{ "\n", -1, EINVAL },
		{ "0x", -1, EINVAL },
		{ "12K\n", -1, EINVAL },
		{ "1 2\n", -1, EINVAL },
		{ "many\n", -1, EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		long long value = 99;

		put("a", cases[i].text, strlen(cases[i].text));
		assert_int_equal(papi_linux_read_int("/a", &value), cases[i].result);
		if (cases[i].result == 0)
			assert_int_equal(value, cases[i].value);
		else
			assert_int_equal(errno, cases[i].value);
	}
}

static void links_and_directories(void **state)
{
	char path[PATH_MAX + 32], target[16];
	DIR *opened = papi_linux_open_directory("/");

	(void)state;
	assert_non_null(opened);
	closedir(opened);
	put("a", "x", 1);
	assert_true(papi_linux_exists("/a"));
	assert_false(papi_linux_exists("/b"));
	snprintf(path, sizeof(path), "%s/link", directory);
	assert_int_equal(symlink("0123456789abcde", path), 0);
	assert_int_equal(papi_linux_read_link("/link", target, sizeof(target)), 15);
	assert_string_equal(target, "0123456789abcde");
	assert_int_equal(papi_linux_read_link("/link", target, 15), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(papi_linux_read_link("/a", target, sizeof(target)), -1);
	assert_int_equal(errno, EINVAL);
}

static void descriptors_are_close_on_exec(void **state)
{
	int descriptor;

	(void)state;
	put("a", "x", 1);
	descriptor = papi_linux_open("/a");
	assert_true(descriptor >= 0);
	assert_int_equal(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
	close(descriptor);
}

static void kernel_files_are_read_whole(void **state)
{
	size_t length;
	char *text;
	char small[16];

	(void)state;
	papi_linux_set_root(NULL);
	/* The kernel gives this a page at a time, and the C library's mappings fill more than one. */
	text = papi_linux_read_whole("/proc/self/maps", &length);
	assert_non_null(text);
	assert_int_equal(strlen(text), length);
	assert_non_null(strstr(text, "[stack]"));
	assert_non_null(strstr(text, "[vdso]"));
	free(text);
	assert_int_equal(papi_linux_read_file("/proc/self/maps", small, sizeof(small)), sizeof(small) - 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_is_copied_and_trimmed),
		TEST(usual_root_has_three_spellings),
		TEST(too_long_root_changes_nothing),
		TEST(read_file_fills_what_fits),
		TEST(missing_file_leaves_an_empty_string),
		TEST(read_line_stops_at_the_end_of_the_line),
		TEST(read_whole_reads_every_length),
		TEST(read_int_takes_numbers_and_nothing_else),
		TEST(links_and_directories),
		TEST(descriptors_are_close_on_exec),
		TEST(kernel_files_are_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
