/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with software-defined events, to be loaded by programs that may know nothing of libsde. */
#include <sde_lib.h>

static long long steps;

__attribute__((visibility("default"))) papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *functions)
{
	papi_handle_t handle = functions->init("plugin");
	void *counter;

	functions->register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
	functions->describe_counter(handle, "steps", "steps that the plugin has made");
	functions->create_counter(handle, "made", PAPI_SDE_RO | PAPI_SDE_DELTA, &counter);
	functions->create_recorder(handle, "times", sizeof(double), papi_sde_compare_double, &counter);
	return handle;
}

__attribute__((visibility("default"))) void plugin_begin(void);
void plugin_begin(void)
{
	papi_handle_t handle = papi_sde_init("plugin");

	papi_sde_register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
}

__attribute__((visibility("default"))) void plugin_work(long long n);
void plugin_work(long long n)
{
	steps += n;
}
