/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the static libpapi: the functions are those that the program was linked with, or else those of the shared library.
 * All references are weak, so that a program without Zydis, or without a dynamic linker, can be linked.
 */
#include "components/vpmu/x86_64/translate/zydis.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#pragma weak dlsym
#pragma weak ZydisDecoderInit
#pragma weak ZydisDecoderDecodeFull
#pragma weak ZydisRegisterGetLargestEnclosing
#pragma weak ZydisRegisterGetId

struct papi_vpmu_zydis papi_vpmu_zydis;

static bool is_complete(const struct papi_vpmu_zydis *zydis)
{
	return zydis->init && zydis->decode_full && zydis->largest_enclosing && zydis->register_id;
}

static void look_up(void *library, const char *name, void *pointer)
{
	void *symbol = dlsym(library, name);

	memcpy(pointer, &symbol, sizeof(symbol));
}

/* dlopen() itself is looked up: a reference to it makes linkers warn where programs are linked statically. */
static void *open_library(const char *name)
{
	void *(*open)(const char *, int);

	look_up(RTLD_DEFAULT, "dlopen", &open);
	return open ? open(name, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void find_shared(struct papi_vpmu_zydis *zydis)
{
	char name[64];
	void *library;

	snprintf(name, sizeof(name), "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
		(unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	library = open_library(name);
	if (!library)
		return;
	look_up(library, "ZydisDecoderInit", &zydis->init);
	look_up(library, "ZydisDecoderDecodeFull", &zydis->decode_full);
	look_up(library, "ZydisRegisterGetLargestEnclosing", &zydis->largest_enclosing);
	look_up(library, "ZydisRegisterGetId", &zydis->register_id);
}

const struct papi_vpmu_zydis *papi_vpmu_zydis_find(const char **reason)
{
	struct papi_vpmu_zydis found = { ZydisDecoderInit, ZydisDecoderDecodeFull, ZydisRegisterGetLargestEnclosing,
		ZydisRegisterGetId };

	*reason = NULL;
	if (is_complete(&papi_vpmu_zydis))
		return &papi_vpmu_zydis;
	if (!is_complete(&found) && dlsym)
		find_shared(&found);
	if (is_complete(&found)) {
		papi_vpmu_zydis = found;
		return &papi_vpmu_zydis;
	}
	/* The kernel tells where it has loaded a dynamic linker. */
	*reason = getauxval(AT_BASE)
		? "the program holds libpapi.a, and the shared Zydis library, which decodes instructions, is not "
		  "there: install it (Debian: libzydis4.0)"
		: "the program is linked statically (-static) without the Zydis library, which decodes instructions: "
		  "link with libZydis.a and libZycore.a, or not with -static";
	return NULL;
}
