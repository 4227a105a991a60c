/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.c - how the agent gets into programs that are executed, and how it is known that it did not.
 *
 * libc's functions that execute programs are replaced by ones that announce the program in the table, see to it that
 * the table's descriptor is open and that the environment has the agent in it, and then do what the originals do. A
 * program that nothing can be counted of is announced all the same, with the reason: it will be missing.
 *
 * Children made by vfork come here, too, and share the memory of their parent, which waits: nothing is allocated, no
 * lock is taken, and nothing is changed but in the table and on the stack.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/image.h"
#include "agent/table.h"

#define VISIBLE         __attribute__((visibility("default")))
#define NATIVE_LIMIT_NS (5 * 1000 * 1000L) /* what a child of vfork may do uncounted before that is told */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	char *const[], char *const[]);

/* libc's own. */
static int (*next_execvpe)(const char *, char *const[], char *const[]);
static int (*next_fexecve)(int, char *const[], char *const[]);
static spawn_function *next_spawn, *next_spawnp;
static int (*next_system)(const char *);
static FILE *(*next_popen)(const char *, const char *);

/* The table's descriptor, and which file that is; the collector's, to open it again. */
static int table_descriptor = -1, collector, its_descriptor;
static dev_t table_device;
static ino_t table_inode;

/* Constructors of other libraries may come here before the agent's own. */
static void find_next(void)
{
	if (next_popen)
		return;
	next_execvpe = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
	next_fexecve = (int (*)(int, char *const[], char *const[]))dlsym(RTLD_NEXT, "fexecve");
	next_spawn = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawn");
	next_spawnp = (spawn_function *)dlsym(RTLD_NEXT, "posix_spawnp");
	next_system = (int (*)(const char *))dlsym(RTLD_NEXT, "system");
	next_popen = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "popen");
}

void papi_agent_exec_begin(int descriptor, int of_process, int its)
{
	struct stat status;

	find_next();
	if (fstat(descriptor, &status) != 0)
		return;
	collector = of_process;
	its_descriptor = its;
	table_descriptor = descriptor;
	table_device = status.st_dev;
	table_inode = status.st_ino;
}

static bool is_counted(void)
{
	return papi_agent_own.entry && table_descriptor >= 0;
}

/* Not a child that vfork, or a system call of its own, has made of it. */
static bool is_own_process(void)
{
	return syscall(SYS_getpid) == papi_agent_own.pid;
}

/* ---- text, without libc's formatting ---- */

static char *put_text(char *to, const char *text)
{
	return mempcpy(to, text, strlen(text));
}

static char *put_number(char *to, unsigned long long number)
{
	char digits[24];
	unsigned n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

/* With so many digits: the environment, and with it the stack, is the same in every run. */
static char *put_wide(char *to, unsigned long long number, unsigned digits)
{
	for (unsigned i = digits; i > 0; i--, number /= 10)
		to[i - 1] = (char)('0' + number % 10);
	return to + digits;
}

/* ---- the descriptor ---- */

static bool is_table(int descriptor)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && status.st_dev == table_device && status.st_ino == table_inode;
}

static int open_of(int pid, int descriptor)
{
	char path[64], *end = put_text(path, "/proc/");
	int opened, moved;

	end = put_number(end, (unsigned)pid);
	end = put_text(end, "/fd/");
	end = put_number(end, (unsigned)descriptor);
	*end = '\0';
	opened = open(path, O_RDWR);
	if (opened < 0 || !is_table(opened))
		return opened < 0 ? -1 : (close(opened), -1);
	moved = fcntl(opened, F_DUPFD, PAPI_AGENT_DESCRIPTOR);
	if (moved < 0)
		return opened;
	close(opened);
	return moved;
}

/* A descriptor that the new program will have; -1: there is none. */
static int find_descriptor(void)
{
	int found = table_descriptor;

	if (!is_table(found))
		found = open_of(papi_agent_own.pid, table_descriptor);
	if (found < 0)
		found = open_of(collector, its_descriptor);
	if (found >= 0)
		fcntl(found, F_SETFD, 0);
	return found;
}

/* ---- announcing ---- */

#define PRELOAD    "LD_PRELOAD="
#define TABLE      PAPI_AGENT_TABLE "="
#define TABLE_ROOM (sizeof(TABLE) + (size_t)6 * 24)

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The program that is about to be executed. */
struct announced {
	struct papi_agent_process *entry; /* NULL: nothing is announced */
	bool own;
	bool preload; /* the agent can be loaded there */
	bool other;   /* its environment is another papi_run's */
	int descriptor;
	uint32_t serial;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *obstacle_to(const struct announced *announced, const char *path)
{
	const char *reason = papi_agent_image_obstacle(path);

	if (reason)
		return reason;
	if (announced->other)
		return "another papi_run counts it";
	if (faccessat(AT_FDCWD, papi_agent_table->agent, R_OK, AT_EACCESS) != 0)
		return errno == EACCES ? "the counting agent is in a place that its user may not read"
				       : "the counting agent cannot be found in the root directory that it runs in";
	if (announced->descriptor < 0)
		return "the program has closed the descriptor that the agent needs, and it cannot be opened again";
	return "";
}

/* The environment of a program that another papi_run, itself counted by this one, runs. */
static bool is_of_another(char *const *environment)
{
	for (; environment && *environment; environment++) {
		const char *at = *environment;
		unsigned long long key = 0;

		if (!begins(at, TABLE))
			continue;
		for (int commas = 0; *at && commas < 3; at++)
			commas += *at == ',';
		while (*at >= '0' && *at <= '9')
			key = 10 * key + (unsigned long long)(*at++ - '0');
		return key != papi_agent_table->key;
	}
	return false;
}

static void announce(struct announced *announced, const char *path, char *const *environment, bool own)
{
	struct papi_agent_process *entry;

	memset(announced, 0, sizeof(*announced));
	if (!is_counted())
		return;
	announced->descriptor = find_descriptor();
	announced->own = own;
	announced->other = is_of_another(environment);
	announced->preload = !papi_agent_image_is_foreign(path) &&
		faccessat(AT_FDCWD, papi_agent_table->agent, R_OK, AT_EACCESS) == 0;
	entry = own ? papi_agent_own.entry
		    : papi_agent_entry_take(PAPI_AGENT_TAKEN, (int32_t)syscall(SYS_getpid), papi_agent_own.entry->name);
	announced->entry = entry;
	if (!entry)
		return;
	announced->serial = atomic_fetch_add(&entry->serial, 1) + 1;
	papi_agent_text_copy(entry->next_name, sizeof(entry->next_name), last_part(path));
	papi_agent_text_copy(entry->next_reason, sizeof(entry->next_reason), obstacle_to(announced, path));
	if (own)
		papi_agent_settle();
	atomic_store(&entry->state, own ? PAPI_AGENT_EXECUTING : PAPI_AGENT_EXPECTED);
}

/* It did not happen. */
static void withdraw(const struct announced *announced)
{
	if (!announced->entry)
		return;
	if (announced->own) {
		atomic_store(&announced->entry->state, PAPI_AGENT_COUNTED);
	} else {
		papi_agent_entry_free(announced->entry);
		atomic_fetch_sub(&papi_agent_table->processes, 1);
	}
}

/* ---- the environment ---- */

static size_t length_of(char *const *list)
{
	size_t length = 0;

	while (list && list[length])
		length++;
	return length;
}

static const char *preload_of(char *const *environment)
{
	for (; environment && *environment; environment++)
		if (begins(*environment, PRELOAD))
			return *environment + strlen(PRELOAD);
	return "";
}

/* LD_PRELOAD with the agent first; what was there follows, but for the agent. */
static void write_preload(char *to, const char *others, bool with_agent)
{
	const char *agent = papi_agent_table->agent;
	size_t length = strlen(agent);

	to = put_text(to, PRELOAD);
	if (with_agent)
		to = put_text(to, agent);
	while (*others) {
		size_t one = strcspn(others, ": ");

		if (one && (one != length || memcmp(others, agent, one) != 0)) {
			if (to[-1] != '=')
				*to++ = ':';
			memcpy(to, others, one);
			to += one;
		}
		others += one + (others[one] != '\0');
	}
	*to = '\0';
}

static void write_table(char *to, const struct announced *announced)
{
	const unsigned long long numbers[] = { (unsigned)announced->descriptor, (unsigned)collector,
		(unsigned)its_descriptor, papi_agent_table->key,
		(unsigned)(announced->entry - papi_agent_table->entries), announced->serial };

	to = put_text(to, TABLE);
	/* A descriptor that is not there: the new agent opens the table by itself, if it can. */
	if (announced->descriptor < 0)
		to = put_text(to, "-1");
	else
		to = put_number(to, numbers[0]);
	for (size_t i = 1; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*to++ = ',';
		to = put_wide(to, numbers[i], i == 3 ? 20 : 10);
	}
	*to = '\0';
}

/* A copy of the environment with ours in it, in the room given: length_of() and 3 elements. */
static void fill_environment(char **to, char *const *environment, char *preload, char *table)
{
	for (; environment && *environment; environment++)
		if (!begins(*environment, PRELOAD) && !begins(*environment, TABLE))
			*to++ = *environment;
	if (preload[strlen(PRELOAD)])
		*to++ = preload;
	*to++ = table;
	*to = NULL;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): array is a name */
/* Room for all that on the stack of the caller, who names the array. */
#define MAKE_ENVIRONMENT(array, announced, environment)                                                       \
	const char *others_##array = preload_of(environment);                                                 \
	char preload_##array[sizeof(PRELOAD) + sizeof(papi_agent_table->agent) + strlen(others_##array) + 1], \
		table_##array[TABLE_ROOM], *array[length_of(environment) + 3];                                \
                                                                                                              \
	write_preload(preload_##array, others_##array, (announced)->preload);                                 \
	write_table(table_##array, announced);                                                                \
	fill_environment(array, environment, preload_##array, table_##array)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- what a child of vfork did itself ---- */

/* It runs natively, usually for moments. */
static void account_for_native_time(void)
{
	static const char before[] = "a child made by vfork or by a system call of its own ran uncounted for ",
			  behind[] = " ms before it executed a program or ended";
	char text[sizeof(before) + sizeof(behind) + 24], *end;
	struct rusage usage;
	long long spent;

	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return;
	spent = 1000000000LL * usage.ru_utime.tv_sec + 1000LL * usage.ru_utime.tv_usec;
	if (spent < NATIVE_LIMIT_NS)
		return;
	end = put_text(text, before);
	end = put_number(end, (unsigned long long)spent / 1000000);
	end = put_text(end, behind);
	*end = '\0';
	papi_agent_entry_explain(papi_agent_own.entry, text);
}

/* ---- executing ---- */

/* Where execvp() would find it: for the reason alone. */
static const char *find_in_path(const char *file, char path[PATH_MAX])
{
	const char *directory = getenv("PATH");

	if (strchr(file, '/'))
		return file;
	for (directory = directory ? directory : "/bin:/usr/bin"; *directory;) {
		size_t length = strcspn(directory, ":");

		if (length + strlen(file) + 2 <= PATH_MAX) {
			char *end = mempcpy(path, directory, length);

			if (length)
				*end++ = '/';
			memcpy(end, file, strlen(file) + 1);
			if (access(path, X_OK) == 0)
				return path;
		}
		directory += length + (directory[length] == ':');
	}
	return file;
}

/* what: the name of the file that is executed, or its descriptor. */
typedef int execute_function(const void *what, char *const argv[], char *const environment[]);

static int direct(const void *path, char *const argv[], char *const environment[])
{
	return (int)syscall(SYS_execve, path, argv, environment);
}

static int by_search(const void *file, char *const argv[], char *const environment[])
{
	return next_execvpe(file, argv, environment);
}

static int by_descriptor(const void *descriptor, char *const argv[], char *const environment[])
{
	return next_fexecve(*(const int *)descriptor, argv, environment);
}

/* If it fails, counting goes on. path: for the reason alone. */
static int replaced(
	execute_function *go, const void *what, const char *path, char *const argv[], char *const environment[])
{
	struct announced announced;
	int result, error;
	bool own;

	if (!is_counted())
		return go(what, argv, environment);
	own = is_own_process();
	if (!own)
		account_for_native_time();
	announce(&announced, path, environment, own);
	if (!announced.entry)
		return go(what, argv, environment);
	{
		MAKE_ENVIRONMENT(changed, &announced, environment);
		result = go(what, argv, announced.other ? environment : changed);
	}
	error = errno;
	withdraw(&announced);
	errno = error;
	return result;
}

VISIBLE int execve(const char *path, char *const argv[], char *const environment[])
{
	return replaced(direct, path, path, argv, environment);
}

VISIBLE int execv(const char *path, char *const argv[])
{
	return replaced(direct, path, path, argv, environ);
}

VISIBLE int execvpe(const char *file, char *const argv[], char *const environment[])
{
	char path[PATH_MAX];

	find_next();
	return replaced(by_search, file, find_in_path(file, path), argv, environment);
}

VISIBLE int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

static const char *path_of(int descriptor, char path[64])
{
	char *end = put_text(path, "/proc/self/fd/");

	*put_number(end, (unsigned)descriptor) = '\0';
	return path;
}

VISIBLE int fexecve(int descriptor, char *const argv[], char *const environment[])
{
	char path[64];

	find_next();
	return replaced(by_descriptor, &descriptor, path_of(descriptor, path), argv, environment);
}

/* The arguments of a list, the environment behind it where there is one. The array is on the caller's stack. */
/* NOLINTBEGIN(bugprone-macro-parentheses): both are names */
#define LIST(last, array)                    \
	va_list arguments;                   \
	size_t number = 1;                   \
                                             \
	va_start(arguments, last);           \
	while (va_arg(arguments, char *))    \
		number++;                    \
	va_end(arguments);                   \
	char *array[number + 1];             \
	array[0] = (char *)(uintptr_t)last;  \
	va_start(arguments, last);           \
	for (size_t i = 1; i <= number; i++) \
	array[i] = va_arg(arguments, char *)
/* NOLINTEND(bugprone-macro-parentheses) */

VISIBLE int execl(const char *path, const char *first, ...)
{
	LIST(first, argv);

	va_end(arguments);
	return replaced(direct, path, path, argv, environ);
}

VISIBLE int execlp(const char *file, const char *first, ...)
{
	LIST(first, argv);

	va_end(arguments);
	return execvpe(file, argv, environ);
}

VISIBLE int execle(const char *path, const char *first, ...)
{
	LIST(first, argv);
	char *const *environment = va_arg(arguments, char *const *);

	va_end(arguments);
	return replaced(direct, path, path, argv, environment);
}

/* ---- spawning ---- */

static int spawned(spawn_function *go, pid_t *pid, const char *file, const char *path,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
	char *const environment[])
{
	struct announced announced;
	pid_t child = 0;
	int error;

	if (!is_counted())
		return go(pid, file, actions, attributes, argv, environment);
	announce(&announced, path, environment, false);
	if (!announced.entry)
		return go(pid, file, actions, attributes, argv, environment);
	{
		MAKE_ENVIRONMENT(changed, &announced, environment);
		error = go(&child, file, actions, attributes, argv, announced.other ? environment : changed);
	}
	if (error)
		withdraw(&announced);
	else if (pid)
		*pid = child;
	return error;
}

VISIBLE int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	find_next();
	return spawned(next_spawn, pid, path, path, actions, attributes, argv, environment);
}

VISIBLE int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	char path[PATH_MAX];

	find_next();
	return spawned(next_spawnp, pid, file, find_in_path(file, path), actions, attributes, argv, environment);
}

/* These use the program's own environment. */
static void check_environment(const char *what)
{
	char text[128], *end;

	find_next();
	if (!is_counted() || (getenv(PAPI_AGENT_TABLE) && strstr(preload_of(environ), papi_agent_table->agent)))
		return;
	end = put_text(text, "it has called ");
	end = put_text(end, what);
	*put_text(end, "() with an environment that the agent is not in") = '\0';
	papi_agent_entry_explain(papi_agent_own.entry, text);
}

VISIBLE int system(const char *command)
{
	check_environment("system");
	return next_system(command);
}

VISIBLE FILE *popen(const char *command, const char *type)
{
	check_environment("popen");
	return next_popen(command, type);
}

/* ---- ending ---- */

/* Native code, in which the engine sees no system call. */
VISIBLE void _exit(int status)
{
	sigset_t all;

	sigfillset(&all);
	if (is_counted() && is_own_process()) {
		sigprocmask(SIG_BLOCK, &all, NULL);
		papi_agent_settle();
		papi_agent_process_leave();
	} else if (is_counted()) {
		account_for_native_time();
	}
	for (;;)
		syscall(SYS_exit_group, status);
}

VISIBLE void _Exit(int status)
{
	_exit(status);
}
