/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which process of which job this is.
 *
 * Launchers tell each process its rank in the environment, and most of them something that all processes of a job share
 * and no other job has. From that the name of the directory is made in which the files of a run come together:
 * processes need not talk to each other, nor look at clocks, to agree on it. Where a launcher tells ranks only, the
 * processes of a job are those with the same parent. A process without a rank is a run of its own, named by the time
 * of its start.
 */
#include "regions/regions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "live/meet.h"

/* Ranks are below this, so that children, which are counted from here, meet none. */
#define FIRST_CHILD 1000000

struct papi_region_run papi_region_run = { .rank = -1 };

static bool begun;

/*
 * What names a job; the first that is there. Not more than one: of nested launchers the outer one's variables may
 * differ from node to node.
 */
static const char *const job_variables[] = { "OMPI_MCA_orte_precondition_transports", "PMIX_NAMESPACE", "PALS_APID",
	"FLUX_JOB_ID", "PMI_JOBID" };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

static long find_rank(void)
{
	int rank = papi_meet_rank();

	return rank < FIRST_CHILD ? rank : -1;
}

/* When a process began, in ticks since the machine did: field 22 of its stat file, 20 fields behind the name. */
static unsigned long long start_of(pid_t process)
{
	char path[32], stat[1024];
	char *field;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
	if (papi_linux_read_file(path, stat, sizeof(stat)) <= 0)
		return 0;
	field = strrchr(stat, ')');
	for (int i = 2; field && i < 22; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field, NULL, 10) : 0;
}

static void name_job(char *text, size_t size)
{
	const char *step = variable("SLURM_STEP_ID"), *job = variable("SLURM_JOB_ID"), *again;

	for (size_t i = 0; i < COUNT_OF(job_variables); i++) {
		const char *value = variable(job_variables[i]);

		if (value) {
			snprintf(text, size, "%s", value);
			return;
		}
	}
	again = variable("SLURM_RESTART_COUNT");
	if (step && job)
		snprintf(text, size, "%s.%s.%s", job, step, again ? again : "0");
	else
		snprintf(text, size, "%s.%d.%llu", papi_region_run.host, (int)getppid(), start_of(getppid()));
}

/* FNV-1a: job names are long, and have characters that do not belong into a file's name. */
static unsigned long long hash_of(const char *text)
{
	unsigned long long hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static void name_run(const struct tm *local)
{
	struct papi_region_run *run = &papi_region_run;
	char job[256], when[32];

	if (run->rank >= 0) {
		name_job(job, sizeof(job));
		snprintf(run->name, sizeof(run->name), "papi_hl_output-job-%016llx", hash_of(job));
		return;
	}
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", local);
	snprintf(run->name, sizeof(run->name), "papi_hl_output-%s-%d", when, (int)getpid());
}

/* Absolute, since the program may change its directory before it ends. */
static void find_directory(void)
{
	struct papi_region_run *run = &papi_region_run;
	const char *wanted = variable("PAPI_OUTPUT_DIRECTORY");
	char here[PATH_MAX];

	if (wanted && *wanted == '/')
		snprintf(run->directory, sizeof(run->directory), "%s", wanted);
	else if (!getcwd(here, sizeof(here)))
		snprintf(run->directory, sizeof(run->directory), "%s", wanted ? wanted : ".");
	else if (snprintf(run->directory, sizeof(run->directory), "%s%s%s", here, wanted ? "/" : "",
			 wanted ? wanted : "") >= (int)sizeof(run->directory))
		papi_region_warn("PAPI_OUTPUT_DIRECTORY is longer than a path can be");
}

static bool is_on(const char *name)
{
	const char *value = variable(name);

	return value && strcmp(value, "0") != 0;
}

void papi_region_run_begin(void)
{
	struct papi_region_run *run = &papi_region_run;
	time_t now = time(NULL);
	struct tm utc, local;

	if (begun)
		return;
	begun = true;
	/* Forks before this are not this run's. */
	run->child = 0;
	run->rank = find_rank();
	if (gethostname(run->host, sizeof(run->host)) != 0)
		strcpy(run->host, "?");
	run->host[sizeof(run->host) - 1] = '\0';
	run->report = is_on("PAPI_REPORT");
	run->verbose = is_on("PAPI_HL_VERBOSE");
	strftime(run->start, sizeof(run->start), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	name_run(localtime_r(&now, &local));
	find_directory();
}

long papi_region_run_number(void)
{
	if (papi_region_run.child)
		return FIRST_CHILD;
	return papi_region_run.rank < 0 ? 0 : papi_region_run.rank;
}
