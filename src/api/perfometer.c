/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program says to a perfometer that listens: an extension of this library (papi_perfometer.h). */
#include "api/api.h"
#include "live/live.h"

#define BRIGHTEST 0x1ffffff /* a PAPI_MARK_RGB */

int perfometer(void)
{
	return papi_live_connect();
}

static bool is_color(int color)
{
	return color >= 0 && (color < PAPI_MARK_COLOURS || (color >= PAPI_MARK_RGB(0, 0, 0) && color <= BRIGHTEST));
}

int mark_perfometer(int color)
{
	if (__builtin_expect(!is_color(color), 0))
		return papi_result(papi_error(PAPI_EINVAL,
			"mark_perfometer: %d is no colour: they are PAPI_MARK_END to PAPI_MARK_GREY (0 to %d) and "
			"PAPI_MARK_RGB(red, green, blue)",
			color, PAPI_MARK_COLOURS - 1));
	if (papi_live_is_seen())
		papi_live_mark(color);
	return PAPI_OK;
}
