/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints how many instructions a loop has, whoever holds the library: a program that is linked with it in any way, or a
 * plugin that holds all of it (-DPLUGIN; a program of its own then, -DHOST, which has only the plugin).
 */
#include <stdio.h>

#ifdef HOST
#include <dlfcn.h>
#include <string.h>

int main(int count, char **arguments)
{
	void *plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void *symbol = plugin ? dlsym(plugin, "count") : NULL;
	int (*function)(void);

	if (!symbol) {
		printf("%s\n", plugin ? "no function" : dlerror());
		return 1;
	}
	memcpy(&function, &symbol, sizeof(function));
	return function();
}
#else
#include <papi.h>

int count(void);

int count(void)
{
	long long instructions = 0, loads = 0, values[2];
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_add_named_event(set, "PAPI_TOT_INS") != PAPI_OK ||
		PAPI_add_named_event(set, "PAPI_LD_INS") != PAPI_OK) {
		printf("refused: %s\n", PAPI_error_detail());
		return 1;
	}
	/* What a call of the library takes in the program is not counted, in any of the ways. */
	for (int i = 0; i < 3; i++) {
		if (PAPI_start(set) != PAPI_OK) {
			printf("refused: %s\n", PAPI_error_detail());
			return 1;
		}
		__asm__ volatile("mov	$100000, %%ecx\n"
				 "1:	mov	(%%rsp), %%rax\n"
				 "	dec	%%ecx\n"
				 "	jnz	1b" ::
					 : "rax", "rcx", "cc", "memory");
		PAPI_read(set, values);
		PAPI_stop(set, values);
		instructions += values[0];
		loads += values[1];
	}
	printf("%lld instructions, %lld loads\n", instructions / 1000, loads / 1000);
	return 0;
}

#ifndef PLUGIN
int main(void)
{
	return count();
}
#endif
#endif
