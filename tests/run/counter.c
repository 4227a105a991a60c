/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counter NUMBER - a program that counts itself: instructions of a loop of two, NUMBER times, in a thread, with an
 * EventSet that is inherited. Prints the count. A skip if it cannot.
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "turns.h"

static void *loop(void *number)
{
	turns_run(*(unsigned long *)number);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 2 ? strtoul(argv[1], NULL, 10) : 1;
	PAPI_option_t option = { .inherit = { .inherit = PAPI_INHERIT_ALL } };
	int set = PAPI_NULL;
	pthread_t thread;
	long long count;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS") != PAPI_OK)
		return 77;
	option.inherit.eventset = set;
	if (PAPI_set_opt(PAPI_INHERIT, &option) != PAPI_OK || PAPI_start(set) != PAPI_OK)
		return 77;
	if (pthread_create(&thread, NULL, loop, &number) || pthread_join(thread, NULL))
		return 1;
	if (PAPI_stop(set, &count) != PAPI_OK)
		return 1;
	printf("%lld\n", count);
	return 0;
}
