/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another libpapi beside ours, in a child: whatever it does to the process or to itself, the rest of the run goes on.
 * Both libraries are in one process there and take turns, as everywhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "papi.h"

static void send_rows(int fd, const struct bench *bench)
{
	const char *next = (const char *)bench->rows;
	size_t left = bench->n_rows * sizeof(*bench->rows);

	while (left) {
		ssize_t sent = write(fd, next, left);

		if (sent < 0 && errno != EINTR)
			_exit(EXIT_FAILURE);
		if (sent > 0) {
			next += sent;
			left -= (size_t)sent;
		}
	}
}

/* No contest: the one row says why. */
_Noreturn static void give_up(struct bench *bench, const char *directory, int fd, const char *why)
{
	struct bench_row *row = bench_add_row(bench, "library", directory, "");

	snprintf(row->missing, sizeof(row->missing), "%s", why);
	send_rows(fd, bench);
	bench_guard_stop();
	_exit(EXIT_SUCCESS);
}

_Noreturn static void contest(struct bench *bench, const char *directory, int fd)
{
	const struct bench_api *peer;
	char why[256];
	int version;

	bench->rows = NULL;
	bench->n_rows = 0;
	peer = bench_api_load(directory, why, sizeof(why));
	if (!peer)
		give_up(bench, directory, fd, why);
	bench_guard_start();
	bench_initialize(&bench_ours);
	version = peer->library_init(PAPI_VER_CURRENT);
	if (version != PAPI_VER_CURRENT) {
		snprintf(why, sizeof(why), "its PAPI_library_init answers %d to PAPI_VER_CURRENT", version);
		give_up(bench, directory, fd, why);
	}
	bench_run_cases(bench, peer);
	send_rows(fd, bench);
	bench_guard_stop();
	/* Without the peer's ending, of which nothing is known. */
	_exit(EXIT_SUCCESS);
}

static bool receive_row(int fd, struct bench_row *row)
{
	size_t have = 0;

	while (have < sizeof(*row)) {
		ssize_t got = read(fd, (char *)row + have, sizeof(*row) - have);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		have += got > 0 ? (size_t)got : 0;
	}
	return true;
}

void bench_peer(struct bench *bench, const char *directory)
{
	const char *prefix = bench->prefix;
	struct bench_row row;
	int ends[2], status;
	pid_t child;

	bench->prefix = "peer-";
	fflush(NULL);
	if (pipe(ends))
		bench_die("pipe: %s", strerror(errno));
	child = fork();
	if (child < 0)
		bench_die("fork: %s", strerror(errno));
	if (child == 0)
		contest(bench, directory, ends[1]);
	close(ends[1]);
	while (receive_row(ends[0], &row))
		*bench_add_row(bench, "", "", "") = row;
	close(ends[0]);
	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			bench_die("waitpid: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		snprintf(bench_add_row(bench, "library", directory, "")->missing, sizeof(row.missing),
			"the peer ended its process with %s %d", WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	bench_startup_peer(bench, directory);
	bench_memory_peer(bench, directory);
	bench->prefix = prefix;
}
