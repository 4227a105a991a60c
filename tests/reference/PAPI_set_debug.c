/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_set_debug: with PAPI_VERB_ECONT a failed call says so on standard error, and goes on. */
#include <stdio.h>
#include <unistd.h>

#include "reference.h"

/* Standard error of one failed call, in a file. */
static long said_with(int level)
{
	FILE *said = tmpfile();
	int usual = dup(STDERR_FILENO);
	long length;

	REQUIRE(said && usual >= 0);
	EXPECT_OK(PAPI_set_debug(level));
	fflush(stderr);
	dup2(fileno(said), STDERR_FILENO);
	PAPI_start(PAPI_NULL);
	fflush(stderr);
	dup2(usual, STDERR_FILENO);
	close(usual);
	length = lseek(fileno(said), 0, SEEK_END);
	fclose(said);
	EXPECT_OK(PAPI_set_debug(PAPI_QUIET));
	return length;
}

void example(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(0, said_with(PAPI_QUIET));
	EXPECT(said_with(PAPI_VERB_ECONT) > 0);
	EXPECT_STATUS(PAPI_EINVAL, PAPI_set_debug(4711));
}
