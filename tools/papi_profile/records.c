/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/records.h"

#include <string.h>

/* Lengths are those of the structures in perf_event_open(2); each record ends with what sample_id_all adds. */
#define TRAILER       24
#define TIME_FROM_END 16

/* A bit of header.misc of newer kernels: a mapping's build-id stands in place of its device and inode. */
#define HAS_BUILD_ID (1 << 14)

/* Numbers from here on are marks in a chain. */
#define FIRST_MARK ((uint64_t)-4095)

struct sample {
	struct perf_event_header header;
	uint64_t identifier, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t rest[]; /* the period where it is told; the chain behind its length, or registers and stack */
};

struct task {
	struct perf_event_header header;
	uint32_t pid, parent, tid, parent_tid;
};

struct name {
	struct perf_event_header header;
	uint32_t pid, tid;
	char text[];
};

struct mapping {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint8_t build_id_size, reserved[3];
	uint8_t build_id[PAPI_PROFILE_BUILD_ID];
	uint32_t protection, flags;
	char name[];
};

/* A record's text, which the kernel ends with a zero. NULL: it does not. */
static const char *text_of(const struct perf_event_header *record, size_t at)
{
	const char *text = (const char *)record + at;

	return record->size > at + TRAILER && memchr(text, '\0', record->size - TRAILER - at) ? text : NULL;
}

static void take_mapping(struct papi_profile_places *places, const struct perf_event_header *record)
{
	const struct mapping *mapping = (const struct mapping *)record;
	const char *name = text_of(record, offsetof(struct mapping, name));
	struct papi_profile_build_id build_id = { 0 };

	if (!name)
		return;
	if (record->misc & HAS_BUILD_ID) {
		build_id.size = mapping->build_id_size < PAPI_PROFILE_BUILD_ID ? mapping->build_id_size
									       : PAPI_PROFILE_BUILD_ID;
		memcpy(build_id.bytes, mapping->build_id, sizeof(build_id.bytes));
	}
	papi_profile_places_mapped(places, (pid_t)mapping->pid, mapping->start, mapping->size, mapping->offset, name,
		build_id.size ? &build_id : NULL);
}

/*
 * The path of calls: the chain without marks, which begins with the sample's own address. What it returns to is behind
 * each call. In the kernel the chain begins where the program was when it went there, which need not be a call. A
 * number that is no code of the process ends the path: no frame pointer led there.
 */
static size_t take_chain(struct papi_profile_places *places, const struct sample *sample, const uint64_t *chain,
	size_t n, bool kernel, int64_t path[PERF_MAX_STACK_DEPTH])
{
	size_t number = 0;
	bool own = true;

	for (size_t i = 0; i < n && number < PERF_MAX_STACK_DEPTH; i++) {
		uint64_t address = chain[i];
		int64_t place;

		if (address >= FIRST_MARK)
			continue;
		if (own && !kernel) {
			own = false;
			continue;
		}
		place = papi_profile_places_address(
			places, (pid_t)sample->pid, own ? address : address - 1, false, true);
		own = false;
		if (!place)
			break;
		path[number++] = place;
	}
	return number;
}

/* The innermost caller of the sample's place; n numbers of the sample tell of it. */
static int64_t take_path(
	struct papi_profile_records *records, const struct sample *sample, const uint64_t *part, size_t n, bool kernel)
{
	int64_t path[PAPI_PROFILE_STACK_DEPTH], context = 0;
	size_t number = 0;

	_Static_assert(PAPI_PROFILE_STACK_DEPTH >= PERF_MAX_STACK_DEPTH, "the path has room for either");
	if (records->graph == PAPI_PROFILE_GRAPH_STACKS)
		number = papi_profile_stacks_path(
			&records->stacks, &records->places, (pid_t)sample->pid, part, n, kernel, path);
	else if (records->graph == PAPI_PROFILE_GRAPH_FRAMES && n > 0 && part[0] < n)
		number = take_chain(&records->places, sample, &part[1], part[0], kernel, path);
	while (number-- > 0) {
		context = papi_profile_counts_context(&records->counts, context, path[number]);
		if (!context) {
			records->counts.without_path++;
			break;
		}
	}
	return context;
}

static void take_sample(struct papi_profile_records *records, const struct perf_event_header *record, size_t number)
{
	const struct sample *sample = (const struct sample *)record;
	struct papi_profile_sampled *event = &records->events->events[number];
	bool kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	size_t n_rest = (record->size - sizeof(*sample)) / sizeof(uint64_t), at = !records->period;
	int64_t thread, address, context, value;

	/* The thread has ended already, and its number is gone. */
	records->gone += sample->pid == (uint32_t)-1;
	if (sample->pid == (uint32_t)-1 || n_rest < at)
		return;
	value = (int64_t)(records->period ? records->period : sample->rest[0]);
	thread = papi_profile_places_thread(&records->places, (pid_t)sample->pid, (pid_t)sample->tid);
	address = papi_profile_places_address(&records->places, (pid_t)sample->pid, sample->ip, kernel, false);
	context = take_path(records, sample, &sample->rest[at], n_rest - at, kernel);
	event->samples++;
	event->value += value;
	papi_profile_counts_add(&records->counts,
		&(struct papi_profile_count_key){ thread, (int64_t)number + 1, context, address,
			papi_profile_marks_region(
				&records->marks, &records->counts, (pid_t)sample->tid, sample->time) },
		value);
}

/* A name; a program has one when it is executed. */
static void take_name(struct papi_profile_records *records, const struct perf_event_header *record)
{
	const struct name *name = (const struct name *)record;
	bool executed = record->misc & PERF_RECORD_MISC_COMM_EXEC;
	uint64_t time;

	papi_profile_places_named(&records->places, (pid_t)name->pid, (pid_t)name->tid, name->text, executed);
	if (!executed)
		return;
	memcpy(&time, (const char *)record + record->size - TIME_FROM_END, sizeof(time));
	papi_profile_marks_executed(&records->marks, (pid_t)name->tid, time);
}

void papi_profile_records_take(void *data, const struct perf_event_header *record, size_t event)
{
	struct papi_profile_records *records = data;
	const struct task *task = (const struct task *)record;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(records, record, event);
		break;
	case PERF_RECORD_MMAP2:
		take_mapping(&records->places, record);
		break;
	case PERF_RECORD_COMM:
		if (text_of(record, offsetof(struct name, text)))
			take_name(records, record);
		break;
	case PERF_RECORD_FORK:
		if (record->size >= sizeof(*task) + TRAILER)
			papi_profile_places_forked(
				&records->places, (pid_t)task->pid, (pid_t)task->parent, (pid_t)task->tid);
		break;
	case PERF_RECORD_EXIT:
		if (record->size >= sizeof(*task) + TRAILER)
			papi_profile_places_ended(&records->places, (pid_t)task->pid, (pid_t)task->tid);
		break;
	default:
		break;
	}
}
