/* SPDX-License-Identifier: BSD-3-Clause */
/* The page, which the build makes of page/ into one file of HTML; page_none.c where it has none. */
#ifndef PAPI_PERFOMETER_PAGE_H
#define PAPI_PERFOMETER_PAGE_H

#include <stddef.h>

extern const unsigned char papi_perfometer_page[];
extern const size_t papi_perfometer_page_size; /* 0: there is none */

#endif
