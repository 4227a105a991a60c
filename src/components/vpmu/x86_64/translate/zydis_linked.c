/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/zydis.h"

#include <stddef.h>

struct papi_vpmu_zydis papi_vpmu_zydis = {
	ZydisDecoderInit,
	ZydisDecoderDecodeFull,
	ZydisRegisterGetLargestEnclosing,
	ZydisRegisterGetId,
};

const struct papi_vpmu_zydis *papi_vpmu_zydis_find(const char **reason)
{
	*reason = NULL;
	return &papi_vpmu_zydis;
}
