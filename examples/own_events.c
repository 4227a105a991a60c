/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An event of the program's own. The first half would be in a library, which links libsde and knows nothing of libpapi;
 * the second in a tool, or here in the same program.
 *
 *     cc own_events.c $(pkg-config --cflags --libs papi sde) -o own_events && ./own_events
 */
#include <papi.h>
#include <sde_lib.h>
#include <stdio.h>

static long long steps;

static void solver_begin(void)
{
	papi_handle_t handle = papi_sde_init("solver");

	papi_sde_register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
	papi_sde_describe_counter(handle, "steps", "Newton steps of the solver");
}

/* The square root of 2. */
static double solve(void)
{
	double x = 2, next;

	for (; (next = (x + 2 / x) / 2) < x; steps++)
		x = next;
	return x;
}

int main(void)
{
	int set = PAPI_NULL;
	long long counted;

	solver_begin();
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_add_named_event(set, "sde:::solver::steps") != PAPI_OK || PAPI_start(set) != PAPI_OK) {
		fprintf(stderr, "cannot count: %s\n", PAPI_error_detail());
		return 1;
	}
	double root = solve();
	PAPI_stop(set, &counted);
	printf("%.6f after %lld steps\n", root, counted);
}
