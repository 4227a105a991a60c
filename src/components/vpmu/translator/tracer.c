/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/tracer.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/processor.h"

static bool known;
static uint64_t looked_at; /* in tenths of a second */

bool papi_vpmu_tracer_known(void)
{
	return known;
}

/* TracerPid:	1234 */
static bool names_tracer(const char *text, const char *end)
{
	static const char key[] = "TracerPid:\t";
	size_t matched = 0;

	for (; text < end; text++) {
		if (matched == sizeof(key) - 1)
			return *text != '0';
		matched = *text == key[matched] ? matched + 1 : *text == key[0];
	}
	return false;
}

bool papi_vpmu_tracer_look(void)
{
	static const char path[] = "/proc/thread-self/status";
	char text[512]; /* it is among the first lines */
	long descriptor = papi_vpmu_raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0), got;

	if (descriptor < 0)
		return false;
	got = papi_vpmu_raw(SYS_read, descriptor, (long)text, sizeof(text), 0, 0, 0);
	papi_vpmu_raw(SYS_close, descriptor, 0, 0, 0, 0, 0);
	return got > 0 && names_tracer(text, text + got);
}

/* To look takes as long as to start a region. */
bool papi_vpmu_tracer_changed(void)
{
	struct timespec now = { 0, 0 };
	bool before = known;
	uint64_t tenths;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	tenths = (uint64_t)now.tv_sec * 10 + (uint64_t)now.tv_nsec / 100000000 + 1;
	if (tenths == looked_at)
		return false;
	looked_at = tenths;
	known = papi_vpmu_tracer_look();
	return known != before;
}

bool papi_vpmu_tracer_owns_breakpoints(void)
{
	uint64_t handler = papi_vpmu_action_get(SIGTRAP).handler;

	return handler == (uint64_t)(uintptr_t)SIG_DFL || papi_vpmu_tracer_look();
}
