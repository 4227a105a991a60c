/* SPDX-License-Identifier: BSD-3-Clause */
/* page_none.c - in place of the page, in a build that has nothing to draw it with. */
#include "page.h"

const char papi_perfometer_page_begin[] = "", papi_perfometer_page_end[] = "";
