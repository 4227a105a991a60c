/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_virtual.c - virtual events: the agent that counts them inside the program, and what it has counted.
 *
 * papi_run works out what is to be instrumented and makes a table for each run (src/agent/table.h); the agents of all
 * processes count into it, and in the end all counters are added, and the values of the events made of the sums.
 *
 * The agent is preloaded by the dynamic linker, so a program without one is out of reach (src/agent/image.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/image.h"
#include "agent/table.h"
#include "papi_run.h"

#define PRELOAD "LD_PRELOAD"

static struct papi_agent_table *table;
static int descriptor = -1; /* of the table; high, and inherited by the program alone */
static int eventset = PAPI_NULL;
static char *preload_before; /* what LD_PRELOAD was; NULL: nothing */
static bool preload_known;
static char *shortcut; /* a symbolic link to the agent's directory, where that has a name LD_PRELOAD cannot hold */

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

/* ---- the agent ---- */

/* Its directory: that of this program, as when built, or where it is installed. NULL: it is in neither. */
static char *find_directory(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const directories[] = { "", PAPI_AGENT_DIRECTORY };

	while (length > 0 && self[length - 1] != '/')
		length--;
	for (size_t i = 0; length > 0 && i < sizeof(directories) / sizeof(directories[0]); i++) {
		bool absolute = directories[i][0] == '/', beside = !directories[i][0];
		char *directory = absolute
			? papi_run_format("%s", directories[i])
			: papi_run_format("%.*s%s%s", (int)length - beside, self, beside ? "" : "../", directories[i]);
		char *path = papi_run_format("%s/" PAPI_AGENT_LIBRARY, directory);
		bool found = access(path, R_OK) == 0;

		free(path);
		if (found)
			return directory;
		free(directory);
	}
	return NULL;
}

static bool fits_preload(const char *path)
{
	return !strpbrk(path, " :$") && strlen(path) + sizeof("/" PAPI_AGENT_LIBRARY) <= sizeof(table->agent);
}

/* LD_PRELOAD takes spaces and colons for the ends of names. A link to the directory, not to the file: from there the
 * dynamic linker finds what is beside the agent. */
static char *make_shortcut(const char *directory)
{
	const char *chosen = getenv("TMPDIR");
	const char *const places[] = { chosen && *chosen == '/' ? chosen : "/tmp", "/tmp", "/var/tmp", "/dev/shm" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *made = papi_run_format("%s/papi_run.XXXXXX", places[i]);
		const char *home = fits_preload(made) ? mkdtemp(made) : NULL;
		char *link = NULL;

		if (home) {
			link = papi_run_format("%s/agent", home);
			/* Programs of other users have to get there. */
			if (chmod(home, 0755) != 0 || symlink(directory, link) != 0) {
				rmdir(home);
				free(link);
				link = NULL;
			}
		}
		free(made);
		if (link)
			return link;
	}
	return NULL;
}

static void drop_shortcut(void)
{
	if (!shortcut)
		return;
	unlink(shortcut);
	*strrchr(shortcut, '/') = '\0';
	rmdir(shortcut);
	free(shortcut);
	shortcut = NULL;
}

/* What LD_PRELOAD can name; NULL with the reason why there is nothing. */
static char *find_agent(const char **reason)
{
	char *directory = find_directory(), *path;

	if (!directory) {
		*reason = "the counting agent, " PAPI_AGENT_LIBRARY
			  ", is neither beside papi_run nor where it is installed";
		return NULL;
	}
	if (!fits_preload(directory) && !shortcut)
		shortcut = make_shortcut(directory);
	if (!fits_preload(directory) && !shortcut) {
		*reason = "the counting agent's directory has a space, a colon or a dollar sign in its name, which "
			  "LD_PRELOAD cannot hold, and no link to it can be made in the temporary directory (TMPDIR)";
		free(directory);
		return NULL;
	}
	path = papi_run_format("%s/" PAPI_AGENT_LIBRARY, shortcut ? shortcut : directory);
	free(directory);
	return path;
}

/* ---- the table ---- */

/* The same descriptor with a high number; the limit of this process is raised for that if need be. */
static int move_up(int file)
{
	struct rlimit limit, raised;
	int moved;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return file;
	raised = limit;
	if (raised.rlim_cur < PAPI_AGENT_DESCRIPTOR + 100 && raised.rlim_max > raised.rlim_cur) {
		raised.rlim_cur = raised.rlim_max < PAPI_AGENT_DESCRIPTOR + 100 ? raised.rlim_max
										: PAPI_AGENT_DESCRIPTOR + 100;
		setrlimit(RLIMIT_NOFILE, &raised);
	}
	moved = fcntl(file, F_DUPFD_CLOEXEC, PAPI_AGENT_DESCRIPTOR);
	if (moved < 0 && raised.rlim_cur > 16)
		moved = fcntl(file, F_DUPFD_CLOEXEC, (int)raised.rlim_cur - 8);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (moved < 0)
		return file;
	close(file);
	return moved;
}

/* Of its full size, which takes no memory before it is used. 0, or an errno. */
static int size_up(int file)
{
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN); /* past the limit of the size of files */
	int error = ftruncate(file, (off_t)sizeof(*table)) == 0 ? 0 : errno;

	signal(SIGXFSZ, before);
	return error;
}

static const char *make_table(void)
{
	void *memory = MAP_FAILED;
	int error = 0;

	descriptor = memfd_create("papi_run", MFD_CLOEXEC);
	if (descriptor < 0 || (error = size_up(descriptor)) != 0)
		return error == EFBIG
			? "the limit of the size of files (ulimit -f) is too small for the counters of the program"
			: "no memory for the counters of the program can be shared with it (memfd_create)";
	descriptor = move_up(descriptor);
	memory = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
	if (memory == MAP_FAILED)
		return "there is no address space for the counters of the program (ulimit -v)";
	table = memory;
	table->magic = PAPI_AGENT_MAGIC;
	if (getrandom(&table->key, sizeof(table->key), GRND_NONBLOCK) != sizeof(table->key))
		table->key = (uint64_t)papi_run_now() ^ (uint64_t)getpid() << 32;
	return NULL;
}

static void drop_table(void)
{
	if (table)
		munmap(table, sizeof(*table));
	if (descriptor >= 0)
		close(descriptor);
	if (eventset != PAPI_NULL) {
		PAPI_cleanup_eventset(eventset);
		PAPI_destroy_eventset(&eventset);
	}
	table = NULL;
	descriptor = -1;
}

/* The EventSet that knows what the events are made of. An event that cannot be added is given up. */
static const char *plan_events(struct run_list *list)
{
	int error = PAPI_create_eventset(&eventset);

	if (error != PAPI_OK)
		return papi_run_events_reason(NULL, error);
	for (size_t i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error)
			continue;
		error = PAPI_add_named_event(eventset, event->name);
		if (error != PAPI_OK)
			papi_run_events_refuse(event, "%s", papi_run_events_reason(event->name, error));
	}
	if (!papi_run_virtual_wanted(list))
		return NULL;
	error = papi_agent_plan(eventset, &table->plan);
	table->plan.clock_unseen = papi_run_is_reproducible();
	return error == PAPI_OK ? NULL : papi_run_events_reason(NULL, error);
}

/* The first process: about to execute the program. */
static void expect_program(const char *path)
{
	struct papi_agent_process *entry = &table->entries[0];
	const char *name = strrchr(path, '/');

	snprintf(entry->next_name, sizeof(entry->next_name), "%s", name ? name + 1 : path);
	memcpy(entry->name, entry->next_name, sizeof(entry->name));
	atomic_store(&entry->serial, 1);
	atomic_store(&entry->state, PAPI_AGENT_EXPECTED);
	atomic_store(&table->entered, 1);
	atomic_store(&table->processes, 1);
}

/* In the environment that the program will have: this process is about to fork who executes it. */
static void tell_agent(void)
{
	char *preload = preload_before && *preload_before ? papi_run_format("%s:%s", table->agent, preload_before)
							  : papi_run_format("%s", table->agent);
	char *told = papi_run_format("%d,%010d,%010d,%020llu,%010u,%010u", descriptor, (int)getpid(), descriptor,
		(unsigned long long)table->key, 0u, 1u);

	setenv(PRELOAD, preload, 1);
	setenv(PAPI_AGENT_TABLE, told, 1);
	free(preload);
	free(told);
}

static void remember_preload(void)
{
	const char *before = getenv(PRELOAD);

	if (!preload_known && before)
		preload_before = papi_run_format("%s", before);
	preload_known = true;
}

static void forget_agent(void)
{
	if (preload_before)
		setenv(PRELOAD, preload_before, 1);
	else
		unsetenv(PRELOAD);
	unsetenv(PAPI_AGENT_TABLE);
}

void papi_run_virtual_begin(struct run_list *list, const char *path)
{
	const char *reason = papi_agent_image_obstacle(path);
	char *agent = NULL;

	if (!papi_run_virtual_wanted(list))
		return;
	remember_preload();
	if (!reason)
		agent = find_agent(&reason);
	if (agent)
		reason = make_table();
	if (agent && !reason)
		reason = plan_events(list);
	if (reason)
		refuse_virtual(list, reason);
	if (papi_run_virtual_wanted(list)) {
		snprintf(table->agent, sizeof(table->agent), "%s", agent);
		expect_program(path);
		tell_agent();
	} else {
		drop_table();
	}
	free(agent);
}

void papi_run_virtual_hand_over(void)
{
	if (descriptor >= 0)
		fcntl(descriptor, F_SETFD, 0);
}

/* ---- results ---- */

static void add_counters(uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS])
{
	for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (size_t i = 0; i < PAPI_AGENT_COUNTERS; i++)
			sums[lane][i] = atomic_load(&table->sums[lane][i]);
	for (size_t page = 0; page < PAPI_AGENT_PAGES; page++) {
		if (atomic_load(&table->owners[page]) == 0)
			continue;
		for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
			for (size_t i = 0; i < PAPI_AGENT_COUNTERS; i++)
				sums[i < PAPI_AGENT_EXACT ? 0 : lane][i] += table->pages[page][lane][i];
	}
}

static const char *take_values(struct run_list *list, size_t run, long long elapsed_ns)
{
	long long *values = papi_run_allocate(NULL, list->number, sizeof(*values));
	long long *intervals = papi_run_allocate(NULL, list->number, sizeof(*intervals));
	uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	size_t position = 0;
	int error;

	add_counters(sums);
	error = papi_agent_values(eventset, sums, values, intervals);
	for (size_t i = 0; error == PAPI_OK && i < list->number; i++) {
		struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error)
			continue;
		event->interval += intervals[position];
		event->counts[run] += values[position++];
		event->enabled_ns += elapsed_ns;
		event->running_ns += elapsed_ns;
		event->user_only = true;
	}
	free(values);
	free(intervals);
	return error == PAPI_OK ? NULL : papi_run_events_reason(NULL, error);
}

void papi_run_virtual_end(struct run_list *list, struct run_result *result, size_t run, long long elapsed_ns)
{
	const char *reason = NULL;

	if (!table)
		return;
	if (atomic_load(&table->arrived) == 0)
		reason = "the agent did not start in the program: the dynamic linker did not load it";
	else
		reason = take_values(list, run, elapsed_ns);
	if (reason)
		refuse_virtual(list, reason);
	else
		papi_run_processes_take(&result->processes, table);
	forget_agent();
	drop_table();
	drop_shortcut();
}
