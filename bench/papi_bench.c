/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_bench: measures every promise of speed as a ratio to what the kernel or the C library asks for the same. */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { DEFAULT_ROUNDS = 1001, USAGE = 2 };

_Noreturn void bench_die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "papi_bench: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(USAGE);
}

static const char help[] =
	"Usage: papi_bench [OPTION]...\n"
	"Measures what calls of the library cost, as ratios to what the kernel or the C library asks for the same.\n"
	"\n"
	"  -f, --filter TEXT   only rows with TEXT in their names; those of events-, sets- and threads- come together\n"
	"  -r, --rounds N      how often the two sides take turns (1001 if not given)\n"
	"  -j, --json          print JSON instead of a table\n"
	"  -c, --check         exit with 1 when a limit is exceeded\n"
	"  -p, --peer DIR      compare with DIR/libpapi.so.7.0 too, where that can do the same\n"
	"  -h, --help          show this text\n"
	"\n"
	"bench/README.md says what the rows mean.\n";

static const struct option options[] = {
	{ "filter", required_argument, NULL, 'f' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "json", no_argument, NULL, 'j' },
	{ "check", no_argument, NULL, 'c' },
	{ "peer", required_argument, NULL, 'p' },
	{ "helper", no_argument, NULL, 'H' }, /* for this program itself, see helper.c */
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	unsigned rounds;
	const char *filter, *peer;
	bool json, check, helper;
};

static unsigned parse_rounds(const char *text)
{
	char *end;
	unsigned long rounds;

	errno = 0;
	rounds = strtoul(text, &end, 10);
	if (errno || *end || rounds < 1 || rounds > 1000000)
		bench_die("--rounds wants a number from 1 to 1000000, not \"%s\"", text);
	return (unsigned)rounds;
}

static struct request parse(int argc, char **argv)
{
	struct request request = { .rounds = DEFAULT_ROUNDS };
	int letter;

	while ((letter = getopt_long(argc, argv, "+f:r:jcp:h", options, NULL)) != -1) {
		switch (letter) {
		case 'f':
			request.filter = optarg;
			break;
		case 'r':
			request.rounds = parse_rounds(optarg);
			break;
		case 'j':
			request.json = true;
			break;
		case 'c':
			request.check = true;
			break;
		case 'p':
			request.peer = optarg;
			break;
		case 'H':
			request.helper = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(EXIT_SUCCESS);
		default:
			fprintf(stderr, "papi_bench: --help shows the options\n");
			exit(USAGE);
		}
	}
	if (optind < argc && !request.helper)
		bench_die("it takes no operand: \"%s\"", argv[optind]);
	return request;
}

/* The peer first, in a child that has nothing of ours yet. */
static void measure(struct bench *bench, const char *peer)
{
	struct bench others = *bench;

	if (peer)
		bench_peer(&others, peer);
	bench_guard_start();
	bench_startup(bench);
	bench_memory(bench);
	bench_initialize(&bench_ours);
	bench_run_cases(bench, NULL);
	bench_overflow(bench);
	bench_scaling_events(bench);
	bench_scaling_sets(bench);
	bench_regions(bench);
	/* Last: the C library is slower in a process that has had threads. */
	bench_scaling_threads(bench);
	for (size_t i = 0; i < others.n_rows; i++)
		*bench_add_row(bench, "", "", "") = others.rows[i];
	free(others.rows);
}

int main(int argc, char **argv)
{
	struct request request = parse(argc, argv);
	struct bench bench = { .rounds = request.rounds, .filter = request.filter, .prefix = "" };
	unsigned over;

	if (request.helper)
		return bench_helper(argc - optind, argv + optind, request.peer);
	measure(&bench, request.peer);
	if (!bench.n_rows)
		bench_die("no row has \"%s\" in its name", request.filter);
	if (request.json)
		bench_print_json(&bench);
	else
		bench_print_table(&bench);
	over = bench_count_over(&bench);
	free(bench.rows);
	if (fflush(stdout) || ferror(stdout))
		bench_die("the result could not be written");
	if (over)
		fprintf(stderr, "papi_bench: %u %s\n", over, over == 1 ? "limit is exceeded" : "limits are exceeded");
	return request.check && over ? EXIT_FAILURE : EXIT_SUCCESS;
}
