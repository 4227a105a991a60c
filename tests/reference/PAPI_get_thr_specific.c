/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_get_thr_specific and PAPI_set_thr_specific: state of each thread, made when it is first asked for. */
#include <pthread.h>
#include <stdlib.h>

#include "reference.h"

struct state {
	int EventSet;
	long long value;
};

static struct state *own_state(void)
{
	struct state *state = NULL;

	if (PAPI_get_thr_specific(PAPI_USR1_TLS, (void *)&state) == PAPI_OK && state)
		return state;
	state = calloc(1, sizeof(*state));
	REQUIRE(state != NULL);
	state->EventSet = PAPI_NULL;
	REQUIRE_OK(PAPI_create_eventset(&state->EventSet));
	REQUIRE_OK(PAPI_set_thr_specific(PAPI_USR1_TLS, state));
	return state;
}

static void *thread(void *argument)
{
	struct state *first = own_state(), **where = argument;

	EXPECT(own_state() == first);
	EXPECT_OK(PAPI_add_event(first->EventSet, PAPI_TOT_INS));
	*where = first;
	reference_discard(&first->EventSet);
	return NULL;
}

void example(void)
{
	struct state *states[2] = { NULL, NULL };
	pthread_t threads[2];

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_thread_init(pthread_self));
	for (int i = 0; i < 2; i++)
		REQUIRE(pthread_create(&threads[i], NULL, thread, &states[i]) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT(states[0] && states[1] && states[0] != states[1]);
	free(states[0]);
	free(states[1]);
}
