/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled with papi.h and sde_lib.h alone, as programs for 7.0 are: what they bring along, and the macros. */
#include <papi.h>
#include <sde_lib.h>

static int failures;

static void check(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "%s\n", what);
	failures++;
}

#define CHECK(condition) check(condition, #condition)

static void along(void)
{
	pid_t process = 1;
	size_t size = sizeof(process);
	caddr_t address = (caddr_t)&process;
	u_long_long most = ULLONG_MAX;

	CHECK(SIGPROF > 0 && INT_MAX > 0 && size > 0 && address != NULL && most + 1 == 0);
	CHECK(sizeof(PAPI_overflow_option_t) <= sizeof(PAPI_option_t));
}

static void codes(void)
{
	const int all[] = { PAPI_TOT_INS, PAPI_NATIVE_MASK | 5, PAPI_UE_MASK | 5, 5 };
	const int of_preset[] = { 1, 0, 0, 0 }, of_native[] = { 0, 1, 0, 0 }, of_user[] = { 0, 0, 1, 0 };

	for (int i = 0; i < 4; i++) {
		CHECK((IS_PRESET(all[i]) != 0) == of_preset[i]);
		CHECK((IS_NATIVE(all[i]) != 0) == of_native[i]);
		CHECK((IS_USER_DEFINED(all[i]) != 0) == of_user[i]);
	}
	CHECK(USER_EVENT_OPERATION_LEN == 512);
}

static void caches(void)
{
	int type = PAPI_MH_TYPE_DATA | PAPI_MH_TYPE_WB | PAPI_MH_TYPE_PSEUDO_LRU | PAPI_MH_TYPE_RW_ALLOC;

	CHECK(PAPI_MH_CACHE_TYPE(type) == PAPI_MH_TYPE_DATA);
	CHECK(PAPI_MH_CACHE_WRITE_POLICY(type) == PAPI_MH_TYPE_WB);
	CHECK(PAPI_MH_CACHE_REPLACEMENT_POLICY(type) == PAPI_MH_TYPE_PSEUDO_LRU);
	CHECK(PAPI_MH_CACHE_ALLOCATION_POLICY(type) == PAPI_MH_TYPE_RW_ALLOC);
}

static void earlier_names(void)
{
	int code = 0;

	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	CHECK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code) == PAPI_OK);
	CHECK(PAPI_COMPONENT_INDEX(code) == PAPI_get_component_index("perf_event"));
	CHECK(PAPI_descr_error(PAPI_EINVAL) == PAPI_strerror(PAPI_EINVAL));
	PAPI_shutdown();
}

static void software_defined(void)
{
	papi_sde_cmpr_fptr_t compare = papi_sde_compare_int;
	papi_sde_fptr_struct_t functions;

	POPULATE_SDE_FPTR_STRUCT(functions);
	CHECK(functions.init == papi_sde_init && functions.get_counter_handle == papi_sde_get_counter_handle);
	CHECK(compare(&(int){ 1 }, &(int){ 2 }) < 0);
	CHECK(SDE_OK == PAPI_OK && SDE_EINVAL == PAPI_EINVAL && SDE_ENOMEM == PAPI_ENOMEM && SDE_ECMP == PAPI_ECMP &&
		SDE_ENOEVNT == PAPI_ENOEVNT);
	CHECK(PAPI_SDE_VERSION == PAPI_SDE_VERSION_NUMBER(1, 0));
}

int main(void)
{
	along();
	codes();
	caches();
	earlier_names();
	software_defined();
	return failures > 0;
}
