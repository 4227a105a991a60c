/* SPDX-License-Identifier: BSD-3-Clause */
/* lists.c - lists of names as text: the kernel's symbols, and what compilers at run time leave in /tmp. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/memory.h"
#include "symbols/module.h"

/* Lines "ADDRESS TYPE NAME [MODULE]"; addresses are all 0 where they are secret. */
bool papi_symbols_list_kernel(struct papi_symbols_table *table, char *reason, size_t size)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		char *type, *name;
		uint64_t address = strtoull(line, &type, 16);

		if (address == 0 || type[0] != ' ' || !type[1] || !strchr("TtWw", type[1]) || type[2] != ' ')
			continue;
		name = type + 3;
		name[strcspn(name, " \t\n")] = '\0';
		if (*name)
			papi_symbols_table_add(table, address, 0, ~UINT64_C(0), name,
				type[1] == 'T'           ? PAPI_SYMBOLS_GLOBAL
					: type[1] == 't' ? PAPI_SYMBOLS_LOCAL
							 : PAPI_SYMBOLS_WEAK);
	}
	free(line);
	if (file)
		fclose(file);
	papi_symbols_table_sort(table);
	if (!table->n)
		snprintf(reason, size,
			"the kernel keeps its symbols secret: ask as root, or sudo sysctl kernel.kptr_restrict=0");
	return table->n > 0;
}

/* /tmp is everybody's: what lies there is read only if it is a plain file, whose names anybody may have written. */
static FILE *open_list(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	FILE *file;

	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
		file = fdopen(descriptor, "r");
		if (file)
			return file;
	}
	close(descriptor);
	errno = EINVAL;
	return NULL;
}

/* Lines "START SIZE name of any words", in hexadecimal digits; the last one for an address holds. */
bool papi_symbols_list_jit(struct papi_symbols_table *table, long pid, char *reason, size_t size)
{
	char *path = papi_memory_print("/tmp/perf-%ld.map", pid), *line = NULL;
	FILE *file = open_list(path);
	size_t room = 0;

	if (!file)
		snprintf(reason, size, "%s: %s", path, strerror(errno));
	while (file && getline(&line, &room, file) > 0) {
		char *end, *name;
		uint64_t address, length;

		line[strcspn(line, "\n")] = '\0';
		address = strtoull(line, &end, 16);
		length = end > line && *end == ' ' ? strtoull(end, &name, 16) : 0;
		if (length && *name == ' ' && name[1])
			papi_symbols_table_add(table, address, length, 0, name + 1 + strspn(name + 1, " "), 0);
	}
	free(line);
	if (file) {
		fclose(file);
		snprintf(reason, size, "%s has no names", path);
	}
	papi_symbols_table_sort(table);
	free(path);
	return table->n > 0;
}
