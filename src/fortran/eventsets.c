/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: making and filling event sets. */
#include "base/error.h"
#include "fortran/papif.h"

void papif_create_eventset_(int *EventSet, int *check)
{
	*check = PAPI_create_eventset(EventSet);
}

void papif_cleanup_eventset_(const int *EventSet, int *check)
{
	*check = PAPI_cleanup_eventset(*EventSet);
}

void papif_destroy_eventset_(int *EventSet, int *check)
{
	*check = PAPI_destroy_eventset(EventSet);
}

void papif_assign_eventset_component_(const int *EventSet, const int *cidx, int *check)
{
	*check = PAPI_assign_eventset_component(*EventSet, *cidx);
}

void papif_add_event_(const int *EventSet, const int *EventCode, int *check)
{
	*check = PAPI_add_event(*EventSet, *EventCode);
}

void papif_add_events_(const int *EventSet, int *EventCodes, const int *number, int *check)
{
	*check = PAPI_add_events(*EventSet, EventCodes, *number);
}

void papif_add_named_event_(const int *EventSet, const char *EventName, int *check, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), EventName, length);

	*check = status == PAPI_OK ? PAPI_add_named_event(*EventSet, name) : papi_result(status);
}

void papif_remove_event_(const int *EventSet, const int *EventCode, int *check)
{
	*check = PAPI_remove_event(*EventSet, *EventCode);
}

void papif_remove_events_(const int *EventSet, int *EventCodes, const int *number, int *check)
{
	*check = PAPI_remove_events(*EventSet, EventCodes, *number);
}

void papif_remove_named_event_(const int *EventSet, const char *EventName, int *check, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), EventName, length);

	*check = status == PAPI_OK ? PAPI_remove_named_event(*EventSet, name) : papi_result(status);
}

void papif_list_events_(const int *EventSet, int *Events, int *number, int *check)
{
	*check = PAPI_list_events(*EventSet, Events, number);
}

void papif_num_events_(const int *EventSet, int *count)
{
	*count = PAPI_num_events(*EventSet);
}

void papif_state_(const int *EventSet, int *status, int *check)
{
	*check = PAPI_state(*EventSet, status);
}

#include "eventsets_spellings.h"
