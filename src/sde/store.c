/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorders and counting sets. What each function promises: sde_lib.h. */
#include "sde/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VALUES  64
#define FIRST_BUCKETS 64

/* An element of a counting set, in a list of its bucket. */
struct element {
	struct element *next;
	uint64_t hash;
	size_t hashable_size, size;
	uint32_t count, type_id;
	char bytes[];
};

struct papi_sde_store {
	pthread_mutex_t mutex;
	/* Of recorders. */
	size_t typesize;
	papi_sde_compare_t compare;
	char *values;
	size_t n_values, room;
	/* Of counting sets. */
	struct element **buckets;
	size_t n_buckets, n_elements;
};

struct papi_sde_store *papi_sde_store_get(struct papi_sde_entry *entry)
{
	if (!entry->store) {
		entry->store = calloc(1, sizeof(*entry->store));
		if (entry->store)
			pthread_mutex_init(&entry->store->mutex, NULL);
	}
	return entry->store;
}

void papi_sde_store_lock(struct papi_sde_store *store)
{
	pthread_mutex_lock(&store->mutex);
}

void papi_sde_store_unlock(struct papi_sde_store *store)
{
	pthread_mutex_unlock(&store->mutex);
}

static void forget(struct papi_sde_store *store)
{
	free(store->values);
	store->values = NULL;
	store->n_values = store->room = 0;
	for (size_t i = 0; i < store->n_buckets; i++) {
		while (store->buckets[i]) {
			struct element *element = store->buckets[i];

			store->buckets[i] = element->next;
			free(element);
		}
	}
	free(store->buckets);
	store->buckets = NULL;
	store->n_buckets = store->n_elements = 0;
}

void papi_sde_store_clear(struct papi_sde_store *store)
{
	papi_sde_store_lock(store);
	forget(store);
	papi_sde_store_unlock(store);
}

bool papi_sde_store_sorts(struct papi_sde_store *store)
{
	return store->compare != NULL;
}

static int create(papi_handle_t handle, const char *name, enum papi_sde_kind kind, size_t typesize,
	papi_sde_compare_t compare, void **store_handle)
{
	struct papi_sde_entry *entry;
	int status;

	if (!store_handle)
		return PAPI_EINVAL;
	papi_sde_lock();
	status = papi_sde_entry_claim(handle, name, &entry);
	if (status == PAPI_OK && !papi_sde_store_get(entry))
		status = PAPI_ENOMEM;
	if (status == PAPI_OK) {
		entry->kind = kind;
		entry->store->typesize = typesize;
		entry->store->compare = compare;
		papi_sde_entry_begin(entry);
	}
	if (status == PAPI_ECNFLCT)
		status = PAPI_OK;
	if (status == PAPI_OK)
		*store_handle = entry;
	papi_sde_unlock();
	return status;
}

int papi_sde_create_recorder(papi_handle_t handle, const char *event_name, size_t typesize,
	papi_sde_compare_t cmpr_func_ptr, void **record_handle)
{
	if (!typesize)
		return PAPI_EINVAL;
	return create(handle, event_name, PAPI_SDE_RECORDER, typesize, cmpr_func_ptr, record_handle);
}

int papi_sde_create_counting_set(papi_handle_t handle, const char *cset_name, void **cset_handle)
{
	return create(handle, cset_name, PAPI_SDE_COUNTING_SET, 0, NULL, cset_handle);
}

/* The entry of a handle with its store locked; NULL: it is none of that kind. */
static struct papi_sde_entry *lock_handle(void *handle, enum papi_sde_kind kind)
{
	struct papi_sde_entry *entry = papi_sde_handle_entry(handle);

	if (!entry || entry->kind != kind)
		return NULL;
	papi_sde_store_lock(entry->store);
	/* Had the event ended meanwhile, what is added now would come to light with the next of the name. */
	if (papi_sde_handle_entry(handle) && entry->kind == kind)
		return entry;
	papi_sde_store_unlock(entry->store);
	return NULL;
}

static bool make_room(struct papi_sde_store *store)
{
	size_t room = store->room ? 2 * store->room : FIRST_VALUES, bytes;
	char *larger;

	if (store->n_values < store->room)
		return true;
	if (__builtin_mul_overflow(room, store->typesize, &bytes))
		return false;
	larger = realloc(store->values, bytes);
	if (!larger)
		return false;
	store->values = larger;
	store->room = room;
	return true;
}

int papi_sde_record(void *record_handle, size_t typesize, const void *value)
{
	struct papi_sde_entry *entry = lock_handle(record_handle, PAPI_SDE_RECORDER);
	struct papi_sde_store *store;
	int status = PAPI_OK;

	if (!entry)
		return PAPI_EINVAL;
	store = entry->store;
	if (typesize != store->typesize || !value)
		status = PAPI_EINVAL;
	else if (!make_room(store))
		status = PAPI_ENOMEM;
	else
		memcpy(store->values + store->n_values++ * typesize, value, typesize);
	papi_sde_store_unlock(store);
	return status;
}

int papi_sde_reset_recorder(void *record_handle)
{
	struct papi_sde_entry *entry = lock_handle(record_handle, PAPI_SDE_RECORDER);

	if (!entry)
		return PAPI_EINVAL;
	forget(entry->store);
	papi_sde_store_unlock(entry->store);
	return PAPI_OK;
}

/* FNV-1a. */
static uint64_t hash_of(const void *bytes, size_t size, uint32_t type_id)
{
	uint64_t hash = 0xcbf29ce484222325u ^ type_id;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
	return hash;
}

/* Where the element hangs, or would; NULL when there are no buckets. */
static struct element **place_of(
	const struct papi_sde_store *store, uint64_t hash, size_t size, const void *bytes, uint32_t type_id)
{
	struct element **place = store->n_buckets ? &store->buckets[hash % store->n_buckets] : NULL;

	while (place && *place &&
		((*place)->hash != hash || (*place)->type_id != type_id || (*place)->hashable_size != size ||
			memcmp((*place)->bytes, bytes, size) != 0))
		place = &(*place)->next;
	return place;
}

/* At most one element for each bucket, on the average. */
static bool make_buckets(struct papi_sde_store *store)
{
	size_t n = store->n_buckets ? 2 * store->n_buckets : FIRST_BUCKETS;
	struct element **buckets;

	if (store->n_elements < store->n_buckets)
		return true;
	buckets = calloc(n, sizeof(struct element *));
	if (!buckets)
		return false;
	for (size_t i = 0; i < store->n_buckets; i++) {
		while (store->buckets[i]) {
			struct element *element = store->buckets[i];

			store->buckets[i] = element->next;
			element->next = buckets[element->hash % n];
			buckets[element->hash % n] = element;
		}
	}
	free(store->buckets);
	store->buckets = buckets;
	store->n_buckets = n;
	return true;
}

static int insert(struct papi_sde_store *store, size_t size, size_t hashable_size, const void *bytes, uint32_t type_id)
{
	uint64_t hash = hash_of(bytes, hashable_size, type_id);
	struct element **place, *element;

	if (!make_buckets(store))
		return PAPI_ENOMEM;
	place = place_of(store, hash, hashable_size, bytes, type_id);
	if (!*place) {
		element = malloc(sizeof(*element) + size);
		if (!element)
			return PAPI_ENOMEM;
		*element = (struct element){
			.hash = hash, .hashable_size = hashable_size, .size = size, .type_id = type_id
		};
		memcpy(element->bytes, bytes, size);
		*place = element;
		store->n_elements++;
	}
	(*place)->count++;
	return PAPI_OK;
}

int papi_sde_counting_set_insert(
	void *cset_handle, size_t element_size, size_t hashable_size, const void *element, uint32_t type_id)
{
	struct papi_sde_entry *entry = lock_handle(cset_handle, PAPI_SDE_COUNTING_SET);
	int status = PAPI_EINVAL;

	if (!entry)
		return PAPI_EINVAL;
	if (element && hashable_size && hashable_size <= element_size)
		status = insert(entry->store, element_size, hashable_size, element, type_id);
	papi_sde_store_unlock(entry->store);
	return status;
}

int papi_sde_counting_set_remove(void *cset_handle, size_t hashable_size, const void *element, uint32_t type_id)
{
	struct papi_sde_entry *entry = lock_handle(cset_handle, PAPI_SDE_COUNTING_SET);
	struct element **place, *removed;
	int status = PAPI_OK;

	if (!entry)
		return PAPI_EINVAL;
	place = element && hashable_size
		? place_of(entry->store, hash_of(element, hashable_size, type_id), hashable_size, element, type_id)
		: NULL;
	if (!element || !hashable_size) {
		status = PAPI_EINVAL;
	} else if (!place || !*place) {
		status = PAPI_ENOEVNT;
	} else if (--(*place)->count == 0) {
		removed = *place;
		*place = removed->next;
		free(removed);
		entry->store->n_elements--;
	}
	papi_sde_store_unlock(entry->store);
	return status;
}

static int copy_values(const struct papi_sde_store *store, char **copy)
{
	size_t bytes = store->n_values * store->typesize;

	if (!bytes)
		return PAPI_OK;
	*copy = malloc(bytes);
	if (!*copy)
		return PAPI_ENOMEM;
	memcpy(*copy, store->values, bytes);
	return PAPI_OK;
}

static void free_list(cset_list_object_t *list)
{
	while (list) {
		cset_list_object_t *next = list->next;

		free(list->ptr);
		free(list);
		list = next;
	}
}

/* A copy of an element in front of a list; NULL: no memory. */
static cset_list_object_t *prepend(const struct element *element, cset_list_object_t *list)
{
	cset_list_object_t *node = malloc(sizeof(*node));
	void *bytes = malloc(element->size);

	if (!node || !bytes) {
		free(node);
		free(bytes);
		return NULL;
	}
	memcpy(bytes, element->bytes, element->size);
	*node = (cset_list_object_t){ .count = element->count,
		.type_id = element->type_id,
		.type_size = element->size,
		.ptr = bytes,
		.next = list };
	return node;
}

static int copy_elements(const struct papi_sde_store *store, char **copy)
{
	cset_list_object_t *list = NULL, *longer;

	for (size_t i = 0; i < store->n_buckets; i++) {
		for (const struct element *element = store->buckets[i]; element; element = element->next) {
			longer = prepend(element, list);
			if (!longer) {
				free_list(list);
				return PAPI_ENOMEM;
			}
			list = longer;
		}
	}
	*copy = (char *)list;
	return PAPI_OK;
}

int papi_sde_store_copy(
	struct papi_sde_entry *entry, uint32_t incarnation, bool sorted, void **copy, size_t *count, size_t *size)
{
	struct papi_sde_store *store;
	papi_sde_compare_t compare;
	char *bytes = NULL;
	int status;

	if (!papi_sde_reader_enter(entry, incarnation))
		return PAPI_ENOEVNT;
	store = entry->store;
	papi_sde_store_lock(store);
	status = entry->kind == PAPI_SDE_RECORDER ? copy_values(store, &bytes) : copy_elements(store, &bytes);
	*count = entry->kind == PAPI_SDE_RECORDER ? store->n_values : store->n_elements;
	*size = store->typesize;
	compare = store->compare;
	papi_sde_store_unlock(store);
	/* The program's function, so not inside the mutex, which it may want to take by recording something. */
	if (bytes && sorted && compare) {
		papi_sde_callback_depth++;
		qsort(bytes, *count, *size, compare);
		papi_sde_callback_depth--;
	}
	papi_sde_reader_leave(entry);
	*copy = bytes;
	return status;
}

/* Only differences that cannot overflow, and an order for NaN too: behind all numbers. */
#define COMPARISON(name, type)                                                     \
	int papi_sde_compare_##name(const void *first, const void *second)         \
	{                                                                          \
		type a, b;                                                         \
                                                                                   \
		memcpy(&a, first, sizeof(a));                                      \
		memcpy(&b, second, sizeof(b));                                     \
		return a != a || b != b ? (a != a) - (b != b) : (a > b) - (a < b); \
	}

COMPARISON(long_long, long long)
COMPARISON(int, int)
COMPARISON(double, double)
COMPARISON(float, float)
