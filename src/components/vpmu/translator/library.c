/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/library.h"

#include <dlfcn.h>
#include <link.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/thread.h"

/* A program without a dynamic linker has none. */
#pragma weak dlsym

#define MAX_TEXTS 8

struct text {
	uint64_t start, end;
};

static struct text texts[MAX_TEXTS];
static unsigned n_texts;

bool papi_vpmu_library_holds(uint64_t pc)
{
	for (unsigned i = 0; i < n_texts; i++)
		if (pc >= texts[i].start && pc < texts[i].end)
			return true;
	return false;
}

/* Where the static library has its code (static.sh). */
extern const char __start_papi_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_papi_text[] __attribute__((weak, visibility("hidden")));

/* The executable segment that this very function is in, unless it is the program's own. */
static int find_text(struct dl_phdr_info *object, size_t size, void *is_program)
{
	uint64_t here = (uint64_t)(uintptr_t)papi_vpmu_library_holds;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || here < start || here >= end)
			continue;
		/* The program comes first, and has no name. */
		if (!*(bool *)is_program)
			texts[n_texts++] = (struct text){ start, end };
		return 1;
	}
	*(bool *)is_program = false;
	return 0;
}

/* How many objects have been loaded and unloaded in the life of the process. */
struct loads {
	unsigned long long loaded, unloaded;
};

static int read_loads(struct dl_phdr_info *info, size_t size, void *pointer)
{
	(void)size;
	*(struct loads *)pointer = (struct loads){ info->dlpi_adds, info->dlpi_subs };
	return 1;
}

static struct loads count_loads(void)
{
	struct loads loads = { 0, 0 };

	dl_iterate_phdr(read_loads, &loads);
	return loads;
}

static unsigned long long bound, unloaded; /* as they were at the last look */

bool papi_vpmu_library_begin(void)
{
	bool is_program = true;

	if (!n_texts && __start_papi_text)
		texts[n_texts++] = (struct text){ (uint64_t)(uintptr_t)__start_papi_text,
			(uint64_t)(uintptr_t)__stop_papi_text };
	else if (!n_texts)
		dl_iterate_phdr(find_text, &is_program);
	unloaded = count_loads().unloaded;
	return n_texts > 0;
}

int papi_vpmu_library_exclude(uint64_t start, uint64_t end)
{
	if (n_texts == MAX_TEXTS)
		return -1;
	texts[n_texts++] = (struct text){ start, end };
	return 0;
}

bool papi_vpmu_library_is_engine(uint64_t pc)
{
	static const void *const functions[] = {
		papi_vpmu_engine_probe,
		papi_vpmu_engine_start,
		papi_vpmu_engine_stop,
		papi_vpmu_engine_abandon,
		papi_vpmu_engine_overflow,
		papi_vpmu_engine_forget_overflow,
		papi_vpmu_engine_counters,
		papi_vpmu_engine_exclude,
		papi_vpmu_engine_region,
		papi_vpmu_engine_forked,
		papi_vpmu_engine_lend,
		papi_vpmu_engine_borrow,
		papi_vpmu_engine_settle,
		papi_vpmu_action_native,
	};

	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (pc == (uint64_t)(uintptr_t)functions[i])
			return true;
	return false;
}

/* ---- binding ---- */

struct object {
	const ElfW(Sym) * symbols;
	const char *names;
	const ElfW(Rela) * jumps;
	size_t n_jumps;
	bool bound; /* all of it, when it was loaded */
};

static void read_dynamic(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic, struct object *object)
{
	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		/* The dynamic linker has made addresses of them, but in the vDSO. */
		uint64_t value = dynamic->d_un.d_val,
			 address = value < info->dlpi_addr ? info->dlpi_addr + value : value;

		if (dynamic->d_tag == DT_SYMTAB)
			object->symbols = (const ElfW(Sym) *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_STRTAB)
			object->names = (const char *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_JMPREL)
			object->jumps = (const ElfW(Rela) *)(uintptr_t)address;
		else if (dynamic->d_tag == DT_PLTRELSZ)
			object->n_jumps = value / sizeof(ElfW(Rela));
		else if (dynamic->d_tag == DT_FLAGS)
			object->bound = object->bound || value & DF_BIND_NOW;
		else if (dynamic->d_tag == DT_FLAGS_1)
			object->bound = object->bound || value & DF_1_NOW;
	}
}

static bool is_ours(const char *name)
{
	static const char prefix[] = "papi";

	for (unsigned i = 0; i < sizeof(prefix) - 1; i++)
		if ((name[i] | 0x20) != prefix[i])
			return false;
	return true;
}

static int bind_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct object object = { .symbols = NULL };

	(void)size;
	(void)unused;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			read_dynamic(info, (const ElfW(Dyn) *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				&object);
	if (!dlsym || object.bound || !object.symbols || !object.names || !object.jumps)
		return 0;
	for (size_t i = 0; i < object.n_jumps; i++) {
		const ElfW(Rela) *jump = &object.jumps[i];
		const char *name = object.names + object.symbols[ELF64_R_SYM(jump->r_info)].st_name;
		uint64_t *place = (uint64_t *)(uintptr_t)(info->dlpi_addr + jump->r_offset);
		uint64_t function;

		if (ELF64_R_TYPE(jump->r_info) != papi_vpmu_processor_jump_slot || papi_vpmu_library_holds(*place) ||
			!is_ours(name))
			continue;
		function = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
		if (papi_vpmu_library_holds(function))
			__atomic_store_n(place, function, __ATOMIC_RELAXED);
	}
	return 0;
}

bool papi_vpmu_library_bind(void)
{
	struct loads now = count_loads();

	if (__atomic_exchange_n(&bound, now.loaded, __ATOMIC_ACQ_REL) != now.loaded)
		dl_iterate_phdr(bind_object, NULL);
	return __atomic_exchange_n(&unloaded, now.unloaded, __ATOMIC_ACQ_REL) != now.unloaded;
}
