/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_virtual.c - virtual events: the agent that counts them inside the program, and what it cannot count.
 *
 * The agent is preloaded by the dynamic linker, so a program without one is out of reach: one that is linked statically,
 * of another word size, or gets rights that papi_run does not have.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "papi_run.h"
#include "papi_run_agent.h"

static struct run_agent_results *results;
static char *results_path;

bool papi_run_virtual_wanted(const struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error)
			return true;
	return false;
}

static void refuse_virtual(struct run_list *list, const char *reason)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual)
			papi_run_events_refuse(&list->events[i], "%s", reason);
}

void papi_run_virtual_refuse_watch(struct run_list *list)
{
	refuse_virtual(list, "a process that runs already cannot be counted virtually: let papi_run start the program");
}

/* ---- what kind of program it is ---- */

static bool has_interpreter(const char *image, size_t size)
{
	const Elf64_Ehdr *header = (const void *)image;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		size_t at = header->e_phoff + i * sizeof(Elf64_Phdr);
		const Elf64_Phdr *segment = (const void *)(image + at);

		if (at + sizeof(*segment) <= size && segment->p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* Why the program in that file cannot be counted; NULL: it can. Scripts are looked at through their interpreter. */
static const char *obstacle(const char *path, int depth)
{
	char image[4096];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, image, sizeof(image) - 1);

	if (file >= 0)
		close(file);
	if (got < (ssize_t)sizeof(Elf64_Ehdr) && (got < 3 || image[0] != '#'))
		return NULL; /* running it will tell what is wrong with it */
	image[got] = '\0';
	if (image[0] == '#' && image[1] == '!' && depth < 4) {
		char *interpreter = image + 2 + strspn(image + 2, " \t");

		interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
		return obstacle(interpreter, depth + 1);
	}
	if (memcmp(image, ELFMAG, SELFMAG) != 0)
		return NULL;
	if (image[EI_CLASS] != ELFCLASS64)
		return "the program is a 32-bit one, whose code is not translated";
	if (!has_interpreter(image, (size_t)got))
		return "the program is linked statically: no dynamic linker puts the counting agent into it";
	return NULL;
}

/* Beside this program, as when built, or where it is installed. */
static char *find_agent(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const directories[] = { "", RUN_AGENT_DIRECTORY "/" };

	while (length > 0 && self[length - 1] != '/')
		length--;
	for (size_t i = 0; length > 0 && i < sizeof(directories) / sizeof(directories[0]); i++) {
		bool absolute = directories[i][0] == '/';
		char *path = papi_run_format("%.*s%s%s" RUN_AGENT_LIBRARY, absolute ? 0 : (int)length, self,
			absolute || !directories[i][0] ? "" : "../", directories[i]);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* ---- results ---- */

static const char *make_results(size_t number)
{
	const char *directory = getenv("TMPDIR");
	void *memory = MAP_FAILED;
	int file;

	results_path = papi_run_format("%s/papi_run.XXXXXX", directory && *directory ? directory : "/tmp");
	file = mkostemp(results_path, O_CLOEXEC);
	if (file >= 0 && ftruncate(file, (off_t)sizeof(*results)) == 0)
		memory = mmap(NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (memory == MAP_FAILED)
		return "the file for the results of the agent cannot be made in the temporary directory (TMPDIR)";
	results = memory;
	results->magic = RUN_AGENT_MAGIC;
	results->number = (uint32_t)number;
	return NULL;
}

static void drop_results(void)
{
	if (results)
		munmap(results, sizeof(*results));
	if (results_path)
		unlink(results_path);
	free(results_path);
	results = NULL;
	results_path = NULL;
}

/* In the environment that the program will have: this process is about to run it, or to fork who does. */
static void tell_agent(const struct run_list *list, const char *agent)
{
	const char *others = getenv("LD_PRELOAD");
	char *preload = others && *others ? papi_run_format("%s:%s", agent, others) : papi_run_format("%s", agent);
	char *names = papi_run_format("%s", "");

	for (size_t i = 0; i < list->number; i++) {
		const struct run_event *event = &list->events[i];
		char *longer;

		if (!event->is_virtual || event->error)
			continue;
		longer = papi_run_format("%s%s%s", names, *names ? "," : "", event->name);
		free(names);
		names = longer;
	}
	setenv("LD_PRELOAD", preload, 1);
	setenv(RUN_AGENT_EVENTS, names, 1);
	setenv(RUN_AGENT_RESULTS, results_path, 1);
	free(preload);
	free(names);
}

void papi_run_virtual_begin(struct run_list *list, const char *path)
{
	const char *reason = obstacle(path, 0);
	size_t number = 0;
	char *agent;

	if (!papi_run_virtual_wanted(list))
		return;
	for (size_t i = 0; i < list->number; i++)
		number += list->events[i].is_virtual && !list->events[i].error;
	if (!reason && number > RUN_AGENT_EVENTS_MAX)
		reason = "more virtual events than there is room for";
	agent = reason ? NULL : find_agent();
	if (!reason && !agent)
		reason = "the counting agent, " RUN_AGENT_LIBRARY
			 ", is neither beside papi_run nor where it is installed";
	if (!reason)
		reason = make_results(number);
	if (reason) {
		refuse_virtual(list, reason);
		drop_results();
	} else {
		tell_agent(list, agent);
	}
	free(agent);
}

static void take_sums(struct run_list *list, size_t run, long long elapsed_ns)
{
	size_t position = 0;

	for (size_t i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error)
			continue;
		event->counts[run] += atomic_load(&results->sums[position++]);
		event->enabled_ns += elapsed_ns;
		event->running_ns += elapsed_ns;
		event->user_only = true;
	}
}

void papi_run_virtual_end(struct run_list *list, size_t run, long long elapsed_ns)
{
	uint32_t started, ended, failed;
	char *reason = NULL;

	if (!results)
		return;
	started = atomic_load(&results->started);
	ended = atomic_load(&results->ended);
	failed = atomic_load(&results->failed);
	if (started == 0 && failed == 0)
		reason = papi_run_format("the agent did not start in the program: the dynamic linker did not load it");
	else if (failed > 0)
		reason = papi_run_format("%u of the program's processes: %.*s", failed,
			(int)sizeof(results->reason) - 1, results->reason);
	else if (ended < started)
		reason = papi_run_format("%u of %u processes were killed, or ended without telling their counts",
			started - ended, started);
	if (reason)
		refuse_virtual(list, reason);
	else
		take_sums(list, run, elapsed_ns);
	free(reason);
	unsetenv(RUN_AGENT_EVENTS);
	unsetenv(RUN_AGENT_RESULTS);
	drop_results();
}
