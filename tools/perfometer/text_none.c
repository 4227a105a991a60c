/* SPDX-License-Identifier: BSD-3-Clause */
/* text_none.c - in place of the view in a terminal, in a build without ncurses. */
#include <stdio.h>

#include "text_screen.h"

struct papi_screen *papi_screen_begin(const struct papi_server_answers *answers, char *reason, size_t size)
{
	(void)answers;
	snprintf(
		reason, size, "this build has no view for terminals: it needs ncurses (Debian package libncurses-dev)");
	return NULL;
}

int papi_screen_file(const struct papi_screen *screen)
{
	(void)screen;
	return -1;
}

bool papi_screen_step(struct papi_screen *screen, const struct papi_journal *journal)
{
	(void)screen;
	(void)journal;
	return false;
}

void papi_screen_end(struct papi_screen *screen)
{
	(void)screen;
}
