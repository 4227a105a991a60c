/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the Zydis library that are used. The shared libpapi is linked with it (zydis_linked.c). A program
 * that holds the static one need not be: there they are found when they are needed (zydis_found.c).
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_ZYDIS_H
#define PAPI_VPMU_X86_64_TRANSLATE_ZYDIS_H

#include <Zydis/Zydis.h>

struct papi_vpmu_zydis {
	__typeof__(&ZydisDecoderInit) init;
	__typeof__(&ZydisDecoderDecodeFull) decode_full;
	__typeof__(&ZydisRegisterGetLargestEnclosing) largest_enclosing;
	__typeof__(&ZydisRegisterGetId) register_id;
};

/* NULL when the library is not there: reason, a sentence, says what to do. Looked for once. */
const struct papi_vpmu_zydis *papi_vpmu_zydis_find(const char **reason);

/* Filled by the first papi_vpmu_zydis_find() that finds it. */
extern struct papi_vpmu_zydis papi_vpmu_zydis;

#endif
