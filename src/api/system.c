/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_get_hardware_info, PAPI_get_executable_info, PAPI_get_shared_lib_info, PAPI_get_dmem_info.
 */
#include "api/api.h"
#include "linux/machine/hardware.h"
#include "linux/process/executable.h"
#include "linux/process/memory.h"

const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
	const PAPI_hw_info_t *hardware = NULL;

	if (papi_library_enter() == PAPI_OK) {
		hardware = papi_hardware_get();
		papi_library_leave();
	}
	return hardware;
}

const PAPI_exe_info_t *PAPI_get_executable_info(void)
{
	const PAPI_exe_info_t *executable = NULL;

	if (papi_library_enter() == PAPI_OK) {
		executable = papi_executable_get();
		papi_library_leave();
	}
	return executable;
}

const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void)
{
	const PAPI_shlib_info_t *libraries = NULL;

	if (papi_library_enter() == PAPI_OK) {
		libraries = papi_libraries_get();
		papi_library_leave();
	}
	return libraries;
}

int PAPI_get_dmem_info(PAPI_dmem_info_t *dest)
{
	int status;

	if (!dest)
		return papi_result(papi_null_argument("PAPI_get_dmem_info", "dest"));
	status = papi_library_enter();
	if (status == PAPI_OK) {
		status = papi_memory_get(dest);
		papi_library_leave();
	}
	return papi_result(status);
}
