/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "components/perf_event/kernel.h"
#include "papi_profile/papi_profile.h"

/* Bytes: less are of no use. */
#define SMALLEST_RING (64 * 1024)

/* Where a sample and the end of every other record have what is needed here; see sample_type in event_list.c. */
#define SAMPLE_TIME     32
#define TRAILER         24
#define TRAILER_TIME    16
#define SMALLEST_SAMPLE 40

/* Records that were read and not handed on yet. */
struct papi_profile_waiting {
	char *bytes;
	size_t used, room;
	struct place {
		uint64_t time;
		size_t at; /* in bytes, which is also the order of reading */
	} * places;
	size_t number, places_room;
};

int papi_profile_ring_attach(struct papi_profile_ring *ring, int fd, size_t largest)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	if (ring->pages) {
		if (papi_perf_kernel->ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)ring->fd) == 0)
			return PAPI_OK;
		return papi_error(PAPI_ESYS, "its samples cannot share a buffer with others: %s", strerror(errno));
	}
	for (ring->size = largest; ring->size >= SMALLEST_RING; ring->size /= 2) {
		ring->pages = papi_perf_kernel->map_ring(fd, page + ring->size);
		if (ring->pages) {
			ring->fd = fd;
			return PAPI_OK;
		}
		error = errno;
		if (error != EPERM && error != ENOMEM)
			break;
	}
	if (error == EPERM)
		return papi_error(PAPI_EPERM,
			"no locked memory is left for samples: raise kernel.perf_event_mlock_kb or ulimit -l");
	return papi_error(PAPI_ESYS, "no buffer for samples: %s", strerror(error));
}

void papi_profile_ring_detach(struct papi_profile_ring *ring)
{
	if (ring->pages)
		papi_perf_kernel->unmap(ring->pages, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	ring->pages = NULL;
	ring->fd = -1;
}

/* ---- The order of time --------------------------------------------------------------------------------- */

/* Out of the ring, whose end may be in the middle of it. */
static void copy_out(const struct papi_profile_ring *ring, uint64_t from, void *to, size_t size)
{
	const char *data = (const char *)ring->pages + sysconf(_SC_PAGESIZE);
	size_t start = from & (ring->size - 1), first = ring->size - start;

	if (first > size)
		first = size;
	memcpy(to, data + start, first);
	memcpy((char *)to + first, data, size - first);
}

static bool is_sample(const struct perf_event_header *record)
{
	return record->type == PERF_RECORD_SAMPLE;
}

static uint64_t number_at(const struct perf_event_header *record, size_t at)
{
	uint64_t number;

	memcpy(&number, (const char *)record + at, sizeof(number));
	return number;
}

/* Room for a record of that size, all of them 8 bytes aligned as the kernel makes them. */
static struct perf_event_header *add(struct papi_profile_waiting *waiting, size_t size)
{
	struct perf_event_header *record;

	if (waiting->room - waiting->used < size) {
		waiting->room = 2 * waiting->room + size;
		waiting->bytes = papi_profile_allocate(waiting->bytes, waiting->room, 1);
	}
	if (waiting->number == waiting->places_room) {
		waiting->places_room = 2 * waiting->places_room + 64;
		waiting->places = papi_profile_allocate(
			waiting->places, waiting->places_room, sizeof(*waiting->places));
	}
	record = (struct perf_event_header *)(waiting->bytes + waiting->used);
	waiting->places[waiting->number].at = waiting->used;
	waiting->used += size;
	return record;
}

/* All that a ring holds. */
static void drain(struct papi_profile_ring *ring, struct papi_profile_waiting *waiting)
{
	uint64_t tail = ring->pages->data_tail;
	uint64_t head = __atomic_load_n(&ring->pages->data_head, __ATOMIC_ACQUIRE);

	while (head - tail >= sizeof(struct perf_event_header)) {
		struct perf_event_header header, *record;

		copy_out(ring, tail, &header, sizeof(header));
		/* Not what the kernel writes: where the next one begins is not known. */
		if (header.size < (is_sample(&header) ? SMALLEST_SAMPLE : TRAILER + sizeof(header)) ||
			header.size > head - tail || header.size % 8) {
			tail = head;
			break;
		}
		record = add(waiting, header.size);
		copy_out(ring, tail, record, header.size);
		waiting->places[waiting->number++].time = number_at(
			record, is_sample(record) ? SAMPLE_TIME : header.size - TRAILER_TIME);
		tail += header.size;
	}
	__atomic_store_n(&ring->pages->data_tail, tail, __ATOMIC_RELEASE);
}

static int compare(const void *left, const void *right)
{
	const struct place *one = left, *other = right;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return one->at < other->at ? -1 : one->at > other->at;
}

/* Tells of lost ones itself, and hands on what is left. */
static void hand_on(struct papi_profile_sampler *sampler, const struct perf_event_header *record,
	papi_profile_record *take, void *data)
{
	struct papi_profile_key key = { { number_at(
		record, is_sample(record) ? sizeof(*record) : record->size - sizeof(uint64_t)) } };
	struct papi_profile_entry *entry = papi_profile_table_find(&sampler->ids, key);

	if (record->type == PERF_RECORD_LOST)
		sampler->lost += number_at(record, sizeof(*record) + sizeof(uint64_t));
	else if (record->type == PERF_RECORD_LOST_SAMPLES)
		sampler->lost += number_at(record, sizeof(*record));
	else if (record->type == PERF_RECORD_THROTTLE)
		sampler->throttled++;
	else if (entry)
		take(data, record, (size_t)entry->value[0]);
}

/* The rest moves to the front, in the order of time. */
static void keep(struct papi_profile_waiting *waiting, size_t from)
{
	struct papi_profile_waiting left = { 0 };

	for (size_t i = from; i < waiting->number; i++) {
		const struct perf_event_header *record = (const struct perf_event_header *)(waiting->bytes +
			waiting->places[i].at);

		memcpy(add(&left, record->size), record, record->size);
		left.places[left.number++].time = waiting->places[i].time;
	}
	free(waiting->bytes);
	free(waiting->places);
	*waiting = left;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1000000000ull * (uint64_t)time.tv_sec + (uint64_t)time.tv_nsec;
}

void papi_profile_sampler_read(struct papi_profile_sampler *sampler, bool all, papi_profile_record *take, void *data)
{
	struct papi_profile_waiting *waiting = sampler->waiting;
	uint64_t limit = all ? UINT64_MAX : sampler->last_round;
	size_t done = 0;

	if (!waiting) {
		waiting = sampler->waiting = papi_profile_allocate(NULL, 1, sizeof(*waiting));
		*waiting = (struct papi_profile_waiting){ 0 };
	}
	sampler->last_round = now();
	for (size_t i = 0; i < sampler->n_cpus; i++)
		if (sampler->rings[i].pages)
			drain(&sampler->rings[i], waiting);
	if (waiting->number)
		qsort(waiting->places, waiting->number, sizeof(*waiting->places), compare);
	for (; done < waiting->number && waiting->places[done].time < limit; done++)
		hand_on(sampler, (const struct perf_event_header *)(waiting->bytes + waiting->places[done].at), take,
			data);
	keep(waiting, done);
}

void papi_profile_waiting_free(struct papi_profile_waiting **waiting)
{
	if (!*waiting)
		return;
	free((*waiting)->bytes);
	free((*waiting)->places);
	free(*waiting);
	*waiting = NULL;
}
