/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that comes and goes, in regions that are counted virtually and between them: libraries, and what programs write
 * at run time. What runs is what is there.
 *
 *	test_vpmu_code PLUGIN OTHER [TIMES]
 *
 * Those are two libraries of the same size, whose functions differ in a constant, and how often blocks become stale.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "processor.h"
#include "virtual.h"

static char **plugins;
static long times = 100;

static void load_and_unload(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 5; i++) {
		void *library = dlopen("libm.so.6", RTLD_NOW), *other = dlopen("libgcc_s.so.1", RTLD_NOW);
		double (*cosine)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;

		if (EXPECT(cosine))
			EXPECT(cosine(0) == 1);
		if (other)
			dlclose(other);
		if (library)
			dlclose(library);
	}
}

static void test_libraries(void)
{
	virtual_count(load_and_unload, NULL);
	virtual_count(load_and_unload, NULL);
}

/* ---- libraries ---- */

static volatile int answer;

static void ask(void *function)
{
	answer = ((int (*)(void))(uintptr_t)function)();
}

/* What the function of that plugin answers, natively or in a region, and where it was. */
static void *ask_plugin(const char *path, int expected, bool counted)
{
	void *plugin = dlopen(path, RTLD_NOW), *function = plugin ? dlsym(plugin, "plugin_answer") : NULL;

	if (!EXPECT(function))
		return NULL;
	answer = 0;
	if (counted)
		virtual_count(ask, function);
	else
		ask(function);
	EXPECT_EQUAL(expected, answer);
	EXPECT(dlclose(plugin) == 0);
	return function;
}

/* Loaded and unloaded where nobody sees it, one after the other at the same address. */
static void test_libraries_between_regions(void)
{
	unsigned same = 0;

	for (unsigned i = 0; i < 20; i++) {
		void *first = ask_plugin(plugins[0], 1001, true);

		same += first && first == ask_plugin(plugins[1], 1002, true);
		ask_plugin(plugins[0], 1001, false);
	}
	if (!same)
		check_skip("no library was loaded where another had been");
}

static void write_function(unsigned char *code, uint32_t number)
{
	processor_write_function(code, number);
	processor_code_written(code, FUNCTION_SIZE);
}

static unsigned char *page;

static bool map_page(void)
{
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		check_skip("memory that is writable and executable is refused");
	return page != MAP_FAILED;
}

static void rewrite(void *protect)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		if (protect)
			mprotect(page, 4096, PROT_READ | PROT_WRITE);
		write_function(page + 16 * (i % 7), i);
		if (protect)
			mprotect(page, 4096, PROT_READ | PROT_EXEC);
		sum += ((uint32_t(*)(void))(uintptr_t)(page + 16 * (i % 7)))();
	}
	EXPECT_EQUAL(499500, sum);
}

/* The same address holds another function after each unmapping. */
static void remap(void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < 50; i++) {
		unsigned char *code = mmap(
			page + 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

		write_function(code, i);
		mprotect(code, 4096, PROT_READ | PROT_EXEC);
		EXPECT(((uint32_t(*)(void))(uintptr_t)code)() == i);
		munmap(code, 4096);
	}
}

/*
 * Blocks become stale while another thread is anywhere in them, and it goes on from there. Both share a processor, so
 * that one stands still while the other translates: mostly at the slow instruction behind the first one, which is the
 * shortest.
 */
static atomic_bool translating;

static void loop(void *unused)
{
	uint64_t rounds = 200000;

	(void)unused;
#ifdef __aarch64__
	__asm__ volatile("1:	str	x9, [sp, #-16]!\n"
			 "	dmb	ish\n"
			 "	ldr	x9, [sp], #16\n"
			 "	subs	%0, %0, #1\n"
			 "	b.ne	1b\n"
			 : "+r"(rounds)
			 :
			 : "cc", "memory");
#else
	__asm__ volatile("1:	push	%%rbx\n"
			 "	lock orl $0, (%%rsp)\n"
			 "	pop	%%rbx\n"
			 "	sub	$1, %0\n"
			 "	jnz	1b\n"
			 : "+r"(rounds)
			 :
			 : "cc", "memory");
#endif
}

static void *run_loop(void *unused)
{
	struct counts first;

	virtual_count(loop, NULL);
	first = virtual_count(loop, NULL);
	while (atomic_load(&translating))
		if (!EXPECT(virtual_same("a loop", first, virtual_count(loop, NULL))))
			break;
	virtual_forget();
	return unused;
}

static void test_stale_blocks(void)
{
	cpu_set_t all, one;
	pthread_t thread;

	if (processor_is_emulated()) {
		check_skip("an emulator of programs does not see when blocks are parted that it has joined");
		return;
	}
	if (!map_page())
		return;
	REQUIRE(sched_getaffinity(0, sizeof(all), &all) == 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	atomic_store(&translating, true);
	REQUIRE(pthread_create(&thread, NULL, run_loop, NULL) == 0);
	for (long i = 0; i < times; i++)
		virtual_count(rewrite, NULL);
	atomic_store(&translating, false);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(all), &all);
	munmap(page, 8192);
}

/* Through another view of the same memory, as programs do that have none which is writable and executable. */
struct views {
	unsigned char *write, *run;
};

static void rewrite_other_view(void *pointer)
{
	const struct views *views = pointer;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		write_function(views->write + 16 * (i % 7), i);
		processor_code_written(views->run + 16 * (i % 7), FUNCTION_SIZE);
		sum += ((uint32_t(*)(void))(uintptr_t)(views->run + 16 * (i % 7)))();
	}
	EXPECT_EQUAL(499500, sum);
}

static void test_code_mapped_twice(void)
{
	int file = memfd_create("code", MFD_CLOEXEC);
	struct views views;

	if (processor_is_emulated()) {
		check_skip("an emulator of programs does not see what is written through another view");
		return;
	}
	REQUIRE(file >= 0 && ftruncate(file, 4096) == 0);
	views.write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	views.run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	close(file);
	REQUIRE(views.write != MAP_FAILED);
	if (views.run == MAP_FAILED)
		check_skip("memory that is written elsewhere cannot be executed");
	else
		EXPECT(virtual_count_twice("code that is mapped twice", rewrite_other_view, &views));
	munmap(views.write, 4096);
	if (views.run != MAP_FAILED)
		munmap(views.run, 4096);
}

static _Atomic bool asked, grown;

/* A function that returns 7 and begins at the end of a page, with its first instruction or a part of it. */
#ifdef __aarch64__
#define BEFORE_BORDER 4
#else
#define BEFORE_BORDER 1
#endif

static void write_across(unsigned char *border)
{
	write_function(border - BEFORE_BORDER, 7);
}

/* Executable memory that grows, as that of JIT compilers does: an instruction lies across where it ended. */
static void grow(void *pointer)
{
	unsigned char *known = pointer, *border = known + sysconf(_SC_PAGESIZE);

	write_function(known, 5);
	EXPECT_EQUAL(5, ((int (*)(void))(uintptr_t)known)());
	EXPECT(mprotect(border, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	write_across(border);
	EXPECT_EQUAL(7, ((int (*)(void))(uintptr_t)(border - BEFORE_BORDER))());
}

/* The same where a thread that is not counted makes it grow: nothing tells. */
static void *grow_when_asked(void *border)
{
	while (!atomic_load(&asked))
		sched_yield();
	EXPECT(mprotect(border, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
	write_across(border);
	atomic_store(&grown, true);
	return NULL;
}

static void wait_for_growth(void *pointer)
{
	unsigned char *known = pointer, *border = known + sysconf(_SC_PAGESIZE);

	write_function(known, 5);
	EXPECT_EQUAL(5, ((int (*)(void))(uintptr_t)known)());
	atomic_store(&asked, true);
	while (!atomic_load(&grown))
		sched_yield();
	for (unsigned i = 0; i < 100; i++)
		EXPECT_EQUAL(7, ((int (*)(void))(uintptr_t)(border - BEFORE_BORDER))());
}

static void test_growing_code(void)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	pthread_t thread;

	for (unsigned i = 0; i < 2; i++) {
		unsigned char *pages = mmap(NULL, 3 * page_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		REQUIRE(pages != MAP_FAILED);
		REQUIRE(mprotect(pages, page_size, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
		if (i == 0) {
			virtual_count(grow, pages);
		} else {
			REQUIRE(pthread_create(&thread, NULL, grow_when_asked, pages + page_size) == 0);
			virtual_count(wait_for_growth, pages);
			REQUIRE(pthread_join(thread, NULL) == 0);
		}
		munmap(pages, 3 * page_size);
	}
}

static void test_code_written_at_run_time(void)
{
	if (!map_page())
		return;
	EXPECT(virtual_count_twice("code that is rewritten", rewrite, NULL));
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	EXPECT(virtual_count_twice("code that is rewritten and protected", rewrite, page));
	EXPECT(virtual_count_twice("code that is unmapped", remap, NULL));
	munmap(page, 8192);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "libraries", test_libraries },
		{ "libraries between regions", test_libraries_between_regions },
		{ "code written at run time", test_code_written_at_run_time },
		{ "code mapped twice", test_code_mapped_twice },
		{ "growing code", test_growing_code },
		{ "stale blocks", test_stale_blocks },
	};

	if (count < 3 || !virtual_begin())
		return 77;
	plugins = arguments + 1;
	if (count > 3)
		times = strtol(arguments[3], NULL, 10);
	return check_run(tests, COUNT_OF(tests));
}
