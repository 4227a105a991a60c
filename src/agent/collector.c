/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/image.h"

#define PRELOAD "LD_PRELOAD"

static const char no_memory[] = "there is no memory for what its agent needs to be told";

/* NULL: there is no memory. */
static __attribute__((format(printf, 1, 2))) char *format(const char *text, ...)
{
	va_list arguments;
	char *made;
	int length;

	va_start(arguments, text);
	length = vasprintf(&made, text, arguments);
	va_end(arguments);
	return length < 0 ? NULL : made;
}

/* ---- the agent ---- */

/* What LD_PRELOAD takes for the end of a name, or for more than that. */
static bool fits_preload(const char *path)
{
	return !strpbrk(path, " :$") &&
		strlen(path) + sizeof("/" PAPI_AGENT_LIBRARY) <= sizeof(((struct papi_agent_table *)0)->agent);
}

static bool has_agent(const char *directory)
{
	char *path = format("%s/" PAPI_AGENT_LIBRARY, directory);
	bool found = path && access(path, R_OK) == 0;

	free(path);
	return found;
}

/* That of this program, as when built, or where it is installed, which is below the parent of that unless it begins
 * with a slash. NULL: it is in neither. */
static char *find_directory(const char *installed)
{
	char self[PATH_MAX], *directory;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (length > 0 && self[length - 1] != '/')
		length--;
	if (length <= 0)
		return NULL;
	self[length] = '\0';
	directory = format("%.*s", (int)length - 1, self);
	if (directory && has_agent(directory))
		return directory;
	free(directory);
	directory = installed[0] == '/' ? format("%s", installed) : format("%s../%s", self, installed);
	if (directory && has_agent(directory))
		return directory;
	free(directory);
	return NULL;
}

/* A directory of ours with a link in it; NULL: none can be made there. */
static char *make_link(const char *place, const char *directory)
{
	char *home = format("%s/papi.XXXXXX", place), *link = NULL;

	if (home && fits_preload(home) && mkdtemp(home)) {
		link = format("%s/agent", home);
		/* Programs of other users have to get there. */
		if (!link || chmod(home, 0755) != 0 || symlink(directory, link) != 0) {
			rmdir(home);
			free(link);
			link = NULL;
		}
	}
	free(home);
	return link;
}

/* To the directory, not to the file: from there the dynamic linker finds what is beside the agent. */
static char *make_shortcut(const char *directory)
{
	const char *chosen = getenv("TMPDIR");
	const char *const places[] = { chosen && *chosen == '/' ? chosen : "/tmp", "/tmp", "/var/tmp", "/dev/shm" };
	char *link = NULL;

	for (size_t i = 0; !link && i < sizeof(places) / sizeof(places[0]); i++)
		link = make_link(places[i], directory);
	return link;
}

static void drop_shortcut(struct papi_agent_collector *collector)
{
	if (!collector->shortcut)
		return;
	unlink(collector->shortcut);
	*strrchr(collector->shortcut, '/') = '\0';
	rmdir(collector->shortcut);
	free(collector->shortcut);
	collector->shortcut = NULL;
}

static const char *find_agent(struct papi_agent_collector *collector, const char *installed)
{
	char *directory = find_directory(installed);
	bool fits = directory && fits_preload(directory);

	if (!directory)
		return "the counting agent, " PAPI_AGENT_LIBRARY
		       ", is neither beside this tool nor where it is installed";
	if (!fits)
		collector->shortcut = make_shortcut(directory);
	if (fits || collector->shortcut)
		collector->agent = format("%s/" PAPI_AGENT_LIBRARY, fits ? directory : collector->shortcut);
	free(directory);
	if (collector->agent)
		return NULL;
	return "the counting agent's directory has a space, a colon or a dollar sign in its name, which LD_PRELOAD "
	       "cannot hold, and no link to it can be made in the temporary directory (TMPDIR)";
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
	int error = ftruncate(file, (off_t)sizeof(struct papi_agent_table)) == 0 ? 0 : errno;

	signal(SIGXFSZ, before);
	return error;
}

static uint64_t make_key(void)
{
	struct timespec now;
	uint64_t key;

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == sizeof(key))
		return key;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)getpid() << 40;
}

static const char *make_table(struct papi_agent_collector *collector)
{
	int file = memfd_create("papi_agent", MFD_CLOEXEC), error = file < 0 ? errno : size_up(file);
	void *memory;

	collector->descriptor = file;
	if (error)
		return error == EFBIG
			? "the limit of the size of files (ulimit -f) is too small for the counters of the program"
			: "no memory for the counters of the program can be shared with it (memfd_create)";
	collector->descriptor = move_up(file);
	memory = mmap(NULL, sizeof(*collector->table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		collector->descriptor, 0);
	if (memory == MAP_FAILED)
		return "there is no address space for the counters of the program (ulimit -v)";
	collector->table = memory;
	collector->table->magic = PAPI_AGENT_MAGIC;
	collector->table->key = make_key();
	snprintf(collector->table->agent, sizeof(collector->table->agent), "%s", collector->agent);
	return NULL;
}

/* ---- beginning and ending ---- */

const char *papi_agent_collector_begin(
	struct papi_agent_collector *collector, const char *installed, const char *program)
{
	const char *reason = program ? papi_agent_image_obstacle(program) : NULL, *before = getenv(PRELOAD);

	*collector = (struct papi_agent_collector){ .descriptor = -1 };
	if (!reason)
		reason = find_agent(collector, installed);
	if (!reason)
		reason = make_table(collector);
	if (!reason && before && !(collector->preload_before = format("%s", before)))
		reason = no_memory;
	if (reason)
		papi_agent_collector_end(collector);
	return reason;
}

/* The first process: about to execute the program. */
static void expect_program(struct papi_agent_table *table, const char *path)
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
const char *papi_agent_collector_expect(struct papi_agent_collector *collector, const char *program)
{
	const char *before = collector->preload_before ? collector->preload_before : "";
	char *preload = format("%s%s%s", collector->agent, *before ? ":" : "", before);
	char *told = format("%d,%010d,%010d,%020llu,%010u,%010u", collector->descriptor, (int)getpid(),
		collector->descriptor, (unsigned long long)collector->table->key, 0u, 1u);
	bool done = preload && told && setenv(PRELOAD, preload, 1) == 0 && setenv(PAPI_AGENT_TABLE, told, 1) == 0;

	expect_program(collector->table, program);
	free(preload);
	free(told);
	return done ? NULL : no_memory;
}

void papi_agent_collector_hand_over(const struct papi_agent_collector *collector)
{
	if (collector->descriptor >= 0)
		fcntl(collector->descriptor, F_SETFD, 0);
}

void papi_agent_collector_sums(
	const struct papi_agent_collector *collector, uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS])
{
	const struct papi_agent_table *table = collector->table;

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

void papi_agent_collector_keep_apart(struct papi_agent_collector *collector)
{
	collector->table->by_thread = true;
}

/* Of a thread that has not ended; false: nobody has the page. */
static bool read_page(const struct papi_agent_table *table, size_t page, struct papi_agent_record *record)
{
	uint32_t owner = atomic_load(&table->owners[page]);
	const struct papi_agent_process *entry;

	if (!owner || owner > PAPI_AGENT_PROCESSES)
		return false;
	entry = &table->entries[owner - 1];
	memset(record, 0, sizeof(*record));
	record->pid = atomic_load(&entry->pid);
	record->tid = abs(atomic_load(&table->threads[page]));
	record->process = atomic_load(&entry->number);
	memcpy(record->name, entry->name, sizeof(record->name));
	for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (size_t i = 0; i < (lane ? PAPI_AGENT_EXACT : PAPI_AGENT_COUNTERS); i++)
			record->counters[i] += table->pages[page][lane][i];
	return true;
}

struct papi_agent_record *papi_agent_collector_threads(const struct papi_agent_collector *collector, size_t *number)
{
	const struct papi_agent_table *table = collector->table;
	size_t recorded = atomic_load(&table->recorded), n = 0;
	struct papi_agent_record *found;

	recorded = recorded < PAPI_AGENT_RECORDS ? recorded : PAPI_AGENT_RECORDS;
	found = calloc(recorded + PAPI_AGENT_PAGES, sizeof(*found));
	for (size_t i = 0; found && i < recorded; i++)
		if (atomic_load(&table->records[i].written))
			memcpy(&found[n++], &table->records[i], sizeof(*found));
	for (size_t page = 0; found && page < PAPI_AGENT_PAGES; page++)
		n += read_page(table, page, &found[n]);
	for (size_t i = 0; i < n; i++)
		found[i].name[sizeof(found[i].name) - 1] = '\0';
	*number = n;
	return found;
}

size_t papi_agent_collector_running(const struct papi_agent_collector *collector, int32_t *tids)
{
	const struct papi_agent_table *table = collector->table;
	size_t number = 0;

	for (size_t page = 0; page < PAPI_AGENT_PAGES; page++)
		if (atomic_load(&table->owners[page]) && atomic_load(&table->threads[page]) > 0)
			tids[number++] = atomic_load(&table->threads[page]);
	return number;
}

void papi_agent_collector_end(struct papi_agent_collector *collector)
{
	bool changed = collector->table && !collector->adopted;

	if (changed && collector->preload_before)
		setenv(PRELOAD, collector->preload_before, 1);
	else if (changed)
		unsetenv(PRELOAD);
	if (changed)
		unsetenv(PAPI_AGENT_TABLE);
	if (collector->table)
		munmap(collector->table, sizeof(*collector->table));
	if (collector->descriptor >= 0)
		close(collector->descriptor);
	drop_shortcut(collector);
	free(collector->agent);
	free(collector->preload_before);
	*collector = (struct papi_agent_collector){ .descriptor = -1 };
}
