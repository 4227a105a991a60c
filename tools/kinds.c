/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kinds of counts mean. See kinds.h. */
#include "kinds.h"

#include <stddef.h>

const struct papi_kind papi_kinds[] = {
	{ "partial", "[p]", "some of the processes, or what they did, is missing: see below" },
	{ "modelled", "[m]", "simulated; compares versions of a program well, and is no measure of this processor" },
	{ "estimated", "[e]", "counted for a part of the time, or simulated for a part of the caches, and scaled up" },
	{ "sampled", "[s]", "estimated from samples" },
	{ "affected", "[a]", "counted by the kernel, together with what the counting itself does inside the program" },
	{ "slowed", "[t]", "made longer by the counting, so nothing is divided by it" },
	{ NULL, NULL, NULL },
};
