/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libsde like that of PAPI 7.0, as far as libpapi sees it: numbered events, and functions that take the number. One
 * counter, "foreign::n", of which sde_ti_reset_counter moves the start; names that are not there read as -1.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define NAME     "foreign::n"

static long long n, start;
static char unknown[4][64];

EXPORTED void foreign_work(long long increment);
EXPORTED int sde_ti_get_num_reg_events(void);
EXPORTED char *sde_ti_get_event_name(int number);
EXPORTED char *sde_ti_get_event_description(int number);
EXPORTED int sde_ti_name_to_code(const char *name, uint32_t *number);
EXPORTED int sde_ti_read_counter(uint32_t number, long long *value);
EXPORTED int sde_ti_reset_counter(uint32_t number);

void foreign_work(long long increment)
{
	n += increment;
}

int sde_ti_get_num_reg_events(void)
{
	return 1;
}

char *sde_ti_get_event_name(int number)
{
	static char name[] = NAME;

	return number == 0 ? name : NULL;
}

char *sde_ti_get_event_description(int number)
{
	static char text[] = "what foreign_work has added";

	return number == 0 ? text : NULL;
}

int sde_ti_name_to_code(const char *name, uint32_t *number)
{
	*number = 0;
	if (!strcmp(name, NAME))
		return 0;
	while (*number < 4 && unknown[*number][0] && strcmp(unknown[*number], name) != 0)
		++*number;
	if (*number == 4)
		return -1;
	snprintf(unknown[*number], sizeof(unknown[0]), "%s", name);
	++*number;
	return 0;
}

int sde_ti_read_counter(uint32_t number, long long *value)
{
	*value = number == 0 ? n - start : -1;
	return 0;
}

int sde_ti_reset_counter(uint32_t number)
{
	if (number == 0)
		start = n;
	return 0;
}
