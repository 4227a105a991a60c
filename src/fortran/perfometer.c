/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: a program that is shown while it runs. */
#include "fortran/papif.h"

void papif_perfometer_(int *listens)
{
	*listens = perfometer();
}

void papif_mark_perfometer_(const int *color, int *check)
{
	*check = mark_perfometer(*color);
}

#include "perfometer_spellings.h"
