/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that changes while it is counted, also what has been branched to directly for many rounds: the new one runs, and
 * counts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "virtual.h"

#define PIECE  65536u
#define ROUNDS 50

/* changing.S */
extern const char changing_first[], changing_end[];

static char *code;
static int file;
static uint64_t results[4];

/* A file is taken to stay as it is, as long as it is mapped. */
static void map_piece(unsigned place, unsigned piece)
{
	char *at = code + (size_t)PIECE * place;

	REQUIRE(mmap(at, PIECE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, (off_t)PIECE * piece) == at);
}

static void write_piece(unsigned place, unsigned piece)
{
	char *at = code + (size_t)PIECE * place;

	memcpy(at, changing_first + (size_t)PIECE * piece, 256);
	__builtin___clear_cache(at, at + 256);
}

static void run_all(void (*put)(unsigned place, unsigned piece))
{
	for (unsigned i = 0; i < 4; i++) {
		put(1, 1 + i % 2);
		results[i] = ((uint64_t(*)(uint64_t))(uintptr_t)code)(ROUNDS);
	}
}

static void run_mapped(void *unused)
{
	(void)unused;
	run_all(map_piece);
}

static void run_written(void *unused)
{
	(void)unused;
	run_all(write_piece);
}

/* Several events, and then one alone: which counts as much. */
static void check(const char *name, void (*work)(void *))
{
	struct counts counts[2];

	for (unsigned i = 0; i < 2; i++) {
		virtual_count_alone(i);
		EXPECT(virtual_count_twice(name, work, NULL));
		memset(results, 0, sizeof(results));
		counts[i] = virtual_count(work, NULL);
		for (unsigned j = 0; j < COUNT_OF(results); j++)
			EXPECT_EQUAL((long long)ROUNDS * 20 * (1 + j % 2), (long long)results[j]);
	}
	EXPECT_EQUAL(counts[0].of[INSTRUCTIONS], counts[1].of[INSTRUCTIONS]);
}

static void mapped_anew(void)
{
	file = memfd_create("changing", 0);
	REQUIRE(file >= 0 &&
		write(file, changing_first, (size_t)(changing_end - changing_first)) == changing_end - changing_first);
	code = mmap(NULL, 2 * (size_t)PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(code != MAP_FAILED);
	map_piece(0, 0);
	check("mapped anew", run_mapped);
}

static void written_anew(void)
{
	code = mmap(NULL, 2 * (size_t)PIECE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(code != MAP_FAILED);
	write_piece(0, 0);
	check("written anew", run_written);
}

int main(void)
{
	static const struct test tests[] = {
		{ "mapped anew", mapped_anew },
		{ "written anew", written_anew },
	};

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
