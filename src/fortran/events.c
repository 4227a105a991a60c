/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: events and what they mean. */
#include <string.h>

#include "base/error.h"
#include "fortran/papif.h"

void papif_event_code_to_name_(const int *EventCode, char *EventName, int *check, papif_length length)
{
	char name[PAPI_HUGE_STR_LEN] = "";

	*check = PAPI_event_code_to_name(*EventCode, name);
	papi_fortran_put(EventName, length, name);
}

void papif_event_name_to_code_(const char *EventName, int *EventCode, int *check, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), EventName, length);

	*check = status == PAPI_OK ? PAPI_event_name_to_code(name, EventCode) : papi_result(status);
}

void papif_query_event_(const int *EventCode, int *check)
{
	*check = PAPI_query_event(*EventCode);
}

void papif_query_named_event_(const char *EventName, int *check, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), EventName, length);

	*check = status == PAPI_OK ? PAPI_query_named_event(name) : papi_result(status);
}

void papif_enum_event_(int *EventCode, const int *modifier, int *check)
{
	*check = PAPI_enum_event(EventCode, *modifier);
}

/* flags are the classes of the event, PAPI_PRESET_BIT_... After an error all is blank and zero. */
void papif_get_event_info_(const int *EventCode, char *symbol, char *long_descr, char *short_descr, int *count,
	char *event_note, int *flags, int *check, papif_length symbol_length, papif_length long_length,
	papif_length short_length, papif_length note_length)
{
	PAPI_event_info_t info;

	*check = PAPI_get_event_info(*EventCode, &info);
	if (*check != PAPI_OK)
		memset(&info, 0, sizeof(info));
	papi_fortran_put(symbol, symbol_length, info.symbol);
	papi_fortran_put(long_descr, long_length, info.long_descr);
	papi_fortran_put(short_descr, short_length, info.short_descr);
	papi_fortran_put(event_note, note_length, info.note);
	*count = (int)info.count;
	*flags = (int)info.event_type;
}

void papif_num_hwctrs_(int *num)
{
	*num = PAPI_num_hwctrs();
}

void papif_num_cmp_hwctrs_(const int *cidx, int *num)
{
	*num = PAPI_num_cmp_hwctrs(*cidx);
}

#include "events_spellings.h"
