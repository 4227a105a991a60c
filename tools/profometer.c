/* SPDX-License-Identifier: BSD-3-Clause */
/* profometer.c - shows a profile in a browser: has papi_profile write its page, and opens that. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "escape.h"
#include "options.h"

enum { COMPARE = PAPI_TOOL_LONG_ONLY, NO_CODE, NO_INLINES, DEBUG, AGAIN };

static const struct papi_tool_option options[] = {
	{ 'o', "output", "PAGE", "write the page to this file (a new one for temporary files)" },
	{ COMPARE, "compare", "OTHER", "put another profile beside it, the one from before" },
	{ NO_CODE, "no-code", NULL, "leave source lines and instructions out, as of a program that is a secret" },
	{ 'e', "event", "EVENT,...", "these events only, in this order (all)" },
	{ NO_INLINES, "no-inlines", NULL, "count inlined code for the function that it was inlined into" },
	{ DEBUG, "debug", "DIR:...", "look for debug information in these directories (/usr/lib/debug)" },
	{ AGAIN, "again", NULL, "look for all names again, as after installing debug information" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "profometer",
	.operands = "[FILE]",
	.purpose = "Shows a profile of papi_profile in a browser: a histogram of events over the program's code, with "
		   "the functions, source, instructions and calls. Prints the name of the page's file.",
	.options = options,
};

static void complain(const char *what, const char *why)
{
	char *clean = strdup(what);

	if (clean)
		papi_escape_terminal(clean);
	fprintf(stderr, "profometer: %s: %s\n", clean ? clean : "", why);
	free(clean);
}

/* ---- Programs ---- */

/* The program that is installed beside this one, or in PATH. */
static const char *find_papi_profile(char path[PATH_MAX + 16])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	path[length > 0 ? length : 0] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return "papi_profile";
	snprintf(slash + 1, sizeof("papi_profile"), "papi_profile");
	return access(path, X_OK) == 0 ? path : "papi_profile";
}

/* Runs a program to its end, with standard output there if it is not -1. Its wait status; -1 and errno: no program. */
static int run(char **words, int output)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status, error;

	posix_spawn_file_actions_init(&actions);
	if (output >= 0)
		posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	error = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		errno = error;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* ---- The page ---- */

/* A new file beside the one that is to be written, or for temporary ones; its descriptor. Ends if there is none. */
static int create(const char *output, char **path)
{
	const char *folder = getenv("TMPDIR");
	int descriptor;

	if (!folder || *folder != '/')
		folder = "/tmp";
	if (output ? asprintf(path, "%s.XXXXXX.html", output) < 0
		   : asprintf(path, "%s/profometer-XXXXXX.html", folder) < 0) {
		complain(output ? output : folder, strerror(ENOMEM));
		exit(EXIT_FAILURE);
	}
	descriptor = mkostemps(*path, (int)strlen(".html"), O_CLOEXEC);
	if (descriptor < 0) {
		complain(output ? output : folder, strerror(errno));
		exit(EXIT_FAILURE);
	}
	return descriptor;
}

/* Neither a profile is replaced, nor anything but a plain file. */
static void check_output(const char *output)
{
	static const char begin[] = "SQLite format 3";
	char content[sizeof(begin)] = "";
	struct stat status;
	int descriptor;

	if (lstat(output, &status) != 0)
		return;
	if (!S_ISREG(status.st_mode)) {
		complain(output, "it is no plain file: choose another name for the page");
		exit(EXIT_FAILURE);
	}
	descriptor = open(output, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (descriptor < 0)
		return;
	if (read(descriptor, content, sizeof(begin) - 1) > 0 && memcmp(content, begin, sizeof(begin) - 1) == 0) {
		complain(output, "it is a profile or another database: choose another name for the page");
		exit(EXIT_FAILURE);
	}
	close(descriptor);
}

/* Has the page written; ends with the status of papi_profile, which has said why, when it cannot. */
static char *write_page(char **words, const char *output)
{
	char program[PATH_MAX + 16], *path;
	int descriptor = create(output, &path), status;

	words[0] = (char *)find_papi_profile(program);
	status = run(words, descriptor);
	close(descriptor);
	if (status == -1)
		complain(words[0], strerror(errno));
	if (status != 0) {
		unlink(path);
		exit(status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
	}
	if (!output)
		return path;
	if (rename(path, output) != 0) {
		complain(output, strerror(errno));
		unlink(path);
		exit(EXIT_FAILURE);
	}
	free(path);
	return realpath(output, NULL);
}

/* ---- The browser ---- */

/* A command of words between spaces, in which %s stands for the page; without one the page is the last word. */
static bool open_with(char *command, char *page)
{
	char **words = calloc(strlen(command) + 3, sizeof(words[0])), *rest = NULL;
	size_t n = 0;
	bool named = false;
	int status;

	if (!words)
		return false;
	for (char *word = strtok_r(command, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		words[n++] = strcmp(word, "%s") == 0 ? page : word;
		named |= strcmp(word, "%s") == 0;
	}
	if (!named)
		words[n++] = page;
	/* What it prints is not the name of the page. */
	status = words[0] == page ? -1 : run(words, STDERR_FILENO);
	free(words);
	return status == 0;
}

/* The first that works of those in BROWSER, or what the desktop has. */
static bool open_page(char *page)
{
	const char *wanted = getenv("BROWSER");
	char *browsers = wanted ? strdup(wanted) : NULL, *rest = NULL;
	char desktop[] = "xdg-open";
	bool opened = false;

	for (char *one = browsers ? strtok_r(browsers, ":", &rest) : NULL; one && !opened;
		one = strtok_r(NULL, ":", &rest))
		opened = open_with(one, page);
	free(browsers);
	if (!opened && (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")))
		opened = open_with(desktop, page);
	return opened;
}

/* The command line of papi_profile; its first word is to come. */
static char **parse(int argc, char **argv, const char **output)
{
	static const char *const names[] = { "--compare=", "--no-code", "--no-inlines", "--debug=", "--again" };
	char **words = calloc((size_t)argc + 4, sizeof(words[0]));
	size_t n = 2;
	int letter;

	while (words && (letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		const char *name = letter == 'e' ? "--event=" : letter == 'o' ? NULL : names[letter - COMPARE];

		if (!name)
			*output = optarg;
		else if (asprintf(&words[n++], "%s%s", name, optarg ? optarg : "") < 0)
			exit(EXIT_FAILURE);
	}
	if (!words) {
		complain("starting", strerror(ENOMEM));
		exit(EXIT_FAILURE);
	}
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much; --compare takes another one",
			argv[optind + 1]);
	words[1] = (char *)"page";
	words[n++] = (char *)"--";
	words[n] = argv[optind];
	return words;
}

int main(int argc, char **argv)
{
	const char *output = NULL;
	char **words, *page;

	papi_tool_begin();
	words = parse(argc, argv, &output);
	if (output)
		check_output(output);
	page = write_page(words, output);
	if (!page) {
		complain(output ? output : "the page", strerror(errno));
		return EXIT_FAILURE;
	}
	puts(page);
	fflush(stdout);
	if (!open_page(page))
		fprintf(stderr, "profometer: no browser to start here (BROWSER names one): open the page with yours\n");
	free(page);
	return papi_tool_finish(EXIT_SUCCESS);
}
