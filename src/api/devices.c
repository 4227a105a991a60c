/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Devices (7.0 interface): the kinds of processor in the machine and what is known about them. This library knows CPUs.
 */
#include "api/api.h"
#include "linux/machine/hardware.h"
#include "linux/machine/numa.h"

static const char cpu_status[] = "the CPUs of this machine";

/* The one handle there is: the address stands for "CPU". */
static const char cpu_handle;

int PAPI_enum_dev_type(int enum_modifier, void **handle)
{
	bool begin;

	if (!handle)
		return papi_result(papi_null_argument("PAPI_enum_dev_type", "handle"));
	if (!papi_library_ready())
		return papi_result(papi_library_missing());
	begin = enum_modifier == PAPI_DEV_TYPE_ENUM__FIRST ||
		(enum_modifier & PAPI_DEV_TYPE_ENUM__CPU && *handle != &cpu_handle);
	*handle = begin ? (void *)(uintptr_t)&cpu_handle : NULL;
	return begin ? PAPI_OK : papi_error(PAPI_EINVAL, "there are no more kinds of devices");
}

static int check(const char *function, const void *handle, const void *value)
{
	if (handle != &cpu_handle)
		return papi_error(PAPI_EINVAL, "%s: the handle is not one of PAPI_enum_dev_type", function);
	if (!value)
		return papi_null_argument(function, "value");
	return PAPI_OK;
}

static int type_attribute(const PAPI_hw_info_t *hardware, int attr, void *value)
{
	switch (attr) {
	case PAPI_DEV_TYPE_ATTR__INT_PAPI_ID:
		*(int *)value = PAPI_DEV_TYPE_ID__CPU;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID:
		*(int *)value = hardware->vendor;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__CHAR_NAME:
		*(const char **)value = hardware->vendor_string;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__INT_COUNT:
		*(int *)value = 1;
		return PAPI_OK;
	case PAPI_DEV_TYPE_ATTR__CHAR_STATUS:
		*(const char **)value = cpu_status;
		return PAPI_OK;
	}
	return papi_error(PAPI_EINVAL, "%d is no attribute of a kind of devices", attr);
}

/* The four caches that attributes name, in the order of their numbers: L1I, L1D, L2U, L3U. */
static const PAPI_mh_cache_info_t *cache_of(const PAPI_hw_info_t *hardware, int which)
{
	static const struct {
		int level, type;
	} wanted[] = { { 0, PAPI_MH_TYPE_INST }, { 0, PAPI_MH_TYPE_DATA }, { 1, PAPI_MH_TYPE_UNIFIED },
		{ 2, PAPI_MH_TYPE_UNIFIED } };

	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		const PAPI_mh_cache_info_t *cache = &hardware->mem_hierarchy.level[wanted[which].level].cache[i];

		if ((cache->type & PAPI_MH_TYPE_UNIFIED) == wanted[which].type && cache->size)
			return cache;
	}
	return NULL;
}

static int cache_attribute(const PAPI_hw_info_t *hardware, PAPI_dev_attr_e attr, unsigned *value)
{
	unsigned index = (unsigned)attr - PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE;
	const PAPI_mh_cache_info_t *cache = cache_of(hardware, (int)(index % 4));
	const int facts[] = { cache ? cache->size : 0, cache ? cache->line_size : 0, cache ? cache->num_lines : 0,
		cache ? cache->associativity : 0 };

	if (!cache)
		return papi_error(PAPI_ENOSUPP, "this machine does not tell of such a cache");
	*value = (unsigned)facts[index / 4];
	return PAPI_OK;
}

static int cpu_attribute(const PAPI_hw_info_t *hardware, int id, PAPI_dev_attr_e attr, void *value)
{
	unsigned *number = value;

	switch (attr) {
	case PAPI_DEV_ATTR__CPU_CHAR_NAME:
		*(const char **)value = hardware->model_string;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT:
		*number = (unsigned)hardware->sockets;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT:
		*number = (unsigned)hardware->nnodes;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT:
		*number = (unsigned)hardware->cores; /* of a socket */
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT:
		*number = (unsigned)hardware->totalcpus; /* of the machine */
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_FAMILY:
		*number = (unsigned)hardware->cpuid_family;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_MODEL:
		*number = (unsigned)hardware->cpuid_model;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_STEPPING:
		*number = (unsigned)hardware->cpuid_stepping;
		return PAPI_OK;
	case PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE:
		return papi_numa_memory(id, number);
	case PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY:
		return papi_numa_of_cpu(id, number);
	case PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA:
		return papi_numa_cpus(id, number);
	default:
		if (attr >= PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE && attr <= PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC)
			return cache_attribute(hardware, attr, number);
		return papi_error(PAPI_ENOSUPP, "attribute %d is not one of CPUs", (int)attr);
	}
}

/* Under the library lock: PAPI_shutdown() in another thread frees the description of the hardware. */
int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr, void *value)
{
	const PAPI_hw_info_t *hardware;
	int status = papi_library_enter();

	if (status != PAPI_OK)
		return papi_result(status);
	hardware = papi_hardware_get();
	status = hardware ? check("PAPI_get_dev_type_attr", handle, value) : papi_error_code();
	if (status == PAPI_OK)
		status = type_attribute(hardware, (int)attr, value);
	papi_library_leave();
	return papi_result(status);
}

int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value)
{
	const PAPI_hw_info_t *hardware;
	int status = papi_library_enter();

	if (status != PAPI_OK)
		return papi_result(status);
	hardware = papi_hardware_get();
	status = hardware ? check("PAPI_get_dev_attr", handle, value) : papi_error_code();
	if (status == PAPI_OK)
		status = cpu_attribute(hardware, id, attr, value);
	papi_library_leave();
	return papi_result(status);
}
