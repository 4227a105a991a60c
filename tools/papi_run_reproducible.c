/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_reproducible.c - what differs from run to run without the program's doing, switched off: where the kernel
 * puts its memory, and by what its language's runtime mixes its hash tables. The agent leaves out the kernel's own code
 * in the program, which reads the clock, for that begins anew when the kernel changes the time meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#include "papi_run.h"
#include "program.h"

/* Asks for the present personality. */
#define QUERY 0xffffffffUL

/* Variables that languages read their seeds from. A variable that the user has set stays. */
static const struct {
	const char *name, *value;
} seeds[] = {
	{ "PYTHONHASHSEED", "0" },
	{ "PERL_HASH_SEED", "0" },
	{ "PERL_PERTURB_KEYS", "0" },
	{ "QT_HASH_SEED", "0" },
};

static bool reproducible;

bool papi_run_is_reproducible(void)
{
	return reproducible;
}

void papi_run_reproduce(void)
{
	int present = personality(QUERY);

	/* Of this process, which is where it is; what it executes inherits it. */
	if (present < 0 || personality((unsigned long)present | ADDR_NO_RANDOMIZE) < 0) {
		papi_run_message(
			"--reproducible: the kernel does not let address randomization be switched off: %s; in a "
			"container this takes a seccomp profile that allows personality(2); nothing was run",
			strerror(errno));
		exit(PAPI_PROGRAM_FAILURE);
	}
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		setenv(seeds[i].name, seeds[i].value, 0);
	reproducible = true;
}
