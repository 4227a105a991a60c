/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_get_opt. */
#include <stdatomic.h>
#include <string.h>

#include "api/api.h"
#include "api/options.h"
#include "core/overflow.h"
#include "events/events.h"
#include "linux/machine/hardware.h"
#include "linux/time/clock.h"

/* The options of an EventSet, copied out. */
static int options_of(int EventSet, struct papi_options *options)
{
	struct papi_slot *slot;
	int status = papi_handle_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		*options = slot->set->options;
		papi_handle_leave(slot);
	}
	return status;
}

/* Under the library lock: PAPI_shutdown() in another thread frees the description. */
static int count_cpus(int *number)
{
	const PAPI_hw_info_t *hardware;
	int status = papi_library_enter();

	if (status != PAPI_OK)
		return status;
	hardware = papi_hardware_get();
	if (hardware)
		*number = hardware->totalcpus;
	else
		status = papi_error_code();
	papi_library_leave();
	return status;
}

/* A number of counters of a component. Under the library lock, like count_cpus(). */
static int count_counters(int cidx, bool multiplexed, int *number)
{
	const PAPI_component_info_t *info = papi_components[cidx]->info;
	int status = papi_library_enter();

	if (status != PAPI_OK)
		return status;
	papi_events_survey(cidx);
	*number = multiplexed ? info->num_mpx_cntrs : info->num_cntrs;
	papi_library_leave();
	return PAPI_OK;
}

/* Options that are numbers: returned, whether or not there is a place to store them too. */
static int get_number(int option, PAPI_option_t *ptr, int cidx, int *number)
{
	const struct papi_component *component = papi_component_get(cidx);
	const PAPI_component_info_t *info;

	if (!component)
		return papi_error_code();
	info = component->info;
	switch (option) {
	case PAPI_CLOCKRATE:
		*number = (int)(papi_clock_rate() / 1000000);
		return PAPI_OK;
	case PAPI_MAX_CPUS:
		return count_cpus(number);
	case PAPI_MAX_HWCTRS:
		return count_counters(cidx, false, number);
	case PAPI_MAX_MPX_CTRS:
		return count_counters(cidx, true, number);
	case PAPI_LIB_VERSION:
		*number = PAPI_VERSION;
		return PAPI_OK;
	case PAPI_DEFDOM:
		*number = __atomic_load_n(&info->default_domain, __ATOMIC_RELAXED);
		if (ptr)
			ptr->defdomain.domain = *number;
		return PAPI_OK;
	case PAPI_DEFGRN:
		*number = __atomic_load_n(&info->default_granularity, __ATOMIC_RELAXED);
		if (ptr)
			ptr->defgranularity.granularity = *number;
		return PAPI_OK;
	default:
		return PAPI_ENOIMPL;
	}
}

static int pointer_option(const void *pointer)
{
	return pointer ? PAPI_OK : papi_error_code();
}

/* What the library knows about the program and the machine, and its own settings. */
static int get_setting(int option, PAPI_option_t *ptr, int cidx)
{
	switch (option) {
	case PAPI_EXEINFO:
		ptr->exe_info = (PAPI_exe_info_t *)(uintptr_t)PAPI_get_executable_info();
		return pointer_option(ptr->exe_info);
	case PAPI_HWINFO:
		ptr->hw_info = (PAPI_hw_info_t *)(uintptr_t)PAPI_get_hardware_info();
		return pointer_option(ptr->hw_info);
	case PAPI_SHLIBINFO:
		ptr->shlib_info = (PAPI_shlib_info_t *)(uintptr_t)PAPI_get_shared_lib_info();
		return pointer_option(ptr->shlib_info);
	case PAPI_COMPONENTINFO:
		ptr->cmp_info = (PAPI_component_info_t *)(uintptr_t)PAPI_get_component_info(cidx);
		return pointer_option(ptr->cmp_info);
	case PAPI_PRELOAD:
		memset(&ptr->preload, 0, sizeof(ptr->preload));
		strcpy(ptr->preload.lib_preload_env, "LD_PRELOAD");
		ptr->preload.lib_preload_sep = ' ';
		strcpy(ptr->preload.lib_dir_env, "LD_LIBRARY_PATH");
		ptr->preload.lib_dir_sep = ':';
		return PAPI_OK;
	case PAPI_DEBUG:
		ptr->debug.level = papi_debug_level();
		ptr->debug.handler = papi_debug_handler();
		return PAPI_OK;
	case PAPI_DEF_MPX_NS:
		ptr->multiplex.ns = atomic_load(&papi_option_mpx_ns);
		return PAPI_OK;
	case PAPI_DEF_MPX_USEC:
		ptr->multiplex.us = atomic_load(&papi_option_mpx_ns) / 1000;
		return PAPI_OK;
	case PAPI_DEF_ITIMER:
		ptr->itimer.itimer_num = atomic_load(&papi_option_itimer_num);
		ptr->itimer.itimer_sig = atomic_load(&papi_option_itimer_sig);
		return PAPI_OK;
	case PAPI_DEF_ITIMER_NS:
		ptr->itimer.ns = atomic_load(&papi_option_itimer_ns);
		return PAPI_OK;
	default:
		return PAPI_ENOIMPL;
	}
}

static int get_of_set(int option, PAPI_option_t *ptr)
{
	struct papi_options options;
	int status;

	switch (option) {
	case PAPI_DOMAIN:
		status = options_of(ptr->domain.eventset, &options);
		ptr->domain.domain = status == PAPI_OK ? options.domain : ptr->domain.domain;
		return status;
	case PAPI_GRANUL:
		status = options_of(ptr->granularity.eventset, &options);
		ptr->granularity.granularity = status == PAPI_OK ? options.granularity : ptr->granularity.granularity;
		return status;
	case PAPI_INHERIT:
		status = options_of(ptr->inherit.eventset, &options);
		ptr->inherit.inherit = status == PAPI_OK ? options.inherit : ptr->inherit.inherit;
		return status;
	case PAPI_ATTACH:
	case PAPI_DETACH:
		status = options_of(ptr->attach.eventset, &options);
		if (status != PAPI_OK)
			return status;
		ptr->attach.tid = (unsigned long)options.attach;
		return (options.attach != 0) == (option == PAPI_ATTACH);
	case PAPI_CPU_ATTACH:
		status = options_of(ptr->cpu.eventset, &options);
		if (status != PAPI_OK)
			return status;
		ptr->cpu.cpu_num = options.cpu >= 0 ? (unsigned)options.cpu : 0;
		return options.cpu >= 0;
	case PAPI_MULTIPLEX:
		return papi_option_get_multiplex(&ptr->multiplex);
	case PAPI_DATA_ADDRESS:
	case PAPI_INSTR_ADDRESS:
		return papi_option_get_range(&ptr->addr, option == PAPI_DATA_ADDRESS);
	default:
		return papi_error(PAPI_EINVAL, "option %d does not exist or cannot be asked for", option);
	}
}

static int get_option(int option, PAPI_option_t *ptr, int cidx)
{
	int number = 0, status;

	if (!papi_library_ready() && option != PAPI_DEBUG)
		return papi_library_missing();
	if (option == PAPI_LIB_VERSION)
		return PAPI_VERSION;
	status = option == PAPI_DEBUG ? PAPI_ENOIMPL : get_number(option, ptr, cidx, &number);
	if (status == PAPI_OK)
		return number;
	if (status != PAPI_ENOIMPL)
		return status;
	if (!ptr)
		return papi_null_argument("PAPI_get_opt", "ptr");
	status = get_setting(option, ptr, cidx);
	return status == PAPI_ENOIMPL ? get_of_set(option, ptr) : status;
}

int PAPI_get_opt(int option, PAPI_option_t *ptr)
{
	return papi_result(get_option(option, ptr, 0));
}

int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx)
{
	switch (option) {
	case PAPI_MAX_HWCTRS:
	case PAPI_MAX_MPX_CTRS:
	case PAPI_DEFDOM:
	case PAPI_DEFGRN:
	case PAPI_COMPONENTINFO:
		return papi_result(get_option(option, ptr, cidx));
	default:
		return papi_result(papi_error(PAPI_EINVAL, "option %d is not one of a component", option));
	}
}
