/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a stopped thread may run pthread_create(): whether none of its frames may hold a lock that this needs, as its
 * stack tells, unwound from outside by libdw. Code without unwind tables ends the stack: what made it at run time calls
 * out of it by functions that have them.
 *
 * Libraries are often stripped, and their static functions have no names then. What such a function of libc belongs to,
 * the frame tells that called it; where that is outside of libc, its call instruction does.
 */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/registers.h"

#define MOST_FRAMES 500

struct papi_remote_moment {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	char *debug_path;
	char no_path[1];
};

/* They hold a lock that a new thread needs, leave a thread's cache of memory half-written, or are the only thread of
 * two processes. Any library may define the first ones: another malloc() has locks, too. Sorted. */
static const char *const in_the_way[] = { "_Fork", "__clone", "__clone2", "__cxa_thread_atexit_impl", "__fork",
	"__libc_calloc", "__libc_fork", "__libc_free", "__libc_freeres", "__libc_malloc", "__libc_memalign",
	"__libc_realloc", "__libc_start_main_exit", "__nptl_setxid", "__vfork", "aligned_alloc", "calloc", "cfree",
	"clone", "dl_iterate_phdr", "dladdr", "dlclose", "dlopen", "dlsym", "exit", "fork", "free", "mallinfo",
	"mallinfo2", "malloc", "malloc_info", "malloc_stats", "malloc_trim", "malloc_usable_size", "mallopt",
	"memalign", "posix_memalign", "posix_spawn", "posix_spawnp", "pthread_attr_setaffinity_np",
	"pthread_clockjoin_np", "pthread_create", "pthread_detach", "pthread_exit", "pthread_getattr_np",
	"pthread_join", "pthread_setname_np", "pthread_timedjoin_np", "pthread_tryjoin_np", "pvalloc", "quick_exit",
	"realloc", "reallocarray", "setegid", "seteuid", "setgid", "setgroups", "setregid", "setresgid", "setresuid",
	"setreuid", "setuid", "valloc", "vfork" };

static int compare(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

static bool is_in_the_way(const char *name)
{
	return bsearch(name, in_the_way, sizeof(in_the_way) / sizeof(in_the_way[0]), sizeof(in_the_way[0]), compare);
}

/* They wait in the kernel until the child has executed a program: not where a breakpoint could be taken away. */
static bool makes_process(const char *name)
{
	return strcasestr(name, "fork") || strstr(name, "spawn") || strstr(name, "clone");
}

/* ---- modules ---- */

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The last part of the name of its file; NULL: it is of none, or of one that is memory by another name, as translated
 * code is. */
static const char *file_of(Dwfl_Module *module)
{
	const char *path = module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (path && starts_with(path, PAPI_REMOTE_BROUGHT))
		return path + strlen(PAPI_REMOTE_BROUGHT);
	if (path && (starts_with(path, "/dev/") || starts_with(path, "/memfd:")))
		return NULL;
	return slash ? slash + 1 : path;
}

static bool is_libc(const char *file)
{
	return starts_with(file, "libc.so") || starts_with(file, "libc-2.");
}

static bool is_linker(const char *file)
{
	return starts_with(file, "ld-linux") || starts_with(file, "ld-2.") || starts_with(file, "ld-musl");
}

/* The name of the function that an address is in, NULL where no symbol has it. */
static const char *name_of(Dwfl_Module *module, Dwarf_Addr address)
{
	GElf_Sym symbol;
	GElf_Off offset;
	const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);

	return name && symbol.st_size && offset >= symbol.st_size ? NULL : name;
}

/* ---- a stack ---- */

struct walk {
	struct papi_remote *remote;
	unsigned frames;
	bool bad;             /* a function is in the way */
	bool stays;           /* and is not to be run to its end */
	bool is_innermost;    /* of the next caller, it is where that function returns to */
	bool unnamed_in_libc; /* the frame before was in libc, where no name could be found */
	uint64_t leave_at;
};

static void obstruct(struct walk *walk, const char *name, const char *file)
{
	papi_remote_fail(walk->remote, "a thread is in %s of %s", name ? name : "a function", file);
	walk->bad = walk->is_innermost = true;
	walk->stays = walk->stays || (name && makes_process(name));
}

/* An exported function of libc has a symbol at its address, unless it is one of those that are chosen for the
 * processor, as memcpy(): those hold nothing. */
static void judge_unnamed(struct walk *walk, Dwarf_Addr back)
{
	Dwarf_Addr to = papi_remote_callee(walk->remote, back);
	Dwfl_Module *module = to ? dwfl_addrmodule(walk->remote->moment->dwfl, to) : NULL;
	const char *file = file_of(module);
	const char *name = file && is_libc(file) ? name_of(module, to) : NULL;

	if (file && is_libc(file) && (!name || !is_in_the_way(name)))
		return;
	obstruct(walk, name, "libc");
	walk->is_innermost = false;
	walk->leave_at = back;
}

static int judge_frame(Dwfl_Frame *frame, void *argument)
{
	struct walk *walk = argument;
	Dwfl_Module *module;
	const char *file, *name;
	bool activation, unnamed = walk->unnamed_in_libc;
	Dwarf_Addr pc, at;

	if (walk->frames++ > MOST_FRAMES || !dwfl_frame_pc(frame, &pc, &activation))
		return DWARF_CB_ABORT;
	if (papi_remote_is_signed(pc)) {
		papi_remote_fail(walk->remote, "return addresses of a thread are signed, which this libdw cannot undo");
		walk->bad = walk->stays = true;
		return DWARF_CB_ABORT;
	}
	if (walk->is_innermost)
		walk->leave_at = pc;
	walk->is_innermost = walk->unnamed_in_libc = false;
	at = activation ? pc : pc - 1;
	module = dwfl_addrmodule(walk->remote->moment->dwfl, at);
	file = file_of(module);
	if (!file)
		return DWARF_CB_ABORT; /* libdw would go on with frame pointers, which there may be none of */
	name = name_of(module, at);
	if (is_linker(file) || (name && is_in_the_way(name)))
		obstruct(walk, name, file);
	else if (is_libc(file) && !name)
		walk->unnamed_in_libc = true;
	else if (!is_libc(file) && unnamed && !activation) /* what a signal has interrupted has called nothing */
		judge_unnamed(walk, pc);
	return DWARF_CB_OK;
}

enum papi_remote_verdict papi_remote_moment_judge(struct papi_remote *remote, pid_t thread, uint64_t *leave_at)
{
	struct walk walk = { .remote = remote };

	dwfl_getthread_frames(remote->moment->dwfl, thread, judge_frame, &walk);
	*leave_at = walk.stays ? 0 : walk.leave_at;
	if (!walk.frames)
		papi_remote_fail(remote, "the stack of a thread cannot be unwound: %s", dwfl_errmsg(-1));
	return walk.bad || !walk.frames ? PAPI_REMOTE_UNSAFE : PAPI_REMOTE_SAFE;
}

/* ---- what libc offers ---- */

static const char *const names[PAPI_REMOTE_FUNCTIONS] = {
	[PAPI_REMOTE_PTHREAD_CREATE] = "pthread_create",
	[PAPI_REMOTE_DLOPEN] = "dlopen",
	[PAPI_REMOTE_DLSYM] = "dlsym",
	[PAPI_REMOTE_DLERROR] = "dlerror",
	[PAPI_REMOTE_ERRNO_LOCATION] = "__errno_location",
};

static void take_symbols(struct papi_remote *remote, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module);

	for (int i = 1; i < n; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);

		for (size_t k = 0; name && k < PAPI_REMOTE_FUNCTIONS; k++)
			if (symbol.st_shndx != SHN_UNDEF && strcmp(name, names[k]) == 0)
				remote->functions[k] = address;
	}
}

static int look_at_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *argument)
{
	const char *file = file_of(module);

	(void)data;
	(void)name;
	(void)start;
	if (!file || !is_libc(file))
		return DWARF_CB_OK;
	take_symbols(argument, module);
	return DWARF_CB_ABORT;
}

/* libc makes system calls in many places: any will do. */
static bool find_call(struct papi_remote *remote)
{
	unsigned char code[4096];
	uint64_t start = remote->functions[PAPI_REMOTE_PTHREAD_CREATE] & ~(uint64_t)3;

	for (unsigned page = 0; page < 16; page++, start += sizeof(code) - 4) {
		const unsigned char *call;

		if (!papi_remote_read(remote, start, code, sizeof(code)))
			return false;
		call = papi_remote_find_call(code, sizeof(code));
		if (call) {
			remote->call = start + (uint64_t)(call - code);
			return true;
		}
	}
	return false;
}

static bool find_functions(struct papi_remote *remote)
{
	dwfl_getmodules(remote->moment->dwfl, look_at_module, remote, 0);
	for (size_t i = 0; i < PAPI_REMOTE_FUNCTIONS; i++)
		if (!remote->functions[i])
			return papi_remote_fail(remote, "its libc has no %s(): glibc 2.34 and later have", names[i]);
	return find_call(remote) || papi_remote_fail(remote, "it has ended, or executed another program");
}

/* ---- opening ---- */

/* As libdw does it, but by the process's own root directory. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
	const struct papi_remote *remote = *data;
	char here[PAPI_REMOTE_PATH];
	struct stat status;

	if (*name == '/' && remote) {
		papi_remote_path(remote->pid, name, here, sizeof(here));
		/* What there is no file of, libdw reads from memory where it can. */
		if (stat(here, &status) == 0)
			name = here;
	}
	return dwfl_linux_proc_find_elf(module, data, name, base, file_name, elf);
}

static int tell_remote(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *remote)
{
	(void)module;
	(void)name;
	(void)start;
	*data = remote;
	return DWARF_CB_OK;
}

bool papi_remote_moment_open(struct papi_remote *remote)
{
	struct papi_remote_moment *moment = calloc(1, sizeof(*moment));
	int error = -1;

	remote->moment = moment;
	if (!moment)
		return papi_remote_fail(remote, "there is no memory for that");
	moment->debug_path = moment->no_path; /* unwinding needs no debug information */
	moment->callbacks = (Dwfl_Callbacks){ .find_elf = find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &moment->debug_path };
	moment->dwfl = dwfl_begin(&moment->callbacks);
	if (moment->dwfl)
		error = dwfl_linux_proc_report(moment->dwfl, remote->pid);
	if (!error && !dwfl_report_end(moment->dwfl, NULL, NULL)) {
		dwfl_getmodules(moment->dwfl, tell_remote, remote, 0);
		error = dwfl_linux_proc_attach(moment->dwfl, remote->pid, true);
	}
	if (error)
		return papi_remote_fail(
			remote, "its memory cannot be looked at: %s", error > 0 ? strerror(error) : dwfl_errmsg(-1));
	return find_functions(remote);
}

void papi_remote_moment_close(struct papi_remote_moment *moment)
{
	if (moment && moment->dwfl)
		dwfl_end(moment->dwfl);
	free(moment);
}
