/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: threads, timers, the machine and the program. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "fortran/papif.h"

/* What PAPIF_thread_init was given. It returns an INTEGER, and half of a register is no unsigned long. */
static int (*_Atomic thread_handle)(void);

static unsigned long call_thread_handle(void)
{
	return (unsigned long)atomic_load_explicit(&thread_handle, memory_order_relaxed)();
}

void papif_thread_init_(int (*handle)(void), int *check)
{
	atomic_store(&thread_handle, handle);
	*check = PAPI_thread_init(handle ? call_thread_handle : NULL);
}

void papif_thread_id_(int *id)
{
	*id = (int)PAPI_thread_id();
}

void papif_register_thread_(int *check)
{
	*check = PAPI_register_thread();
}

void papif_unregister_thread_(int *check)
{
	*check = PAPI_unregister_thread();
}

void papif_unregster_thread_(int *check)
{
	papif_unregister_thread_(check);
}

/* The reference has no check here. Programs written for it pass none, so there is nothing that could be written to. */
void papif_lock_(const int *lock)
{
	PAPI_lock(*lock);
}

void papif_unlock_(const int *lock)
{
	PAPI_unlock(*lock);
}

void papif_get_real_cyc_(long long *real_cyc)
{
	*real_cyc = PAPI_get_real_cyc();
}

void papif_get_real_nsec_(long long *time)
{
	*time = PAPI_get_real_nsec();
}

void papif_get_real_usec_(long long *time)
{
	*time = PAPI_get_real_usec();
}

void papif_get_virt_cyc_(long long *virt_cyc)
{
	*virt_cyc = PAPI_get_virt_cyc();
}

void papif_get_virt_usec_(long long *time)
{
	*time = PAPI_get_virt_usec();
}

/* The indexes of the array, PAPIF_DMEM_..., are the places in the structure. */
void papif_get_dmem_info_(long long *dmem, int *check)
{
	PAPI_dmem_info_t info;

	_Static_assert(sizeof(info) == PAPIF_DMEM_MAXVAL * sizeof(*dmem), "one index for each member");
	*check = PAPI_get_dmem_info(&info);
	if (*check == PAPI_OK)
		memcpy(dmem, &info, sizeof(info));
}

static long long address(const void *pointer)
{
	return (long long)(intptr_t)pointer;
}

void papif_get_exe_info_(char *fullname, char *name, long long *text_start, long long *text_end, long long *data_start,
	long long *data_end, long long *bss_start, long long *bss_end, int *check, papif_length fullname_length,
	papif_length name_length)
{
	static const PAPI_exe_info_t nothing;
	const PAPI_exe_info_t *found = PAPI_get_executable_info(), *info = found ? found : &nothing;

	papi_fortran_put(fullname, fullname_length, info->fullname);
	papi_fortran_put(name, name_length, info->address_info.name);
	*text_start = address(info->address_info.text_start);
	*text_end = address(info->address_info.text_end);
	*data_start = address(info->address_info.data_start);
	*data_end = address(info->address_info.data_end);
	*bss_start = address(info->address_info.bss_start);
	*bss_end = address(info->address_info.bss_end);
	*check = found ? PAPI_OK : papi_error_code();
}

/* Without a check to put an error code in, the counts of CPUs and nodes get it: no machine has fewer than one. */
void papif_get_hardware_info_(int *ncpu, int *nnodes, int *totalcpus, int *vendor, char *vendor_string, int *model,
	char *model_string, float *revision, float *mhz, papif_length vendor_length, papif_length model_length)
{
	static const PAPI_hw_info_t nothing;
	const PAPI_hw_info_t *found = PAPI_get_hardware_info(), *info = found ? found : &nothing;
	int error = found ? PAPI_OK : papi_error_code();

	*ncpu = error ? error : info->ncpu;
	*nnodes = error ? error : info->nnodes;
	*totalcpus = error ? error : info->totalcpus;
	*vendor = info->vendor;
	*model = info->model;
	*revision = info->revision;
	*mhz = info->mhz;
	papi_fortran_put(vendor_string, vendor_length, info->vendor_string);
	papi_fortran_put(model_string, model_length, info->model_string);
}

#include "system_spellings.h"
