/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: devices. */
#include <stdbool.h>
#include <stdint.h>

#include "fortran/papif.h"

static void *pointer_of(long long handle)
{
	return (void *)(intptr_t)handle;
}

void papif_enum_dev_type_(const int *modifier, long long *handle, int *check)
{
	void *pointer = pointer_of(*handle);

	*check = PAPI_enum_dev_type(*modifier, &pointer);
	*handle = (long long)(intptr_t)pointer;
}

void papif_get_dev_type_attr_(
	const long long *handle, const int *attribute, void *value, int *check, papif_length length)
{
	PAPI_dev_type_attr_e attr = (PAPI_dev_type_attr_e)*attribute;
	const char *text = "";

	if (attr != PAPI_DEV_TYPE_ATTR__CHAR_NAME && attr != PAPI_DEV_TYPE_ATTR__CHAR_STATUS) {
		*check = PAPI_get_dev_type_attr(pointer_of(*handle), attr, value);
		return;
	}
	*check = PAPI_get_dev_type_attr(pointer_of(*handle), attr, &text);
	papi_fortran_put(value, length, text);
}

static bool is_text(PAPI_dev_attr_e attr)
{
	return attr == PAPI_DEV_ATTR__CPU_CHAR_NAME || attr == PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME ||
		attr == PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME;
}

void papif_get_dev_attr_(
	const long long *handle, const int *id, const int *attribute, void *value, int *check, papif_length length)
{
	PAPI_dev_attr_e attr = (PAPI_dev_attr_e)*attribute;
	const char *text = "";

	if (!is_text(attr)) {
		*check = PAPI_get_dev_attr(pointer_of(*handle), *id, attr, value);
		return;
	}
	*check = PAPI_get_dev_attr(pointer_of(*handle), *id, attr, &text);
	papi_fortran_put(value, length, text);
}

#include "devices_spellings.h"
