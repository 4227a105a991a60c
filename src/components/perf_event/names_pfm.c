/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that libpfm4 knows: `perf::PAGE-FAULTS`, `skl::INST_RETIRED:ANY_P`, `PAGE-FAULTS`.
 *
 * libpfm4 takes milliseconds to wake up, most of them for CPUs that this one is not, so it is loaded and initialised
 * when the first name is asked for and not with the library. It tells by cpuid which PMU a CPU should have; that the
 * machine really gives access to it is the kernel's to say (papi_perf_core_pmu).
 *
 * Everything here runs under the events mutex.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/error.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/names_sysfs.h"
#include "components/perf_event/pfm.h"
#include "components/perf_event/reasons.h"

/* Events that this machine can count: libpfm4's indexes, in the order of the listing; negative: GENERIC() of a position
 * among the kernel's own (papi_perf_generic_event). */
static struct {
	int *events;
	unsigned n;
} list;

#define GENERIC(index) (-1 - (index))

static const struct papi_pfm *pfm; /* NULL: not awake */

void papi_perf_pfm_prepare(void)
{
	papi_pfm_library();
}

/*
 * libpfm4 reads LIBPFM_* itself, also in a program with more rights than who called it, who may have set them: then
 * they go, as the dynamic linker makes its own variables go.
 */
static void forget_unsafe_settings(void)
{
	if (!getauxval(AT_SECURE))
		return;
	for (char **variable = environ; variable && *variable;) {
		size_t length = strcspn(*variable, "=");
		char name[64];

		if (strncmp(*variable, "LIBPFM_", 7) || length >= sizeof(name)) {
			variable++;
			continue;
		}
		memcpy(name, *variable, length);
		name[length] = '\0';
		unsetenv(name);
		variable = environ;
	}
}

static bool wake(void)
{
	const struct papi_pfm *library = pfm ? NULL : papi_pfm_library();

	if (!library)
		return pfm != NULL;
	forget_unsafe_settings();
	if (library->initialize() == PFM_SUCCESS)
		pfm = library;
	return pfm != NULL;
}

const char *papi_perf_pfm_absence(void)
{
	return wake()
		? NULL
		: "libpfm.so.4, which knows the names of the processor's events, cannot be loaded (Debian package "
		  "libpfm4)";
}

static bool pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){ .size = sizeof(*info) };
	return pfm->get_pmu_info(pmu, info) == PFM_SUCCESS;
}

static bool event_info(int index, pfm_event_info_t *info)
{
	*info = (pfm_event_info_t){ .size = sizeof(*info) };
	return pfm->get_event_info(index, PFM_OS_PERF_EVENT, info) == PFM_SUCCESS;
}

static int encode(const char *name, int modes, struct perf_event_attr *attr, int *index)
{
	pfm_perf_encode_arg_t argument = { .attr = attr, .size = sizeof(argument) };
	int status;

	*attr = (struct perf_event_attr){ .size = sizeof(*attr) };
	status = pfm->get_os_event_encoding(name, modes, PFM_OS_PERF_EVENT, &argument);
	*index = argument.idx;
	return status;
}

static bool is_core(const struct perf_event_attr *attr, const pfm_pmu_info_t *pmu)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW ||
		pmu->type == PFM_PMU_TYPE_CORE;
}

/*
 * What libpfm4 knows of a model of CPU, a machine of that model may lack. The energy counters are the case: virtual
 * machines have their PMU and none of them. The kernel names each that works, which it does not do for PMUs with many
 * events.
 */
static bool is_there(const struct perf_event_attr *attr, const pfm_pmu_info_t *pmu)
{
	bool energy = pmu->pmu == PFM_PMU_INTEL_RAPL || pmu->pmu == PFM_PMU_AMD64_RAPL;

	return !energy || papi_perf_sysfs_names(attr);
}

/* Whether the name has the modifier :h. */
static bool asks_for_hypervisor(const char *name)
{
	for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':'))
		if (tolower((unsigned char)colon[1]) == 'h' && strchr(":=", colon[2]))
			return true;
	return false;
}

static int failed(const char *name, int status)
{
	switch (status) {
	case PFM_ERR_NOTFOUND:
		return PAPI_ECMP;
	case PFM_ERR_ATTR:
	case PFM_ERR_ATTR_VAL:
		return papi_error(PAPI_EATTR,
			"%.160s: the event exists, but not this unit mask or modifier; papi_native_avail -e "
			"lists those it has",
			name);
	case PFM_ERR_UMASK:
		return papi_error(PAPI_EATTR,
			"%.160s: the event needs a unit mask; papi_native_avail -e lists those it has", name);
	case PFM_ERR_FEATCOMB:
	case PFM_ERR_ATTR_SET:
		return papi_error(PAPI_ECOMBO, "%.160s: these unit masks do not go together", name);
	default:
		return papi_error(PAPI_ENOEVNT, "%.160s: libpfm4 cannot encode it: %s", name, pfm->strerror(status));
	}
}

int papi_perf_pfm_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	struct perf_event_attr attr, other;
	struct papi_perf_encoding *encoding;
	pfm_event_info_t info;
	pfm_pmu_info_t pmu;
	int index, status, *cpus = NULL, n_cpus = 0;
	bool core;

	if (!wake())
		return PAPI_ECMP;
	status = encode(name, PFM_PLM3, &attr, &index);
	if (status != PFM_SUCCESS)
		return failed(name, status);
	/* The default modes are an argument; where they change nothing, the name has modes of its own. */
	encode(name, PFM_PLM0, &other, &index);
	if (!event_info(index, &info) || !pmu_info(info.pmu, &pmu))
		return papi_error(PAPI_EBUG, "%.160s: libpfm4 encodes it and does not know it", name);
	core = is_core(&attr, &pmu);
	if (core && !papi_perf_core_pmu())
		return papi_error_code();
	if (!is_there(&attr, &pmu))
		return papi_error(PAPI_ENOEVNT,
			"%.160s: this kind of CPU has the counter, and this machine does not: the kernel's "
			"PMU \"power\" has no such event, as is usual in virtual machines",
			name);
	if (!core && attr.type > PERF_TYPE_BREAKPOINT) {
		n_cpus = papi_perf_sysfs_cpus(attr.type, &cpus);
		if (n_cpus < 0)
			return papi_error_code();
	}
	encoding = papi_perf_encoding_make(PAPI_PERF_PFM, (unsigned)n_cpus);
	if (encoding) {
		encoding->attr = attr;
		encoding->core = core;
		if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE)
			papi_perf_sysfs_spread(encoding);
		encoding->own_modes = attr.exclude_user == other.exclude_user &&
			attr.exclude_kernel == other.exclude_kernel;
		/* libpfm4 leaves the bit alone for CPUs that it knows to be without a hypervisor's mode. */
		if (encoding->own_modes)
			encoding->attr.exclude_hv = !asks_for_hypervisor(name);
		papi_perf_encoding_software(encoding);
		if (n_cpus)
			memcpy(encoding->cpus, cpus, (size_t)n_cpus * sizeof(*cpus));
		*resolved = encoding;
	}
	free(cpus);
	return encoding ? PAPI_OK : PAPI_ENOMEM;
}

static bool append(int event)
{
	if (!(list.n & (list.n - 1))) {
		int *larger = realloc(list.events, (list.n ? list.n * 2 : 1) * sizeof(*larger));

		if (!larger)
			return false;
		list.events = larger;
	}
	list.events[list.n++] = event;
	return true;
}

static bool countable(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event, bool core_pmu)
{
	struct perf_event_attr attr;
	char name[PAPI_HUGE_STR_LEN];
	int index;

	if (pmu->type == PFM_PMU_TYPE_CORE)
		return core_pmu;
	snprintf(name, sizeof(name), "%s::%s", pmu->name, event->name);
	/* An event that needs a unit mask does not encode alone; its PMU is there, so it is listed. */
	if (encode(name, PFM_PLM3, &attr, &index) != PFM_SUCCESS)
		return true;
	return (core_pmu || !is_core(&attr, pmu)) && is_there(&attr, pmu);
}

static void make_list(void)
{
	bool core_pmu = papi_perf_core_pmu();
	char name[PAPI_MAX_STR_LEN];
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (i == PFM_PMU_PERF_EVENT_RAW || !pmu_info((pfm_pmu_t)i, &pmu) || !pmu.is_present)
			continue;
		for (int e = pmu.first_event; e != -1; e = pfm->get_event_next(e))
			if (event_info(e, &event) && countable(&pmu, &event, core_pmu))
				append(e);
	}
	/* The kernel has software events that libpfm4 has not heard of. */
	for (int i = 0; papi_perf_generic_event((unsigned)i, name, sizeof(name)) == PAPI_OK; i++)
		if (pfm->find_event(name) < 0)
			append(GENERIC(i));
}

int papi_perf_pfm_event(unsigned position, char *name, size_t size)
{
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;

	if (!wake())
		return papi_perf_generic_event(position, name, size);
	if (!list.n)
		make_list();
	if (position >= list.n)
		return PAPI_ENOEVNT;
	if (list.events[position] < 0)
		return papi_perf_generic_event((unsigned)GENERIC(list.events[position]), name, size);
	if (!event_info(list.events[position], &event) || !pmu_info(event.pmu, &pmu))
		return PAPI_ENOEVNT;
	snprintf(name, size, "%s::%s", pmu.name, event.name);
	return PAPI_OK;
}

static bool mask_info(int event, int attribute, pfm_event_attr_info_t *info)
{
	*info = (pfm_event_attr_info_t){ .size = sizeof(*info) };
	return pfm->get_event_attr_info(event, attribute, PFM_OS_PERF_EVENT, info) == PFM_SUCCESS;
}

int papi_perf_pfm_mask(const char *event, unsigned position, char *name, size_t size)
{
	pfm_event_attr_info_t mask;
	pfm_event_info_t info;
	int index = wake() ? pfm->find_event(event) : -1;

	if (index < 0 || !event_info(index, &info) || position >= (unsigned)info.nattrs ||
		!mask_info(index, (int)position, &mask))
		return PAPI_ENOEVNT;
	snprintf(name, size, "%s:%s%s", event, mask.name, mask.type == PFM_ATTR_UMASK ? "" : "=0");
	return PAPI_OK;
}

/*
 * Appends ", masks:" and what the masks and modifiers behind the event mean. Programs look for the colon to tell the
 * description of a mask from that of its event.
 */
static void describe_masks(const char *written, int index, const pfm_event_info_t *event, char *text, size_t size)
{
	char masks[PAPI_HUGE_STR_LEN], *rest = masks, *one;
	const char *separator = ", masks:";
	size_t used = strlen(text);

	snprintf(masks, sizeof(masks), "%s", written);
	while ((one = strsep(&rest, ":"))) {
		size_t length = strcspn(one, "=");
		pfm_event_attr_info_t mask;

		for (int i = 0; length && i < event->nattrs; i++) {
			if (!mask_info(index, i, &mask) || strlen(mask.name) != length ||
				strncasecmp(mask.name, one, length))
				continue;
			if (used < size)
				used += (size_t)snprintf(text + used, size - used, "%s%s", separator, mask.desc);
			separator = ",";
			break;
		}
	}
}

int papi_perf_pfm_describe(const char *name, PAPI_event_info_t *info)
{
	char event_name[PAPI_HUGE_STR_LEN], *masks;
	pfm_event_info_t event;
	int index;

	if (!wake())
		return PAPI_ENOEVNT;
	snprintf(event_name, sizeof(event_name), "%s", name);
	masks = strstr(event_name, "::");
	masks = strchr(masks ? masks + 2 : event_name, ':');
	if (masks)
		*masks = '\0';
	index = pfm->find_event(event_name);
	if (index < 0 || !event_info(index, &event))
		return papi_error(PAPI_ENOEVNT, "%.160s: libpfm4 does not know it", name);
	snprintf(info->long_descr, sizeof(info->long_descr), "%s", event.desc ? event.desc : event.name);
	if (masks)
		describe_masks(
			name + (masks + 1 - event_name), index, &event, info->long_descr, sizeof(info->long_descr));
	return PAPI_OK;
}

int papi_perf_pfm_pmu(unsigned position, char *name, size_t size)
{
	pfm_pmu_info_t pmu;

	for (int i = 0; wake() && i < PFM_PMU_MAX; i++) {
		if (i == PFM_PMU_PERF_EVENT || i == PFM_PMU_PERF_EVENT_RAW || !pmu_info((pfm_pmu_t)i, &pmu) ||
			!pmu.is_present || position--)
			continue;
		snprintf(name, size, "%s", pmu.name);
		return PAPI_OK;
	}
	return PAPI_ENOEVNT;
}

void papi_perf_pfm_survey(PAPI_component_info_t *info)
{
	unsigned n = 0;
	pfm_pmu_info_t pmu;

	if (!wake())
		return;
	snprintf(info->support_version, sizeof(info->support_version), "%d.%d", PFM_MAJ_VERSION(pfm->get_version()),
		PFM_MIN_VERSION(pfm->get_version()));
	for (int i = 0; i < PFM_PMU_MAX && n < PAPI_PMU_MAX; i++) {
		if (!pmu_info((pfm_pmu_t)i, &pmu) || !pmu.is_present || i == PFM_PMU_PERF_EVENT_RAW)
			continue;
		info->pmu_names[n++] = (char *)(uintptr_t)pmu.name;
		if (pmu.type == PFM_PMU_TYPE_CORE && papi_perf_core_pmu())
			info->num_cntrs = pmu.num_cntrs + pmu.num_fixed_cntrs;
	}
}

void papi_perf_pfm_shutdown(void)
{
	free(list.events);
	list.events = NULL;
	list.n = 0;
	if (pfm)
		pfm->terminate();
	pfm = NULL;
}
