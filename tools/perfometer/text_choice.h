/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of all that can be counted, over the whole terminal: words search it, a key counts an event instead of the
 * others or beside them. Within a screen (text_screen.h), which has begun ncurses; the choice owns what it lists.
 */
#ifndef PAPI_PERFOMETER_TEXT_CHOICE_H
#define PAPI_PERFOMETER_TEXT_CHOICE_H

#include <stdbool.h>

#include "server.h"
#include "text_data.h"

struct papi_text_choice;

/* answers: what can be counted, and who counts it; NULL: nobody does, it is a recording. */
struct papi_text_choice *papi_text_choice_begin(const struct papi_server_answers *answers);
/* doubt: the attributes of what went wrong. */
void papi_text_choice_draw(
	const struct papi_text_choice *choice, const struct papi_text_data *data, unsigned long doubt);
/* False: enough of it. */
bool papi_text_choice_key(struct papi_text_choice *choice, const struct papi_text_data *data, int key);
/* The event that was chosen last, which is to be shown once it is counted; NULL: none. */
const char *papi_text_choice_name(const struct papi_text_choice *choice);
void papi_text_choice_end(struct papi_text_choice *choice);

#endif
