/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_library_init() between two system calls that papi_init_syscalls.sh finds again in the output of strace. */
#include <papi.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int version;

	if (access("init begins", F_OK) == 0)
		return 1;
	version = PAPI_library_init(PAPI_VER_CURRENT);
	if (access("init ends", F_OK) == 0)
		return 1;
	if (version != PAPI_VER_CURRENT) {
		fprintf(stderr, "PAPI_library_init: %s\n", PAPI_error_detail());
		return 1;
	}
	return 0;
}
