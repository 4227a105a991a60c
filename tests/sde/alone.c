/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that defines events and never links libpapi: all of it works, and nothing of libpapi is there. */
#include <dlfcn.h>
#include <sde_lib.h>
#include <stdio.h>

int main(void)
{
	papi_handle_t handle = papi_sde_init("alone");
	static long long variable;
	void *counter = NULL, *recorder = NULL;
	int failures = 0;

	failures += handle == NULL;
	failures += papi_sde_register_counter(handle, "v", PAPI_SDE_RO, PAPI_SDE_long_long, &variable) != 0;
	failures += papi_sde_create_counter(handle, "c", PAPI_SDE_RO, &counter) != 0;
	failures += papi_sde_create_recorder(handle, "r", sizeof(variable), papi_sde_compare_long_long, &recorder) != 0;
	for (variable = 0; variable < 1000; variable++) {
		failures += papi_sde_inc_counter(counter, 1) != 0;
		failures += papi_sde_record(recorder, sizeof(variable), &variable) != 0;
	}
	failures += papi_sde_shutdown(handle) != 0;
	failures += papi_sde_inc_counter(counter, 1) != -1;
	failures += dlsym(RTLD_DEFAULT, "PAPI_library_init") != NULL;
	if (failures)
		fprintf(stderr, "%d expectations failed\n", failures);
	return failures > 0;
}
