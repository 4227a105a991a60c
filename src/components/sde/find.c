/* SPDX-License-Identifier: BSD-3-Clause */
/* Where libsde is, if it is anywhere. See sde.h. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "components/sde/sde.h"

/* Whatever follows: a program may have opened it by a name without a version. */
#define LIBRARY "libsde.so"

/* Not there in a program that has no libsde; nor is the loader's function in one that is linked statically. */
#pragma weak papi_sde_tools
#pragma weak dlsym

static int is_libsde(struct dl_phdr_info *object, size_t size, void *path)
{
	const char *slash = strrchr(object->dlpi_name, '/'), *name = slash ? slash + 1 : object->dlpi_name;

	(void)size;
	if (strncmp(name, LIBRARY, strlen(LIBRARY)) != 0)
		return 0;
	snprintf(path, PAPI_HUGE_STR_LEN, "%s", object->dlpi_name);
	return 1;
}

/* By way of memcpy: C knows no conversion. */
bool papi_sde_look_up(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/*
 * Looking into the list of objects first costs no system call and waits for no lock that a constructor could hold;
 * dlopen() alone would search the whole library path for a libsde that is not there. By name, since a linker warns of
 * every mention of it in a static program. What it opens stays open, for libsde is never unloaded.
 */
static const struct papi_sde_tools *from_loaded(void)
{
	const struct papi_sde_tools *(*tools)(void);
	void *(*open_library)(const char *, int), *library;
	char path[PAPI_HUGE_STR_LEN];

	if (!dlsym || !dl_iterate_phdr(is_libsde, path) || !papi_sde_look_up(RTLD_DEFAULT, "dlopen", &open_library))
		return NULL;
	library = open_library(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!library)
		return NULL;
	return papi_sde_look_up(library, "papi_sde_tools", &tools) ? tools() : papi_sde_foreign(library);
}

static _Atomic(const struct papi_sde_tools *) found;

const struct papi_sde_tools *papi_sde_found(void)
{
	return atomic_load_explicit(&found, memory_order_acquire);
}

const struct papi_sde_tools *papi_sde_find(void)
{
	const struct papi_sde_tools *tools = papi_sde_found();

	if (tools)
		return tools;
	tools = papi_sde_tools ? papi_sde_tools() : from_loaded();
	if (!tools || tools->version < PAPI_SDE_TOOLS_VERSION || !tools->take_over_forks())
		return NULL;
	atomic_store_explicit(&found, tools, memory_order_release);
	return tools;
}
