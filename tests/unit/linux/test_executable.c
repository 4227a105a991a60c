/* SPDX-License-Identifier: BSD-3-Clause */
/* linux/process/executable.h: addresses of this program against what the compiler and the linker say. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sanitizers.h"
#include "base/files.h"
#include "linux/process/executable.h"

#define THREADS 8

/* A library of the C library's package that this program does not need. */
#define SPARE_LIBRARY "libnss_compat.so.2"

static int initialised = 42;
static int zeroed[1000];

static int tear_down(void **state)
{
	(void)state;
	papi_executable_release();
	papi_linux_set_root(NULL);
	return 0;
}

static bool is_within(const void *address, vptr_t start, vptr_t end)
{
	return (const char *)address >= (const char *)start && (const char *)address < (const char *)end;
}

/* An address of a function as one of an object, which POSIX allows where there is dlsym(). */
static const void *code_address(void (*function)(void))
{
	const void *address;

	memcpy(&address, &function, sizeof(address));
	return address;
}

static void nothing(void)
{
}

static void program_addresses_are_in_their_segments(void **state)
{
	const PAPI_exe_info_t *info = papi_executable_get();
	const PAPI_address_map_t *map;

	(void)state;
	assert_non_null(info);
	map = &info->address_info;
	assert_true(is_within(code_address(nothing), map->text_start, map->text_end));
	assert_true(is_within(&initialised, map->data_start, map->data_end));
	assert_true(is_within(&zeroed[999], map->bss_start, map->bss_end));
	assert_false(is_within(&initialised, map->text_start, map->text_end));
	assert_false(is_within(&zeroed[0], map->data_start, map->data_end));
	assert_ptr_equal(map->data_end, map->bss_start);
	/* Once made, it stays. */
	assert_ptr_equal(papi_executable_get(), info);
}

static void program_has_its_path_and_its_name(void **state)
{
	const PAPI_exe_info_t *info = papi_executable_get();
	char path[PATH_MAX];

	(void)state;
	assert_non_null(realpath("/proc/self/exe", path));
	assert_string_equal(info->fullname, path);
	assert_string_equal(info->address_info.name, strrchr(path, '/') + 1);
}

static void path_is_known_without_proc(void **state)
{
	char path[PATH_MAX];
	const PAPI_exe_info_t *info;

	(void)state;
	assert_non_null(realpath("/proc/self/exe", path));
	papi_linux_set_root("/nowhere/at/all");
	info = papi_executable_get();
	assert_string_equal(info->fullname, path);
}

/* In a copy of this program, started with this argument: it removes itself and must still know its path. */
#define REMOVE_YOURSELF "remove-yourself"

static int remove_yourself(const char *path)
{
	const PAPI_exe_info_t *info;

	if (unlink(path) != 0)
		return 2;
	info = papi_executable_get();
	if (!info || strcmp(info->fullname, path) != 0)
		return 1;
	papi_executable_release();
	return 0;
}

static void copy_of_this_program(char *path)
{
	size_t length;
	char *program;
	int descriptor = mkstemp(path);

	assert_true(descriptor >= 0);
	program = papi_linux_read_whole("/proc/self/exe", &length);
	assert_non_null(program);
	assert_int_equal(write(descriptor, program, length), length);
	assert_int_equal(fchmod(descriptor, 0700), 0);
	close(descriptor);
	free(program);
}

static void path_is_known_when_the_file_is_gone(void **state)
{
	char path[] = "/tmp/papi-executable-XXXXXX";
	pid_t child;
	int status;

	(void)state;
	copy_of_this_program(path);
	child = fork();
	if (child == 0) {
		execl(path, path, REMOVE_YOURSELF, (char *)NULL);
		_exit(3);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(path);
	/* Some systems run nothing from /tmp. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		skip();
	assert_int_equal(status, 0);
}

static const PAPI_address_map_t *find_library(const char *part)
{
	const PAPI_shlib_info_t *libraries = papi_libraries_get();

	assert_non_null(libraries);
	for (int i = 0; i < libraries->count; i++) {
		if (strstr(libraries->map[i].name, part))
			return &libraries->map[i];
	}
	return NULL;
}

static void libraries_hold_their_functions(void **state)
{
	const PAPI_address_map_t *map = find_library("libc.so");
	/* One that no sanitizer puts its own in the place of. */
	void *function = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");

	(void)state;
	/* A static program has no such library, and another C library no such function. */
	if (!map || !function) {
		skip();
		return;
	}
	assert_int_equal(map->name[0], '/');
	assert_true(is_within(function, map->text_start, map->text_end));
	assert_true(is_within(dlsym(RTLD_DEFAULT, "environ"), map->data_start, map->bss_end));
	assert_null(find_library(papi_executable_get()->address_info.name));
}

/* Each executable segment of a file is in /proc/self/maps, under the same name. */
static void libraries_agree_with_the_maps(void **state)
{
	const PAPI_shlib_info_t *libraries = papi_libraries_get();
	char *maps = papi_linux_read_whole("/proc/self/maps", NULL);

	(void)state;
	assert_non_null(maps);
	for (int i = 0; i < libraries->count; i++) {
		const PAPI_address_map_t *map = &libraries->map[i];
		char start[32];
		char *line, *end;

		snprintf(start, sizeof(start), "%08lx-", (unsigned long)(uintptr_t)map->text_start);
		line = strstr(maps, start);
		assert_non_null(line);
		end = strchr(line, '\n');
		*end = '\0';
		assert_non_null(strstr(line, " r-xp "));
		/* The linker's path may be a link. */
		assert_non_null(strstr(line, map->name[0] == '[' ? map->name : strrchr(line, '/')));
		*end = '\n';
	}
	free(maps);
}

static void vdso_has_the_kernels_name(void **state)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	const PAPI_address_map_t *map = find_library("[vdso]");

	(void)state;
	if (start == 0)
		skip();
	assert_non_null(map);
	assert_true((uintptr_t)map->text_start >= start);
	assert_true(is_within((const char *)map->text_end - 1, map->text_start, map->text_end));
}

static void loaded_libraries_come_and_go(void **state)
{
	const PAPI_shlib_info_t *before = papi_libraries_get();
	const PAPI_shlib_info_t *during;
	int count = before->count;
	void *library;

	(void)state;
	assert_ptr_equal(papi_libraries_get(), before);
	assert_null(find_library(SPARE_LIBRARY));
	library = dlopen(SPARE_LIBRARY, RTLD_NOW);
	if (!library) {
		skip();
		return;
	}
	during = papi_libraries_get();
	assert_ptr_not_equal(during, before);
	assert_true(during->count > count);
	assert_non_null(find_library(SPARE_LIBRARY));
	/* One change later the first list can still be read. */
	assert_int_equal(before->count, count);
	dlclose(library);
	assert_null(find_library(SPARE_LIBRARY));
	assert_int_equal(papi_libraries_get()->count, count);
}

static void release_forgets_and_may_be_repeated(void **state)
{
	(void)state;
	assert_non_null(papi_executable_get());
	assert_non_null(papi_libraries_get());
	papi_executable_release();
	papi_executable_release();
	assert_true(papi_libraries_get()->count > 0);
	assert_true(papi_executable_get()->fullname[0] == '/');
}

/* The dynamic linker's lock is in a library that ThreadSanitizer does not see into: it would report the linker's
 * data. */
#define LINKER_LOOKS_UNLOCKED THREAD_SANITIZER

/* Threads that read the list while others load and unload; the sanitizers watch. */
static void *load_and_list(void *failures)
{
	for (int i = 0; i < 50; i++) {
		void *library = dlopen(SPARE_LIBRARY, RTLD_NOW);
		const PAPI_exe_info_t *program = papi_executable_get();

		if (!program || program->fullname[0] != '/')
			__atomic_fetch_add((int *)failures, 1, __ATOMIC_RELAXED);
		if (library)
			dlclose(library);
	}
	return NULL;
}

static void threads_may_ask_at_once(void **state)
{
	pthread_t threads[THREADS];
	int failures = 0;

	(void)state;
	if (LINKER_LOOKS_UNLOCKED)
		skip();
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, load_and_list, &failures), 0);
	/* Only this thread asks for libraries, so that no list it holds is replaced twice. */
	for (int i = 0; i < 200; i++)
		assert_true(papi_libraries_get()->count > 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(failures, 0);
}

#define TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(program_addresses_are_in_their_segments),
		TEST(program_has_its_path_and_its_name),
		TEST(path_is_known_without_proc),
		TEST(path_is_known_when_the_file_is_gone),
		TEST(libraries_hold_their_functions),
		TEST(libraries_agree_with_the_maps),
		TEST(vdso_has_the_kernels_name),
		TEST(loaded_libraries_come_and_go),
		TEST(release_forgets_and_may_be_repeated),
		TEST(threads_may_ask_at_once),
	};

	if (argc == 2 && strcmp(argv[1], REMOVE_YOURSELF) == 0)
		return remove_yourself(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
