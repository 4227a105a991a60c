/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * adopt.c - a collector that has not made its table (collector.h): that of a program which another tool has started
 * with the agent in it. The program's processes hold the table, so it is there also when that tool was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/collector.h"

/* "descriptor,...,...,key", in decimal. */
static bool parse(const char *text, int *descriptor, unsigned long long *key)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || number < 0 || number > INT_MAX)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (*end != ',')
			return false;
		strtol(end + 1, &end, 10);
	}
	if (*end != ',' || end[1] < '0' || end[1] > '9')
		return false;
	errno = 0;
	*descriptor = (int)number;
	*key = strtoull(end + 1, NULL, 10);
	return errno == 0;
}

/* What the environment of a process said when it began: the table's descriptor there, and its key. */
static bool read_told(pid_t pid, int *descriptor, unsigned long long *key)
{
	static const char name[] = PAPI_AGENT_TABLE "=";
	char path[64], *text = NULL;
	size_t room = 0;
	bool told = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	while (file && !told && getdelim(&text, &room, '\0', file) > 0)
		told = !strncmp(text, name, sizeof(name) - 1) && parse(text + sizeof(name) - 1, descriptor, key);
	free(text);
	if (file)
		fclose(file);
	return told;
}

/* NULL: it is not there, or something else is. */
static struct papi_agent_table *map_table(pid_t pid, int descriptor, unsigned long long key)
{
	struct papi_agent_table *table = MAP_FAILED;
	struct stat status;
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, descriptor);
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == (off_t)sizeof(*table))
		table = mmap(NULL, sizeof(*table), PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
	close(file);
	if (table == MAP_FAILED)
		return NULL;
	if (table->magic == PAPI_AGENT_MAGIC && table->key == key)
		return table;
	munmap(table, sizeof(*table));
	return NULL;
}

/* The entry that this process counts in; PAPI_AGENT_PROCESSES: none. */
static size_t find_entry(const struct papi_agent_table *table, pid_t pid)
{
	size_t i = 0;

	while (i < PAPI_AGENT_PROCESSES &&
		(atomic_load(&table->entries[i].pid) != pid ||
			atomic_load(&table->entries[i].state) != PAPI_AGENT_COUNTED))
		i++;
	return i;
}

bool papi_agent_collector_adopt(struct papi_agent_collector *collector, pid_t pid, const char **reason)
{
	struct papi_agent_table *table = NULL;
	unsigned long long key = 0;
	int descriptor;
	size_t entry;

	*collector = (struct papi_agent_collector){ .descriptor = -1 };
	*reason = NULL;
	if (read_told(pid, &descriptor, &key))
		table = map_table(pid, descriptor, key);
	if (!table)
		return false;
	entry = find_entry(table, pid);
	/* The first entry, with its first serial, is of the process that the tool has started. */
	if (entry == 0 && atomic_load(&table->entries[0].serial) == 1) {
		collector->table = table;
		collector->adopted = true;
		return true;
	}
	if (entry < PAPI_AGENT_PROCESSES)
		*reason = "it is part of a program that another tool has started and counts as a whole: choose the "
			  "process that this tool has started, as long as that runs";
	munmap(table, sizeof(*table));
	return false;
}
