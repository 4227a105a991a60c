/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_doctor: says what can be counted here, and why not more. See papi_doctor.h. */
#include "papi_doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "common.h"
#include "options.h"
#include "papi.h"

enum { LETTER_JSON = PAPI_TOOL_LONG_ONLY };

static const struct papi_tool_option options[] = {
	{ LETTER_JSON, "json", NULL, "for programs: one JSON object" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_doctor",
	.purpose = "Says what can be counted here by this user, what stands in the way of more, and the command "
		   "that changes it. The status is 0 if hardware events can be counted, 1 if not.",
	.options = options,
};

struct doctor_check *papi_doctor_check(struct doctor *doctor, const char *name, const char *label)
{
	struct doctor_check *check = &doctor->checks[doctor->n_checks++];

	*check = (struct doctor_check){ .name = name, .label = label };
	return check;
}

void papi_doctor_finding(struct doctor_check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->finding, sizeof(check->finding), format, arguments);
	va_end(arguments);
}

void papi_doctor_remedy(struct doctor_check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->remedy, sizeof(check->remedy), format, arguments);
	va_end(arguments);
}

void papi_doctor_number(struct doctor_check *check, long long number)
{
	check->value = (struct doctor_value){ .type = DOCTOR_NUMBER, .number = number };
}

void papi_doctor_boolean(struct doctor_check *check, bool boolean)
{
	check->value = (struct doctor_value){ .type = DOCTOR_BOOLEAN, .number = boolean };
}

void papi_doctor_string(struct doctor_check *check, const char *text)
{
	check->value.type = DOCTOR_STRING;
	snprintf(check->value.text, sizeof(check->value.text), "%s", text);
}

/* ---- What the library knows ---- */

/* PMUs of libpfm4 that are there on every machine tell nothing about the CPU. */
static bool is_of_cpu(const char *pmu)
{
	static const char *const everywhere[] = { "perf", "perf_raw", "ix86arch" };

	for (size_t i = 0; i < sizeof(everywhere) / sizeof(everywhere[0]); i++)
		if (!strcmp(pmu, everywhere[i]))
			return false;
	return true;
}

void papi_doctor_processor(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "libpfm4", "Processor");
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	const PAPI_component_info_t *component = PAPI_get_component_info(0);
	const char *model = hardware != NULL && *hardware->model_string ? hardware->model_string : "unknown",
		   *known = NULL;

	for (int i = 0; component != NULL && i < PAPI_PMU_MAX && component->pmu_names[i] != NULL; i++)
		if (known == NULL && is_of_cpu(component->pmu_names[i]))
			known = component->pmu_names[i];
	if (!doctor->live) {
		papi_doctor_finding(check, "%s; libpfm4 knows the CPU that it runs on only", model);
		return;
	}
	papi_doctor_string(check, known != NULL ? known : "");
	if (known != NULL) {
		papi_doctor_finding(check, "%s, which libpfm4 calls %s", model, known);
		return;
	}
	papi_doctor_finding(check, "%s, of which libpfm4 has no events%s", model,
		doctor->core_pmus ? "; the kernel's own names (cpu/instructions/) and raw codes (r01c0) remain" : "");
	if (doctor->core_pmus > 0) {
		check->status = DOCTOR_NOTE;
		papi_doctor_remedy(check, "install a newer libpfm4, and build the library with it");
	}
}

void papi_doctor_virtual_pmu(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "virtual_pmu", "Virtual PMU");
	const char *setting = getenv("PAPI_VPMU");
	int index = PAPI_get_component_index("vpmu");
	const PAPI_component_info_t *component = index >= 0 ? PAPI_get_component_info(index) : NULL;

	if (component == NULL) {
		papi_doctor_boolean(check, false);
		papi_doctor_finding(check, "this library was built without one");
		return;
	}
	doctor->virtual_pmu = component->disabled == PAPI_OK;
	papi_doctor_boolean(check, doctor->virtual_pmu);
	if (doctor->virtual_pmu) {
		papi_doctor_finding(check, "ready (PAPI_VPMU=%s): it counts by translating the program's instructions",
			setting != NULL && *setting ? setting : "auto");
		return;
	}
	papi_doctor_finding(
		check, "off: %s", *component->disabled_reason ? component->disabled_reason : "it does not say why");
	if (setting != NULL && !strcmp(setting, "off")) {
		check->status = doctor->hardware ? DOCTOR_NOTE : DOCTOR_OK;
		papi_doctor_remedy(check, "export PAPI_VPMU=auto");
	}
}

static int count_presets(int modifier)
{
	int code = (int)PAPI_PRESET_MASK, n = 0;

	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, modifier))
		n += modifier == PAPI_ENUM_EVENTS || PAPI_query_event(code) == PAPI_OK;
	return n;
}

/* Those of a recorded machine would need its kernel: tables are chosen by files, but counters are tried. */
void papi_doctor_presets(struct doctor *doctor)
{
	struct doctor_check *check = papi_doctor_check(doctor, "presets", "Presets");

	doctor->presets = doctor->presets_available = -1;
	if (!doctor->live) {
		papi_doctor_finding(check, "not asked: this is the record of another machine");
		return;
	}
	doctor->presets = count_presets(PAPI_ENUM_EVENTS);
	doctor->presets_available = count_presets(PAPI_PRESET_ENUM_AVAIL);
	papi_doctor_number(check, doctor->presets_available);
	papi_doctor_finding(check, "%d of %d are available", doctor->presets_available, doctor->presets);
	if (doctor->presets_available == 0)
		check->status = DOCTOR_NOTE;
}

/* ---- The verdict ---- */

void papi_doctor_verdict(const struct doctor *doctor, char *verdict, size_t size)
{
	const char *where = doctor->kernel_mode != 0 ? "in user mode"
		: doctor->whole_cpus != 0            ? "in all modes"
						     : "in all modes, and on whole CPUs";
	char presets[160] = "";

	if (doctor->presets_available > 0)
		snprintf(presets, sizeof(presets), " %d of %d presets are available%s.", doctor->presets_available,
			doctor->presets, doctor->hardware != 0 && doctor->virtual_pmu ? ", by the virtual PMU" : "");
	if (doctor->hardware == 0)
		snprintf(verdict, size, "Hardware events can be counted %s.%s", where, presets);
	else if (doctor->software == 0)
		snprintf(verdict, size, "Hardware events cannot be counted here; software events can, %s.%s", where,
			presets);
	else
		snprintf(verdict, size, "The kernel's events cannot be counted here, neither hardware nor software.%s",
			presets);
}

static void examine(struct doctor *doctor)
{
	doctor->live = papi_linux_is_live();
	papi_doctor_kernel(doctor);
	papi_doctor_hypervisor(doctor);
	papi_doctor_pmus(doctor);
	papi_doctor_processor(doctor);
	papi_doctor_paranoid(doctor);
	papi_doctor_capabilities(doctor);
	papi_doctor_seccomp(doctor);
	papi_doctor_container(doctor);
	papi_doctor_lockdown(doctor);
	papi_doctor_attempts(doctor);
	papi_doctor_watchdog(doctor);
	papi_doctor_user_reads(doctor);
	papi_doctor_buffers(doctor);
	papi_doctor_files(doctor);
	papi_doctor_virtual_pmu(doctor);
	papi_doctor_presets(doctor);
}

int main(int argc, char **argv)
{
	static struct doctor doctor;
	bool json = false;

	papi_tool_begin();
	while (papi_tool_next_option(&tool, argc, argv) != -1)
		json = true;
	papi_tool_init();
	/* The library has a copy of these functions to itself; both look below the same root. */
	if (papi_linux_set_root(secure_getenv("PAPI_ROOT")) < 0) {
		fprintf(stderr, "%s: PAPI_ROOT is longer than a path can be\n", tool.name);
		return papi_tool_finish(EXIT_FAILURE);
	}
	examine(&doctor);
	if (json)
		papi_doctor_print_json(&doctor);
	else
		papi_doctor_print_text(&doctor);
	return papi_tool_finish(doctor.hardware == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
