/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the API functions share: entering an EventSet, entering the library, checking the debug level on the way out.
 *
 * A file per chapter of the Programmer's Reference; what a function promises is said where it is declared, in include/.
 */
#ifndef PAPI_API_API_H
#define PAPI_API_API_H

#include "base/error.h"
#include "core/handles.h"
#include "core/library.h"

/* For functions that look at names and at an EventSet: the library lock, then the set. */
static inline int papi_enter(int EventSet, struct papi_slot **slot)
{
	int status = papi_library_enter();

	*slot = NULL;
	if (status != PAPI_OK)
		return status;
	status = papi_handle_enter(EventSet, slot);
	if (status != PAPI_OK)
		papi_library_leave();
	return status;
}

static inline void papi_leave(struct papi_slot *slot)
{
	papi_handle_leave(slot);
	papi_library_leave();
}

static inline int papi_null_argument(const char *function, const char *argument)
{
	return papi_error(PAPI_EINVAL, "%s: %s is a null pointer", function, argument);
}

#endif
