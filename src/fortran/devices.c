/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran: devices. A handle is an INTEGER, as in 7.0, and pointers do not fit: handle n stands for the n-th kind of
 * devices that PAPI_enum_dev_type gives. 0 and all that were never given stand for none.
 */
#include <stdbool.h>

#include "fortran/papif.h"

static void *pointer_of(int handle)
{
	void *kind = NULL;

	for (int i = 0; i < handle; i++)
		if (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &kind) != PAPI_OK)
			return NULL;
	return kind;
}

static int handle_of(const void *pointer)
{
	void *kind = NULL;
	int handle = 0;

	do {
		handle++;
		if (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &kind) != PAPI_OK)
			return 0;
	} while (kind != pointer);
	return handle;
}

void papif_enum_dev_type_(const int *modifier, int *handle, int *check)
{
	void *kind = pointer_of(*handle);

	*check = PAPI_enum_dev_type(*modifier, &kind);
	*handle = *check == PAPI_OK ? handle_of(kind) : 0;
}

static bool is_text_of_type(PAPI_dev_type_attr_e attr)
{
	return attr == PAPI_DEV_TYPE_ATTR__CHAR_NAME || attr == PAPI_DEV_TYPE_ATTR__CHAR_STATUS;
}

void papif_get_dev_type_attr_(
	const int *handle, const int *attribute, int *value, char *string, int *check, papif_length length)
{
	PAPI_dev_type_attr_e attr = (PAPI_dev_type_attr_e)*attribute;
	void *kind = pointer_of(*handle);
	const char *text = "";

	if (!is_text_of_type(attr)) {
		*check = PAPI_get_dev_type_attr(kind, attr, value);
		return;
	}
	*check = PAPI_get_dev_type_attr(kind, attr, &text);
	papi_fortran_put(string, length, text);
}

static bool is_text(PAPI_dev_attr_e attr)
{
	return attr == PAPI_DEV_ATTR__CPU_CHAR_NAME || attr == PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME ||
		attr == PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME;
}

void papif_get_dev_attr_(const int *handle, const int *id, const int *attribute, int *value, char *string, int *check,
	papif_length length)
{
	PAPI_dev_attr_e attr = (PAPI_dev_attr_e)*attribute;
	void *kind = pointer_of(*handle);
	const char *text = "";

	if (!is_text(attr)) {
		*check = PAPI_get_dev_attr(kind, *id, attr, value);
		return;
	}
	*check = PAPI_get_dev_attr(kind, *id, attr, &text);
	papi_fortran_put(string, length, text);
}

#include "devices_spellings.h"
