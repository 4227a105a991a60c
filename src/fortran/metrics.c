/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: metrics, and what stands out in them. */
#include <string.h>

#include "base/error.h"
#include "fortran/papif.h"

void papif_metric_load_(const char *file, int *check, papif_length length)
{
	char name[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(name, sizeof(name), file, length);

	*check = status == PAPI_OK ? PAPI_metric_load(name) : papi_result(status);
}

void papif_metric_groups_(int *number)
{
	*number = PAPI_metric_groups();
}

void papif_metric_group_(const char *name, int *group, papif_length length)
{
	char text[PAPIF_NAME_SIZE];
	int status = papi_fortran_get(text, sizeof(text), name, length);

	*group = status == PAPI_OK ? PAPI_metric_group(text) : papi_result(status);
}

/* After an error all is blank and zero, here and in the next two. */
void papif_metric_group_info_(const int *group, char *name, char *description, char *file, int *metrics, int *events,
	int *rules, int *check, papif_length name_length, papif_length description_length, papif_length file_length)
{
	PAPI_metric_group_info_t info;

	*check = PAPI_metric_group_info(*group, &info);
	if (*check != PAPI_OK)
		memset(&info, 0, sizeof(info));
	papi_fortran_put(name, name_length, info.name);
	papi_fortran_put(description, description_length, info.description);
	papi_fortran_put(file, file_length, info.file);
	*metrics = info.metrics;
	*events = info.events;
	*rules = info.rules;
}

void papif_metric_info_(const int *group, const int *metric, char *name, char *unit, char *short_descr,
	char *long_descr, char *worth, char *why, int *check, papif_length name_length, papif_length unit_length,
	papif_length short_length, papif_length long_length, papif_length worth_length, papif_length why_length)
{
	PAPI_metric_info_t info;

	*check = PAPI_metric_info(*group, *metric, &info);
	if (*check != PAPI_OK)
		memset(&info, 0, sizeof(info));
	papi_fortran_put(name, name_length, info.name);
	papi_fortran_put(unit, unit_length, info.unit);
	papi_fortran_put(short_descr, short_length, info.short_descr);
	papi_fortran_put(long_descr, long_length, info.long_descr);
	papi_fortran_put(worth, worth_length, info.worth);
	papi_fortran_put(why, why_length, info.why);
}

void papif_metric_event_(const int *group, const int *event, char *name, int *check, papif_length length)
{
	char text[PAPI_HUGE_STR_LEN] = "";

	*check = PAPI_metric_event(*group, *event, text, sizeof(text));
	papi_fortran_put(name, length, text);
}

void papif_metric_add_(const int *group, const int *EventSet, int *check)
{
	*check = PAPI_metric_add(*group, *EventSet);
}

void papif_metric_values_(const int *group, const int *EventSet, const long long *values, const double *seconds,
	double *metrics, int *check)
{
	*check = PAPI_metric_values(*group, *EventSet, values, *seconds, metrics);
}

void papif_metric_evaluate_(const int *group, const double *counts, const double *seconds, double *metrics, int *check)
{
	*check = PAPI_metric_evaluate(*group, counts, *seconds, metrics);
}

void papif_metric_text_(
	const int *group, const int *metric, const double *value, char *text, int *check, papif_length length)
{
	char buffer[PAPI_HUGE_STR_LEN] = "";

	*check = PAPI_metric_text(*group, *metric, *value, buffer, sizeof(buffer));
	papi_fortran_put(text, length, buffer);
}

void papif_metric_finding_(const int *group, const int *rule, const double *metrics, double *beyond, char *sentence,
	int *check, papif_length length)
{
	char buffer[2 * PAPI_HUGE_STR_LEN] = "";

	*beyond = 0;
	*check = PAPI_metric_finding(*group, *rule, metrics, beyond, buffer, sizeof(buffer));
	papi_fortran_put(sentence, length, buffer);
}

#include "metrics_spellings.h"
