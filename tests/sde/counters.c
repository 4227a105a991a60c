/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of all makings and types: exact values, modes, ends, and what is refused. */
#include <string.h>

#include "sde.h"

static papi_handle_t library;

static long long steps, level;
static int small = 5;
static double energy;
static float heat;

static void variables(void)
{
	int set;

	steps = 1000;
	EXPECT_OK(
		papi_sde_register_counter(library, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps));
	set = sde_set("sde:::test::steps");
	steps = 2000;
	EXPECT_OK(PAPI_start(set));
	steps += 7;
	EXPECT_EQUAL(7, sde_read(set));
	steps += 5;
	EXPECT_EQUAL(12, sde_read(set));
	EXPECT_OK(PAPI_reset(set));
	EXPECT_EQUAL(0, sde_read(set));
	steps += 3;
	EXPECT_EQUAL(3, sde_stop(set));
	steps += 100;
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(0, sde_stop(set));
	sde_discard(set);
}

static void accumulated_and_written(void)
{
	int set = sde_set("sde:::test::steps");
	long long value = 50, sum = 1000;

	EXPECT_OK(PAPI_start(set));
	steps += 4;
	EXPECT_OK(PAPI_accum(set, &sum));
	EXPECT_EQUAL(1004, sum);
	steps += 6;
	EXPECT_EQUAL(6, sde_read(set));
	EXPECT_OK(PAPI_write(set, &value));
	steps += 1;
	EXPECT_EQUAL(51, sde_stop(set));
	/* The program's variable is its own. */
	EXPECT_EQUAL(2000 + 12 + 3 + 100 + 11, steps);
	sde_discard(set);
}

static void instant_variables(void)
{
	int set;

	EXPECT_OK(papi_sde_register_counter(
		library, "level", PAPI_SDE_RW | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &level));
	set = sde_set("sde:::test::level");
	level = 42;
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(42, sde_read(set));
	level = -3;
	EXPECT_EQUAL(-3, sde_read(set));
	EXPECT_OK(PAPI_reset(set));
	EXPECT_EQUAL(-3, sde_stop(set));
	sde_discard(set);
}

static void types(void)
{
	int set = PAPI_NULL;
	long long values[3];

	EXPECT_OK(papi_sde_register_counter(library, "small", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_int, &small));
	EXPECT_OK(papi_sde_register_counter(library, "energy", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &energy));
	EXPECT_OK(papi_sde_register_counter(library, "heat", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_float, &heat));
	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::test::small"));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::test::energy"));
	EXPECT_OK(PAPI_add_named_event(set, "sde:::test::heat"));
	energy = 0.5;
	EXPECT_OK(PAPI_start(set));
	small -= 12;
	energy += 1.25;
	heat = 36.5f;
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(-12, values[0]);
	EXPECT(GET_DOUBLE_SDE(values[1]) == 1.25);
	EXPECT(GET_FLOAT_SDE(values[2]) == 36.5f);
	sde_discard(set);
}

static void described(void)
{
	PAPI_event_info_t info;
	char long_text[3000];
	int code;

	EXPECT_OK(PAPI_event_name_to_code("sde:::test::energy", &code));
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT("test::energy", info.long_descr);
	EXPECT_OK(papi_sde_describe_counter(library, "energy", "joules that went into it"));
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT("sde:::test::energy", info.symbol);
	EXPECT_TEXT("joules that went into it", info.long_descr);
	EXPECT_EQUAL(PAPI_DATATYPE_FP64, info.data_type);
	EXPECT_EQUAL(PAPI_VALUETYPE_RUNNING_SUM, info.value_type);
	EXPECT_EQUAL(PAPI_get_component_index("sde"), info.component_index);
	EXPECT_OK(PAPI_event_name_to_code("sde:::test::level", &code));
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_EQUAL(PAPI_DATATYPE_INT64, info.data_type);
	EXPECT_EQUAL(PAPI_VALUETYPE_ABSOLUTE, info.value_type);
	EXPECT_EQUAL(PAPI_TIMESCOPE_POINT, info.timescope);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	EXPECT_OK(papi_sde_describe_counter(library, "energy", long_text));
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT(strlen(info.long_descr) < sizeof(info.long_descr));
}

static int calls;

static long long twice(void *param)
{
	calls++;
	return 2 * *(long long *)param;
}

static long long as_double(void *param)
{
	double value = (double)*(long long *)param / 4;
	long long bytes;

	memcpy(&bytes, &value, sizeof(bytes));
	return bytes;
}

static void functions(void)
{
	static long long number = 10;
	int set, quarters;

	EXPECT_OK(papi_sde_register_counter_cb(
		library, "twice", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, twice, &number));
	EXPECT_OK(papi_sde_register_counter_cb(
		library, "quarter", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, as_double, &number));
	set = sde_set("sde:::test::twice");
	quarters = sde_set("sde:::test::quarter");
	EXPECT_EQUAL(0, calls);
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_start(quarters));
	number = 17;
	EXPECT_EQUAL(14, sde_read(set));
	EXPECT_EQUAL(2, calls);
	EXPECT(GET_DOUBLE_SDE(sde_stop(quarters)) == 4.25);
	EXPECT_EQUAL(14, sde_stop(set));
	EXPECT_EQUAL(3, calls);
	sde_discard(set);
	sde_discard(quarters);
}

static void created(void)
{
	void *handle = NULL, *instant = NULL;
	int set, instant_set;

	EXPECT_OK(papi_sde_create_counter(library, "made", PAPI_SDE_RO | PAPI_SDE_DELTA, &handle));
	EXPECT_OK(papi_sde_create_counter(library, "made now", PAPI_SDE_RO | PAPI_SDE_INSTANT, &instant));
	EXPECT(papi_sde_get_counter_handle(library, "made") == handle);
	EXPECT_OK(papi_sde_inc_counter(handle, 100));
	EXPECT_OK(papi_sde_inc_counter(instant, 100));
	set = sde_set("sde:::test::made");
	instant_set = sde_set("sde:::test::made now");
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_start(instant_set));
	for (int i = 0; i < 1000; i++)
		EXPECT_OK(papi_sde_inc_counter(handle, 3));
	EXPECT_OK(papi_sde_inc_counter(handle, -1));
	EXPECT_EQUAL(2999, sde_read(set));
	EXPECT_EQUAL(100, sde_read(instant_set));
	EXPECT_OK(papi_sde_reset_counter(handle));
	EXPECT_OK(papi_sde_reset_counter(instant));
	EXPECT_OK(papi_sde_inc_counter(handle, 1));
	EXPECT_OK(papi_sde_inc_counter(instant, 2));
	EXPECT_EQUAL(3000, sde_stop(set));
	EXPECT_EQUAL(2, sde_stop(instant_set));
	sde_discard(set);
	sde_discard(instant_set);
}

/* An event that ends while it is counted is an error, also when it is back; the next start counts or awaits it
 * again. */
static void unregistered(void)
{
	long long value = -5;
	int set = sde_set("sde:::test::steps");

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(papi_sde_unregister_counter(library, "steps"));
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_unregister_counter(library, "steps"));
	EXPECT_ERROR(PAPI_ENOEVNT, "unregistered", PAPI_read(set, &value));
	EXPECT_OK(
		papi_sde_register_counter(library, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps));
	EXPECT_ERROR(PAPI_ENOEVNT, "unregistered", PAPI_read(set, &value));
	EXPECT_ERROR(PAPI_ENOEVNT, "unregistered", PAPI_stop(set, &value));
	EXPECT_EQUAL(-5, value);
	EXPECT_OK(PAPI_start(set));
	steps += 9;
	EXPECT_EQUAL(9, sde_stop(set));
	EXPECT_OK(papi_sde_unregister_counter(library, "steps"));
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(-1, sde_stop(set));
	sde_discard(set);
	EXPECT_OK(
		papi_sde_register_counter(library, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps));
}

static void stale_handles(void)
{
	papi_handle_t other = papi_sde_init("other");
	void *handle, *again;

	EXPECT(other != NULL && other != library);
	EXPECT(papi_sde_init("other") == other);
	EXPECT_OK(papi_sde_create_counter(other, "x", PAPI_SDE_RO, &handle));
	EXPECT_OK(papi_sde_shutdown(other));
	EXPECT_OK(papi_sde_inc_counter(handle, 1));
	EXPECT_OK(papi_sde_shutdown(other));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_shutdown(other));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_inc_counter(handle, 1));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_reset_counter(handle));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_create_counter(other, "x", PAPI_SDE_RO, &again));
	EXPECT(papi_sde_get_counter_handle(other, "x") == NULL);
	EXPECT(papi_sde_init("other") == other);
	EXPECT_OK(papi_sde_create_counter(other, "x", PAPI_SDE_RO | PAPI_SDE_INSTANT, &again));
	EXPECT(again == handle);
	EXPECT_OK(papi_sde_shutdown(other));
}

static long long ends_itself(void *param)
{
	*(int *)param = papi_sde_unregister_counter(library, "ends itself");
	return 0;
}

static void refused(void)
{
	int set = PAPI_NULL, code, status = 0, ends;
	char name[2000];

	EXPECT(papi_sde_init(NULL) == NULL);
	EXPECT(papi_sde_init("") == NULL);
	EXPECT(papi_sde_init("a::b") == NULL);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	EXPECT(papi_sde_init(name) == NULL);
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_shutdown(NULL));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_shutdown(&code));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, name, 0, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, NULL, 0, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, "", 0, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, "a::b", 0, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, "y", 0, 0, NULL));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, "y", 0x20, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(library, "y", 0, 4, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter(NULL, "y", 0, 0, &steps));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_register_counter_cb(library, "y", 0, 0, NULL, NULL));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_create_counter(library, "y", 0, NULL));
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_unregister_counter(library, "y"));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_unregister_counter(library, NULL));
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_describe_counter(library, "y", "text"));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_describe_counter(library, "steps", NULL));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_inc_counter(NULL, 1));
	/* A variable of the program has no handle. */
	EXPECT(papi_sde_get_counter_handle(library, "steps") == NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::test", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::test::", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::::x", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::a::b::c", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "sde:::LIBRARY::EVENT", PAPI_event_name_to_code("sde:::test::x:", &code));

	EXPECT_OK(papi_sde_register_counter_cb(library, "ends itself", 0, 0, ends_itself, &status));
	ends = sde_set("sde:::test::ends itself");
	EXPECT_OK(PAPI_start(ends));
	EXPECT_EQUAL(PAPI_EINVAL, status);
	EXPECT_EQUAL(0, sde_stop(ends));
	sde_discard(ends);

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_assign_eventset_component(set, 0));
	EXPECT_ERROR(PAPI_ECMP, "assigned", PAPI_add_named_event(set, "sde:::test::steps"));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	set = sde_set("sde:::test::steps");
	EXPECT_ERROR(PAPI_ECMP, "process", PAPI_attach(set, 1));
	sde_discard(set);
}

/* Every event is listed once; what has ended is not. */
static void listed(void)
{
	int code = PAPI_NATIVE_MASK, cidx = PAPI_get_component_index("sde"), n = 0, steps_seen = 0, status;
	const PAPI_component_info_t *info;
	char name[PAPI_HUGE_STR_LEN];
	void *handle;

	EXPECT_OK(papi_sde_create_counter(library, "short-lived", PAPI_SDE_RO, &handle));
	EXPECT_OK(PAPI_event_name_to_code("sde:::test::short-lived", &status));
	EXPECT_OK(papi_sde_unregister_counter(library, "short-lived"));
	for (status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); status == PAPI_OK;
		status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx)) {
		n++;
		EXPECT_OK(PAPI_event_code_to_name(code, name));
		EXPECT(strncmp(name, "sde:::test::", strlen("sde:::test::")) == 0);
		EXPECT(strcmp(name, "sde:::test::short-lived") != 0);
		steps_seen += !strcmp(name, "sde:::test::steps");
	}
	EXPECT_STATUS(PAPI_ENOEVNT, status);
	EXPECT_EQUAL(1, steps_seen);
	EXPECT_EQUAL(10, n);
	info = PAPI_get_component_info(cidx);
	EXPECT_EQUAL(n, info->num_native_events);
	EXPECT_EQUAL(PAPI_OK, info->disabled);
}

/* Registered before the library was ready, and after; and again after a shutdown of libpapi. */
static void libpapi_anew(void)
{
	int set;

	PAPI_shutdown();
	sde_begin();
	set = sde_set("sde:::test::steps");
	EXPECT_OK(PAPI_start(set));
	steps++;
	EXPECT_EQUAL(1, sde_stop(set));
	sde_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "variables", variables },
		{ "accumulated and written", accumulated_and_written },
		{ "instant variables", instant_variables },
		{ "types", types },
		{ "described", described },
		{ "functions", functions },
		{ "created", created },
		{ "unregistered", unregistered },
		{ "stale handles", stale_handles },
		{ "refused", refused },
		{ "listed", listed },
		{ "libpapi anew", libpapi_anew },
	};
	int status;

	library = papi_sde_init("test");
	REQUIRE(library != NULL);
	sde_begin();
	status = check_run(tests, COUNT_OF(tests));
	EXPECT_OK(papi_sde_shutdown(library));
	PAPI_shutdown();
	return status;
}
