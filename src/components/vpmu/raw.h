/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls without libc, of the processor that this is compiled for: papi_vpmu_raw_inline(). */
#ifndef PAPI_VPMU_RAW_H
#define PAPI_VPMU_RAW_H

#ifdef __aarch64__
#include "components/vpmu/arm64/raw.h"
#else
#include "components/vpmu/x86_64/raw.h"
#endif

#endif
