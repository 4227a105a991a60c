/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The PMUs of a made-up machine: cores of two kinds, two memory controllers on each of two packages, energy, and the
 * model-specific registers. As files for names (tests/fake/machine.h), and for the model kernel to count.
 */
#ifndef PAPI_TESTS_UNIT_PMUS_H
#define PAPI_TESTS_UNIT_PMUS_H

#include "kernel.h"
#include "machine.h"
#include "unit.h"

#define TYPE_CORE   4
#define TYPE_ATOM   10
#define TYPE_MSR    11
#define TYPE_MEMORY 20
#define TYPE_POWER  25

#define DEVICES "/sys/bus/event_source/devices/"

struct machine_file {
	const char *path, *content;
};

static const struct machine_file pmu_files[] = {
	{ DEVICES "cpu_core/type", "4\n" },
	{ DEVICES "cpu_core/cpus", "0-15\n" },
	{ DEVICES "cpu_core/format/event", "config:0-7\n" },
	{ DEVICES "cpu_core/format/umask", "config:8-15\n" },
	{ DEVICES "cpu_core/format/inv", "config:23\n" },
	{ DEVICES "cpu_core/format/ldlat", "config1:0-15\n" },
	{ DEVICES "cpu_core/events/instructions", "event=0xc0\n" },
	{ DEVICES "cpu_core/events/cache-misses", "event=0x2e,umask=0x41\n" },
	{ DEVICES "cpu_atom/type", "10\n" },
	{ DEVICES "cpu_atom/cpus", "16-23\n" },
	{ DEVICES "cpu_atom/format/event", "config:0-7\n" },
	{ DEVICES "cpu_atom/format/umask", "config:8-15\n" },
	{ DEVICES "cpu_atom/events/instructions", "event=0xc0\n" },
	{ DEVICES "uncore_imc_0/type", "20\n" },
	{ DEVICES "uncore_imc_0/cpumask", "0,16\n" },
	{ DEVICES "uncore_imc_0/format/event", "config:0-7,32-35\n" },
	{ DEVICES "uncore_imc_0/events/cas_reads", "event=0x304\n" },
	{ DEVICES "power/type", "25\n" },
	{ DEVICES "power/cpumask", "0\n" },
	{ DEVICES "power/format/event", "config:0-7\n" },
	{ DEVICES "power/events/energy-pkg", "event=0x02\n" },
	{ DEVICES "power/events/energy-pkg.unit", "Joules\n" },
	{ DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ DEVICES "msr/type", "11\n" },
	{ DEVICES "msr/format/event", "config:0-63\n" },
	{ DEVICES "msr/events/tsc", "event=0x00\n" },
	{ DEVICES "software/type", "1\n" },
	{ "/sys/devices/system/cpu/online", "0-23\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ "/proc/sys/kernel/nmi_watchdog", "0\n" },
	{ "/proc/sys/kernel/perf_user_access", "1\n" }, /* of arm64 */
	{ "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu rdpmc\n" },
	{ "/proc/self/status", "Name:\ttest\nSeccomp:\t0\n" },
};

static inline void make_machine(void)
{
	fake_machine_begin();
	for (size_t i = 0; i < LENGTH(pmu_files); i++)
		fake_machine_write(pmu_files[i].path, pmu_files[i].content);
}

/* The same for the model kernel; the machine has to be made before the library is initialised. */
static inline void add_pmus(void)
{
	fake_pmu_set((struct fake_pmu){ .type = TYPE_ATOM, .counters = 6 });
	fake_pmu_set((struct fake_pmu){ .type = TYPE_MSR, .no_modes = true });
	fake_pmu_set((struct fake_pmu){ .type = TYPE_MEMORY, .counters = 2, .no_modes = true, .wide = true });
	fake_pmu_set((struct fake_pmu){ .type = TYPE_POWER, .no_modes = true, .wide = true });
}

#endif
