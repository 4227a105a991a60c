/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reporter - prints all that a program inherits: descriptors, what each signal does, the signal mask, limits, process
 * group, environment. Two runs that print the same were started the same way.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void report_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.' && strtol(entry->d_name, NULL, 10) != dirfd(directory))
			printf("descriptor %s\n", entry->d_name);
	if (directory)
		closedir(directory);
}

static void report_signals(void)
{
	struct sigaction action;
	sigset_t mask, pending;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < SIGRTMAX; i++) {
		if (sigaction(i, NULL, &action) != 0)
			continue;
		printf("signal %d %s%s%s\n", i, action.sa_handler == SIG_IGN ? "ignored" : "default",
			sigismember(&mask, i) == 1 ? " blocked" : "", sigismember(&pending, i) == 1 ? " pending" : "");
	}
}

static void report_limits(void)
{
	static const int limits[] = { RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_STACK, RLIMIT_AS };
	struct rlimit limit;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (getrlimit((__rlimit_resource_t)limits[i], &limit) == 0)
			printf("limit %d %llu %llu\n", limits[i], (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
}

int main(int argc, char **argv)
{
	/* Standard output may be one of the things that are closed: then the report goes to a file. */
	if (argc > 1 && !freopen(argv[1], "we", stdout))
		return 99;
	report_descriptors();
	report_signals();
	report_limits();
	printf("group %d session %d terminal %d\n", (int)getpgrp(), (int)getsid(0), isatty(0));
	for (char **variable = environ; *variable; variable++)
		printf("environment %s\n", *variable);
	return 0;
}
