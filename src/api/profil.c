/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_profil, PAPI_sprofil; and PAPI_profil_write. */
#include "core/profil.h"

#include <stdlib.h>

#include "api/api.h"
#include "core/overflow.h"

static int profile(
	struct papi_eventset *set, const PAPI_sprofil_t *prof, int profcnt, int code, int threshold, int flags)
{
	struct papi_profil *profil = NULL;
	int status;

	if (threshold == 0)
		return papi_overflow_disarm(set, code, true);
	status = papi_profil_make(prof, profcnt, flags, &profil);
	if (status != PAPI_OK)
		return status;
	status = papi_overflow_arm(
		set, code, threshold, flags & PAPI_PROFIL_FORCE_SW ? PAPI_OVERFLOW_FORCE_SW : 0, NULL, profil);
	if (status != PAPI_OK)
		free(profil);
	return status;
}

int PAPI_sprofil(PAPI_sprofil_t *prof, int profcnt, int EventSet, int EventCode, int threshold, int flags)
{
	struct papi_slot *slot;
	int status = papi_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		status = profile(slot->set, prof, profcnt, EventCode, threshold, flags);
		papi_leave(slot);
	}
	return papi_result(status);
}

int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int EventSet, int EventCode, int threshold,
	int flags)
{
	PAPI_sprofil_t region = { .pr_base = buf, .pr_size = bufsiz, .pr_off = offset, .pr_scale = scale };

	return PAPI_sprofil(&region, 1, EventSet, EventCode, threshold, flags);
}

int PAPI_profil_write(int EventSet, const char *path)
{
	struct papi_slot *slot;
	int status;

	if (!path)
		return papi_result(papi_null_argument("PAPI_profil_write", "path"));
	status = papi_enter(EventSet, &slot);
	if (status == PAPI_OK) {
		status = papi_profil_write(slot->set, path);
		papi_leave(slot);
	}
	return papi_result(status);
}
