/* SPDX-License-Identifier: BSD-3-Clause */
/* The classes of sde_lib.hpp: what each makes is counted; what is none is refused. */
#include <papi.h>
#include <sde_lib.hpp>

#include <cstdio>
#include <cstdlib>

static int failures;

static void expect(long long expected, long long got, const char *what)
{
	if (expected == got)
		return;
	std::fprintf(stderr, "%s: %lld instead of %lld\n", what, got, expected);
	failures++;
}

static long long thrice(int *number)
{
	return 3LL * *number;
}

static float no_counter(int *number)
{
	return static_cast<float>(*number);
}

int main()
{
	static const char *const names[] = { "sde:::classes::l", "sde:::classes::d", "sde:::classes::f",
		"sde:::classes::c", "sde:::classes::r:MAX", "sde:::classes::s", "sde:::classes::g" };
	enum { L, D, F, C, R, S, G, N };
	papi_sde::PapiSde library("classes");
	papi_sde::PapiSde::CreatedCounter *counter = library.create_counter("c", PAPI_SDE_DELTA);
	papi_sde::PapiSde::Recorder *recorder = library.create_recorder("r", sizeof(int), papi_sde_compare_int);
	papi_sde::PapiSde::CountingSet *cset = library.create_counting_set("s");
	static long long l;
	static double d;
	static int number;
	static short narrow;
	long long values[N];
	int set = PAPI_NULL;

	expect(SDE_OK, library.register_counter("l", PAPI_SDE_RO | PAPI_SDE_DELTA, l), "a long long");
	expect(SDE_OK, library.register_counter("d", PAPI_SDE_RO | PAPI_SDE_INSTANT, d), "a double");
	expect(SDE_EINVAL, library.register_counter("narrow", PAPI_SDE_RO, narrow), "a short");
	expect(SDE_OK, library.register_counter_cb("f", PAPI_SDE_INSTANT, thrice, number), "a function");
	expect(SDE_EINVAL, library.register_counter_cb("nf", PAPI_SDE_INSTANT, no_counter, number), "a float function");
	expect(SDE_OK, library.describe_counter("l", "a long long"), "a description");
	expect(SDE_OK, library.add_counter_to_group("l", "g", PAPI_SDE_SUM), "a group");
	expect(SDE_OK, library.add_counter_to_group("c", "g", PAPI_SDE_SUM), "a second member");
	expect(1, !library.create_recorder("none", 0, papi_sde_compare_int), "a recorder of nothing");
	expect(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT), "PAPI_library_init");
	expect(PAPI_OK, PAPI_create_eventset(&set), "PAPI_create_eventset");
	for (int i = 0; i < N; i++)
		expect(PAPI_OK, PAPI_add_named_event(set, names[i]), names[i]);
	expect(PAPI_OK, PAPI_start(set), "PAPI_start");
	l += 7;
	d = 2.5;
	number = 5;
	expect(SDE_OK, counter->increment(4), "an increment");
	expect(SDE_OK, counter->increment(1.9), "an increment by a fraction");
	expect(SDE_OK, recorder->record(number), "a record");
	expect(SDE_EINVAL, recorder->record(narrow), "a record of another size");
	expect(SDE_OK, cset->insert(number, 1), "an insertion");
	expect(SDE_OK, cset->insert(sizeof(number), number, 1), "an insertion with a size");
	expect(SDE_OK, cset->insert(narrow, 2), "another one");
	expect(SDE_OK, cset->remove(sizeof(narrow), narrow, 2), "a removal");
	expect(PAPI_OK, PAPI_stop(set, values), "PAPI_stop");
	expect(7, values[L], "the long long");
	expect(1, PAPI_SDE_GET_DOUBLE(values[D]) == 2.5, "the double");
	expect(15, values[F], "the function");
	expect(5, values[C], "the counter");
	expect(5, *GET_SDE_RECORDER_ADDRESS(values[R], int), "the maximum");
	expect(2, GET_SDE_RECORDER_ADDRESS(values[S], cset_list_object_t)->count, "the element");
	expect(12, values[G], "the group");
	std::free(GET_SDE_RECORDER_ADDRESS(values[R], void));
	std::free(GET_SDE_RECORDER_ADDRESS(values[S], cset_list_object_t)->ptr);
	std::free(GET_SDE_RECORDER_ADDRESS(values[S], void));
	expect(SDE_OK, counter->reset(), "a reset");
	expect(SDE_OK, recorder->reset(), "a recorder's reset");
	expect(SDE_OK, library.unregister_counter("l"), "the end of a counter");
	expect(SDE_ENOEVNT, library.unregister_counter("l"), "its second end");
	delete counter;
	delete recorder;
	delete cset;
	PAPI_shutdown();
	return failures > 0;
}
