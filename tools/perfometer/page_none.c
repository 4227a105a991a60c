/* SPDX-License-Identifier: BSD-3-Clause */
/* page_none.c - a build without the page. */
#include "page.h"

const unsigned char papi_perfometer_page[] = { 0 };
const size_t papi_perfometer_page_size = 0;
