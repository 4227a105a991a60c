/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From addresses of a module to names: its functions, source lines, and the functions that are inlined there. Modules
 * are files, the kernel's page of code in each process, the kernel, and code that was made at run time.
 *
 * Addresses are those that the module itself has: of an ELF file, its virtual addresses, wherever it was loaded; of the
 * kernel and of code made at run time, those of the run. Debug information may be in the file, or in
 * another one that its build-id or its link leads to. Without any there are the symbols; without those the ranges that
 * the unwind tables have.
 *
 * What a struct papi_symbols gives away is its own, and valid until it is closed. One thread at a time for each. Files
 * are untrusted: what is wrong in them makes names unknown.
 *
 *	symbols.c  opening, and which source of names comes first
 *	elf.c      the file: its symbols and its code
 *	plt.c      stubs, named after what they call
 *	frames.c   ranges of unwind tables
 *	dwarf.c    functions, lines and inlined code
 *	entries.c  all functions
 *	inlined.c  those that compilers have put into their callers
 *	lists.c    lists of names: the kernel's, and those of compilers at run time
 *
 * unwind.h is apart from that: from a stack to callers.
 */
#ifndef PAPI_SYMBOLS_SYMBOLS_H
#define PAPI_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct papi_symbols;

struct papi_symbols_function {
	const char *name;    /* for people */
	const char *linkage; /* for the linker */
	const char *file;    /* where it is declared; NULL where that is not known */
	int line;
	uint64_t low, high; /* of its code, from its first instruction on; 0 for what is inlined */
};

/* A place in the source. */
struct papi_symbols_place {
	struct papi_symbols_function function;
	const char *file; /* NULL where it is not known; line is 0 then */
	int line;
};

/* No more are told for one address. */
#define PAPI_SYMBOLS_DEPTH 64

/*
 * The module of a file. build_id, in hexadecimal digits, is that of the file which ran, NULL where it had none: another
 * one is refused. debug_path: directories in which debug information is looked for, as "dir:dir"; NULL for the usual
 * ones. NULL if there is nothing to be had, with a sentence in reason.
 */
struct papi_symbols *papi_symbols_open_file(
	const char *path, const char *build_id, const char *debug_path, char *reason, size_t size);

/* The code that the kernel maps into each process: this process's, which is the same where the kernel is. */
struct papi_symbols *papi_symbols_open_vdso(const char *build_id, char *reason, size_t size);

/* The kernel that runs here. */
struct papi_symbols *papi_symbols_open_kernel(char *reason, size_t size);

/* Code that the process made when it ran, if it has left a list: /tmp/perf-PID.map. */
struct papi_symbols *papi_symbols_open_jit(long pid, char *reason, size_t size);

/* The places that an address is, the innermost first, each inlined into the next; how many, 0 if nothing is known. */
size_t papi_symbols_find(
	struct papi_symbols *symbols, uint64_t address, struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH]);

/* The code around an address that belongs to one function without a gap. */
bool papi_symbols_range(struct papi_symbols *symbols, uint64_t address, uint64_t *low, uint64_t *high);

/* A function of a module: a symbol, or where names are stripped a range of the unwind tables. */
struct papi_symbols_entry {
	const char *name;    /* for people */
	const char *linkage; /* for the linker */
	const char *others;  /* further names for the linker, a line each; NULL: none */
	uint64_t low, high;  /* of its code */
	bool resolver;       /* it chooses the function that is called by this name */
	bool unnamed;        /* only unwind tables have it: it may be a part of a function */
};

/* All of them, in the order of addresses; the list is the caller's to free. How many. */
size_t papi_symbols_entries(struct papi_symbols *symbols, struct papi_symbols_entry **list);

/* A function that compilers have put into its callers, so often. */
struct papi_symbols_inlined {
	const char *name;    /* for people */
	const char *linkage; /* for the linker */
	size_t copies;
};

/* All of them that debug information knows, each once; the list is the caller's to free. How many. */
size_t papi_symbols_inlined(struct papi_symbols *symbols, struct papi_symbols_inlined **list);

/* Whether unwind tables say that at an address there is a return address where a call puts it: on top of the stack, or
 * on arm64 in its register. */
bool papi_symbols_is_called(struct papi_symbols *symbols, uint64_t address);

/* Of arm64: how far from its frame's address a function saves its return address, in the one place where it does that.
 * 0: in none, in several, or that is not known. */
int32_t papi_symbols_return_place(struct papi_symbols *symbols, uint64_t low, uint64_t high);

/* The bytes of code from an address on; *size is how many there are. NULL if there are none. */
const unsigned char *papi_symbols_code(struct papi_symbols *symbols, uint64_t address, size_t *size);

/* Whether the code is for a processor, by the number that ELF files have for it. */
bool papi_symbols_is_for(const struct papi_symbols *symbols, int machine);

void papi_symbols_close(struct papi_symbols *symbols);

#endif
