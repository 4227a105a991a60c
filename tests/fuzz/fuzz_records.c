/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring in which the kernel leaves samples: records of all types and sizes, where the ring ends in the middle of
 * them, while they come and are fetched in turns, and such as no kernel writes.
 *
 * An input is a head of choices and then three bytes for each record: kind, size, value. They are written to the ring
 * byte by byte, and kept in one piece for a second reader, which is written differently: both must find the same
 * samples, as many lost ones, and end at the same place. The ring lies at the end of its allocation, so that the
 * sanitizer notices the first byte too many.
 */
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "components/perf_event/control.h"
#include "components/perf_event/sampling.h"
#include "fuzz.h"

#define HEAD    8
#define MOST    8
#define LONGEST 256 /* of a record */

enum kind { SAMPLE, LOST, THROTTLE, UNTHROTTLE, OTHER, RUBBISH, FETCH, CUT, KINDS };

/* What the kernel has written, from the first byte on, and how far the second reader has come. */
static struct {
	uint8_t bytes[1 << 16];
	size_t written, at;
	uint64_t start; /* of the first byte, as the ring counts */
	uint64_t lost, lost_all, seen, early;
	bool core;
} model;

static struct papi_perf_encoding encoding;
static struct papi_perf_counter counter = { .fd = -1 };
static struct papi_perf_group group = { .n = 1, .counters = &counter };
static long long threshold;
static struct papi_perf_ring ring;
static struct papi_perf_sampling sampling = { .thresholds = &threshold, .n_rings = 1, .rings = &ring };
static struct papi_perf_encoding *natives[] = { &encoding };
static struct papi_perf_control control = {
	.natives = natives, .n_natives = 1, .n_groups = 1, .groups = &group, .sampling = &sampling
};

static void model_lost(uint64_t number)
{
	while (number && model.early) {
		number--;
		model.early--;
	}
	model.lost += number;
	model.lost_all += number;
}

/* One record of the model; false when there is none, or what is there is none. */
static bool model_next(uint64_t *address)
{
	while (model.at < model.written) {
		const uint8_t *here = model.bytes + model.at;
		size_t left = model.written - model.at;
		uint32_t type = UINT32_MAX;
		uint16_t size = 0;
		uint64_t value = 0;

		if (left >= 8) {
			memcpy(&type, here, 4);
			memcpy(&size, here + 6, 2);
		}
		if (size < 8 || size > left || (type == PERF_RECORD_SAMPLE && size < 16) ||
			(type == PERF_RECORD_LOST && size < 24)) {
			model.at = model.written;
			return false;
		}
		model.at += size;
		if (type == PERF_RECORD_SAMPLE) {
			memcpy(address, here + 8, 8);
			model.seen++;
			return true;
		}
		if (type == PERF_RECORD_LOST) {
			memcpy(&value, here + 16, 8);
			model_lost(value);
		} else if (type == PERF_RECORD_THROTTLE && model.core) {
			model.lost++;
			model.lost_all++;
		}
	}
	return false;
}

/* The kernel writes, if there is room. */
static void write_bytes(const void *from, size_t size)
{
	uint8_t *data = (uint8_t *)ring.pages + sysconf(_SC_PAGESIZE);
	uint64_t head = ring.pages->data_head;

	if (head - ring.pages->data_tail + size > ring.size || model.written + size > sizeof(model.bytes))
		return;
	for (size_t i = 0; i < size; i++)
		data[(head + i) % ring.size] = ((const uint8_t *)from)[i];
	memcpy(model.bytes + model.written, from, size);
	model.written += size;
	ring.pages->data_head = head + size;
}

static void write_record(uint32_t type, size_t least, uint8_t size, uint8_t value)
{
	uint8_t record[LONGEST] = { 0 };
	struct perf_event_header header = { .type = type };
	size_t length = least + 8u * (size & 7);
	uint64_t number = value;

	/* Now and then it says that it is longer or shorter than it is. */
	header.size = (uint16_t)(size & 0x80 ? size & 0x7f : length);
	memset(record, value, sizeof(record));
	memcpy(record, &header, sizeof(header));
	if (type == PERF_RECORD_LOST)
		memcpy(record + 16, &number, sizeof(number));
	write_bytes(record, length);
}

static void fetch(unsigned n)
{
	struct papi_overflow taken[MOST];
	unsigned found;

	CHECK(papi_perf_overflows(&control, NULL, 0) == (model.at < model.written));
	found = papi_perf_overflows(&control, taken, n);
	CHECK(found <= n);
	for (unsigned i = 0; i < n; i++) {
		uint64_t address;

		if (!model_next(&address)) {
			CHECK(i == found);
			break;
		}
		CHECK(i < found && taken[i].happened && taken[i].natives == 1);
		CHECK((uint64_t)(uintptr_t)taken[i].address == address && taken[i].lost == model.lost);
		model.lost = 0;
	}
	CHECK(ring.pages->data_tail == model.start + model.at);
	CHECK(ring.lost == model.lost && ring.seen == model.seen && ring.lost_all == model.lost_all);
}

/* After stop, what is missing is told in one entry. */
static void settle(uint64_t counted)
{
	uint64_t expected = counted / (uint64_t)threshold, told, missing;
	struct papi_overflow taken[MOST];

	for (unsigned i = 0; model.at < model.written; i++) {
		CHECK(i <= sizeof(model.bytes));
		fetch(MOST);
	}
	told = model.seen + model.lost_all;
	missing = ring.countable && expected > told ? expected - told : 0;
	counter.base = ring.first + counted;
	sampling.stopped = true;
	CHECK(papi_perf_overflows(&control, taken, MOST) == (model.lost + missing > 0));
	if (model.lost + missing)
		CHECK(!taken[0].happened && taken[0].lost == model.lost + missing);
	CHECK(!ring.lost && ring.settled_early == model.early + missing);
	CHECK(papi_perf_overflows(&control, taken, MOST) == 0);
}

static void begin(const uint8_t *head)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	model.written = model.at = 0;
	model.lost = model.lost_all = model.seen = 0;
	model.core = head[0] & 8;
	model.early = head[6];
	model.start = (uint64_t)head[2] << 8 | head[3];
	/* That it comes to the end of what 64 bits can count. */
	if (head[0] & 16)
		model.start = -model.start;
	threshold = 1 + head[4];
	encoding.core = model.core;
	ring = (struct papi_perf_ring){ .fd = -1, .size = (size_t)64 << (head[0] & 7), .settled_early = model.early };
	ring.countable = head[0] & 32;
	ring.first = (uint64_t)head[5] << 56;
	counter.base = ring.first;
	sampling.stopped = false;
	ring.pages = malloc(page + ring.size);
	CHECK(ring.pages);
	memset(ring.pages, 0, page + ring.size);
	ring.pages->data_head = ring.pages->data_tail = model.start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
		return 0;
	begin(data);
	for (size_t at = HEAD; at + 3 <= size; at += 3) {
		const uint8_t *record = data + at;

		switch ((enum kind)(record[0] % KINDS)) {
		case SAMPLE:
			write_record(PERF_RECORD_SAMPLE, 16, record[1], record[2]);
			break;
		case LOST:
			write_record(PERF_RECORD_LOST, 24, record[1], record[2]);
			break;
		case THROTTLE:
			write_record(PERF_RECORD_THROTTLE, 32, record[1], record[2]);
			break;
		case UNTHROTTLE:
			write_record(PERF_RECORD_UNTHROTTLE, 32, record[1], record[2]);
			break;
		case OTHER:
			write_record(record[2], 8, record[1], record[2]);
			break;
		case RUBBISH:
			write_bytes(record, 1 + record[1] % 3);
			break;
		case FETCH:
			fetch(1 + record[1] % MOST);
			break;
		/* Cut off: the head is where the last record is not over. */
		default:
			write_record(PERF_RECORD_SAMPLE, 8, 0x80 | 16, record[2]);
			break;
		}
	}
	settle((uint64_t)data[7] * 16);
	free(ring.pages);
	return 0;
}
