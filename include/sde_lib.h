/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Software-defined events: a library or program tells what it counts itself, and PAPI counts it like any other event.
 *
 *     static long long steps;
 *     papi_handle_t handle = papi_sde_init("solver");
 *     papi_sde_register_counter(handle, "steps", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps);
 *
 * From then on whoever measures the program can add the event "sde:::solver::steps". What registers links libsde, which
 * is small and stands alone (-lsde); who measures links libpapi; neither needs the other, and it does not matter which
 * of them is loaded or initialised first. A counter that nobody measures costs what it costs to count.
 *
 * Values. A `long long` or an `int` is read as a number; of a `double` or `float` the eight bytes of the value hold the
 * representation, which PAPI_SDE_GET_DOUBLE and PAPI_SDE_GET_FLOAT take out: such values cannot be accumulated with
 * PAPI_accum or be written with PAPI_write. Of recorders and counting sets the value is an address, see there.
 *
 * Results. Functions that return int return SDE_OK, which is 0, or a negative number that is one of the PAPI_E...
 * codes: PAPI_EINVAL (-1) for a handle that is none of its kind or of a counter that was unregistered, an empty name,
 * or a mode or type without meaning; PAPI_ENOMEM (-2); PAPI_ENOEVNT (-7) for a name that is not registered;
 * PAPI_ECNFLCT (-8) for a group that cannot be joined. Functions that return a pointer return NULL instead.
 *
 * Names. The first registration of a name counts. Registering or creating again what is registered already changes
 * nothing and returns SDE_OK, with the handle that the name has, whatever it was made as: a library that is initialised
 * twice needs no precautions, and one that means another variable unregisters the first.
 *
 * Order. An EventSet may hold an event before it is registered. Its value is -1 until then, and afterwards what the
 * counter holds; PAPI_SDE_DELTA begins at 0 when the counter is registered after PAPI_start.
 *
 * Threads. Any thread may call these functions at any time. papi_sde_inc_counter is one atomic addition, and may be
 * called from a signal handler too; the others may not. The program's own variables are read by PAPI as they are: what
 * a thread adds to them without atomic operations may be seen a little later, and is lost when several add at once.
 *
 * Ends. When papi_sde_unregister_counter or papi_sde_shutdown has returned, nothing reads the variable or calls the
 * function any more. Neither may be called from the function of a counter. An EventSet that holds the event reports
 * PAPI_ENOEVNT when it is read, until the event is registered again. Names, and a hundred bytes for each, stay until
 * the process ends, so that no handle ever points to something else: who makes up ever new names uses ever more memory.
 *
 * 7.0 interface.
 */
#ifndef PAPI_SDE_LIB_H
#define PAPI_SDE_LIB_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
#define PAPI_SDE_API __attribute__((visibility("default")))
#else
#define PAPI_SDE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Results; the numbers of papi.h. */
#define SDE_OK      0
#define SDE_EINVAL  (-1)
#define SDE_ENOMEM  (-2)
#define SDE_ECMP    (-4)
#define SDE_ENOEVNT (-7)

/* The version of this interface. */
#define PAPI_SDE_VERSION_NUMBER(major, minor) ((major) << 16 | (minor))
#define PAPI_SDE_VERSION                      PAPI_SDE_VERSION_NUMBER(1, 0)

/* Modes: one of each pair. PAPI_write keeps an offset for itself, so a PAPI_SDE_RW counter is not written to either. */
#define PAPI_SDE_RO      0x00
#define PAPI_SDE_RW      0x01
#define PAPI_SDE_DELTA   0x00 /* the value is what has been added since PAPI_start */
#define PAPI_SDE_INSTANT 0x10 /* the value is that of the counter at the moment of reading */

/* Types of counters. */
#define PAPI_SDE_long_long 0x0
#define PAPI_SDE_int       0x1
#define PAPI_SDE_double    0x2
#define PAPI_SDE_float     0x3

/* How the value of a group comes from those of its members. */
#define PAPI_SDE_SUM 0x0
#define PAPI_SDE_MAX 0x1
#define PAPI_SDE_MIN 0x2

/* The registering library or program, as papi_sde_init knows it. */
typedef void *papi_handle_t;

/* Gives the present value of a counter: of a double or float its bytes, from the first of the eight on. */
typedef long long (*papi_sde_fptr_t)(void *param);

/* Less than, equal to or greater than 0, as qsort(3) wants it. */
typedef int (*papi_sde_compare_t)(const void *first, const void *second);
typedef papi_sde_compare_t papi_sde_cmpr_fptr_t; /* 7.0's name */

/* One element of a counting set, as a read of it lists them. */
typedef struct cset_list_object_s {
	uint32_t count; /* how often it was inserted, less how often removed */
	uint32_t type_id;
	size_t type_size;                /* bytes at ptr */
	void *ptr;                       /* a copy of the element */
	struct cset_list_object_s *next; /* NULL: the last */
} cset_list_object_t;

static inline double PAPI_SDE_GET_DOUBLE(long long value)
{
	double number;

	memcpy(&number, &value, sizeof(number));
	return number;
}

static inline float PAPI_SDE_GET_FLOAT(long long value)
{
	float number;

	memcpy(&number, &value, sizeof(number));
	return number;
}

/* The same by the names of 7.0. */
#define GET_DOUBLE_SDE(value) PAPI_SDE_GET_DOUBLE(value)
#define GET_FLOAT_SDE(value)  PAPI_SDE_GET_FLOAT(value)

/* The array that the value of a recorder's event points to, of values of a type. */
#define GET_SDE_RECORDER_ADDRESS(value, type) ((type *)(intptr_t)(value))

/* ---- Libraries ----------------------------------------------------------------------------------------- */

/**
 * Makes a library known, and says what its events are called: "sde:::NAME::EVENT". Several calls with the same name
 * give the same handle; as many calls of papi_sde_shutdown end it.
 *
 * @param name_of_library  without "::" in it.
 * @return the handle; NULL for an impossible name, or when there is no memory.
 */
PAPI_SDE_API papi_handle_t papi_sde_init(const char *name_of_library);

/** Unregisters all events of the library, at the call that answers the first papi_sde_init. */
PAPI_SDE_API int papi_sde_shutdown(papi_handle_t handle);

/* ---- Counters that the program has already ------------------------------------------------------------- */

/**
 * Registers a variable as a counter.
 *
 * @param event_name  without "::" in it, and no other event of the library.
 * @param cntr_mode   PAPI_SDE_RO or PAPI_SDE_RW, and PAPI_SDE_DELTA or PAPI_SDE_INSTANT.
 * @param cntr_type   PAPI_SDE_long_long, PAPI_SDE_int, PAPI_SDE_double or PAPI_SDE_float.
 * @param counter     the variable; it must stay until the counter is unregistered. Not looked at where the name is
 *                    registered already.
 */
PAPI_SDE_API int papi_sde_register_counter(
	papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type, void *counter);

/**
 * Registers a counter whose value a function gives. It is called by the thread that reads an EventSet, at each read,
 * and must not register or unregister anything.
 *
 * @param param  handed to the function.
 */
PAPI_SDE_API int papi_sde_register_counter_cb(papi_handle_t handle, const char *event_name, int cntr_mode,
	int cntr_type, papi_sde_fptr_t callback, void *param);

/** Ends a counter, recorder, counting set or group of any making. */
PAPI_SDE_API int papi_sde_unregister_counter(papi_handle_t handle, const char *event_name);

/* Earlier names of these, which 7.0 has too. */
#define papi_sde_register_fp_counter  papi_sde_register_counter_cb
#define papi_sde_destroy_counter      papi_sde_unregister_counter
#define papi_sde_destroy_counting_set papi_sde_unregister_counter

/** Says what an event counts, for listings. The text is copied; what is longer than 1023 bytes is cut. */
PAPI_SDE_API int papi_sde_describe_counter(papi_handle_t handle, const char *event_name, const char *event_description);

/**
 * Puts a counter, or a group, into a group of the same library, which is an event itself: the sum, the largest or the
 * smallest of its members' values. The first call makes the group.
 *
 * @param group_flags  PAPI_SDE_SUM, PAPI_SDE_MAX or PAPI_SDE_MIN; the same in all calls for a group.
 * @return PAPI_ECNFLCT when the group has other flags or holds the event already, when its name is that of another,
 *         or when the group is part of what is to be put into it; PAPI_EINVAL for recorders and counting sets, and for
 *         whole numbers among fractions or the other way round.
 */
PAPI_SDE_API int papi_sde_add_counter_to_group(
	papi_handle_t handle, const char *event_name, const char *group_name, uint32_t group_flags);

/* ---- Counters that libsde keeps ------------------------------------------------------------------------ */

/**
 * Makes a counter, of type long long and 0 at first.
 *
 * @param[out] cntr_handle  for papi_sde_inc_counter; papi_sde_get_counter_handle gives it too.
 */
PAPI_SDE_API int papi_sde_create_counter(
	papi_handle_t handle, const char *event_name, int cntr_mode, void **cntr_handle);

/**
 * Adds to a counter made by papi_sde_create_counter, in one step: nothing is lost between threads. Where the counter is
 * armed with PAPI_overflow and this passes the threshold, the handler is called from here, in this thread.
 */
PAPI_SDE_API int papi_sde_inc_counter(void *cntr_handle, long long increment);

/**
 * Sets a counter made by papi_sde_create_counter to 0. What running EventSets count of it since their start is not
 * disturbed; those that read it as PAPI_SDE_INSTANT see the 0.
 */
PAPI_SDE_API int papi_sde_reset_counter(void *cntr_handle);

/** The handle of a counter, recorder or counting set; NULL when there is none of that name that has one. */
PAPI_SDE_API void *papi_sde_get_counter_handle(papi_handle_t handle, const char *event_name);

/* ---- Recorders: values one by one ---------------------------------------------------------------------- */

/**
 * Makes a recorder, which keeps every value that it is given. Its events:
 *
 *     NAME       the address of a copy of all values, in the order of recording; 0 when there are none
 *     NAME:CNT   how many values there are
 *     NAME:MIN, NAME:Q1, NAME:MED, NAME:Q3, NAME:MAX
 *                the address of the value at that place when all are sorted: of n values, numbered from 0, those with
 *                the numbers 0, n/4, n/2, 3n/4 (rounded down) and n-1; 0 when there are none
 *
 * Each read makes such copies anew, with malloc(3), and they belong to the caller, who frees them. PAPI_read of a
 * stopped EventSet gives the addresses that its last run ended with, once more.
 *
 * @param typesize       bytes of a value.
 * @param cmpr_func_ptr  compares two values; NULL: the recorder has no quantiles.
 */
PAPI_SDE_API int papi_sde_create_recorder(papi_handle_t handle, const char *event_name, size_t typesize,
	papi_sde_compare_t cmpr_func_ptr, void **record_handle);

/** Adds a copy of a value. @param typesize  that of the recorder. */
PAPI_SDE_API int papi_sde_record(void *record_handle, size_t typesize, const void *value);

/** Forgets all values. */
PAPI_SDE_API int papi_sde_reset_recorder(void *record_handle);

/* Comparisons for recorders of simple types. */
PAPI_SDE_API int papi_sde_compare_long_long(const void *first, const void *second);
PAPI_SDE_API int papi_sde_compare_int(const void *first, const void *second);
PAPI_SDE_API int papi_sde_compare_double(const void *first, const void *second);
PAPI_SDE_API int papi_sde_compare_float(const void *first, const void *second);

/* ---- Counting sets: how often what was seen ------------------------------------------------------------ */

/**
 * Makes a counting set, which counts how often each of its elements was inserted. The value of its event is the address
 * of a list of cset_list_object_t, 0 when the set is empty. The list belongs to the caller as copies of recorders do:
 * each object of it, and each ptr, is to be freed.
 */
PAPI_SDE_API int papi_sde_create_counting_set(papi_handle_t handle, const char *cset_name, void **cset_handle);

/**
 * Inserts a copy of an element, or counts it once more: elements are the same when their types and their first
 * hashable_size bytes are.
 *
 * @param element_size   bytes of the element; the first insertion decides.
 * @param hashable_size  at most element_size.
 */
PAPI_SDE_API int papi_sde_counting_set_insert(
	void *cset_handle, size_t element_size, size_t hashable_size, const void *element, uint32_t type_id);

/** Takes one of an element out; PAPI_ENOEVNT when there is none. */
PAPI_SDE_API int papi_sde_counting_set_remove(
	void *cset_handle, size_t hashable_size, const void *element, uint32_t type_id);

/* ---- For tools that list what a library would register ------------------------------------------------- */

/* The functions above, as papi_native_avail hands them to a library that is not running. */
typedef struct papi_sde_fptr_struct_s {
	papi_handle_t (*init)(const char *name_of_library);
	int (*shutdown)(papi_handle_t handle);
	int (*register_counter)(papi_handle_t handle, const char *event_name, int mode, int type, void *counter);
	int (*register_counter_cb)(papi_handle_t handle, const char *event_name, int mode, int type,
		papi_sde_fptr_t callback, void *param);
	int (*unregister_counter)(papi_handle_t handle, const char *event_name);
	int (*describe_counter)(papi_handle_t handle, const char *event_name, const char *event_description);
	int (*add_counter_to_group)(
		papi_handle_t handle, const char *event_name, const char *group_name, uint32_t flags);
	int (*create_counter)(papi_handle_t handle, const char *event_name, int mode, void **cntr_handle);
	int (*inc_counter)(void *cntr_handle, long long increment);
	int (*create_recorder)(papi_handle_t handle, const char *event_name, size_t typesize,
		papi_sde_compare_t compare, void **record_handle);
	int (*create_counting_set)(papi_handle_t handle, const char *cset_name, void **cset_handle);
	/* Of a tool compiled for 7.0 these two hold nothing that can be called. */
	int (*counting_set_insert)(
		void *cset_handle, size_t element_size, size_t hashable_size, const void *element, uint32_t type_id);
	int (*counting_set_remove)(void *cset_handle, size_t hashable_size, const void *element, uint32_t type_id);
	int (*record)(void *record_handle, size_t typesize, const void *value);
	int (*reset_recorder)(void *record_handle);
	int (*reset_counter)(void *cntr_handle);
	void *(*get_counter_handle)(papi_handle_t handle, const char *event_name);
} papi_sde_fptr_struct_t;

/* Earlier names of members. */
#define register_fp_counter  register_counter_cb
#define destroy_counter      unregister_counter
#define destroy_counting_set unregister_counter

/* All of them, for a tool. */
#define PAPI_SDE_FUNCTIONS                                                                                            \
	{                                                                                                             \
		papi_sde_init, papi_sde_shutdown, papi_sde_register_counter, papi_sde_register_counter_cb,            \
			papi_sde_unregister_counter, papi_sde_describe_counter, papi_sde_add_counter_to_group,        \
			papi_sde_create_counter, papi_sde_inc_counter, papi_sde_create_recorder,                      \
			papi_sde_create_counting_set, papi_sde_counting_set_insert, papi_sde_counting_set_remove,     \
			papi_sde_record, papi_sde_reset_recorder, papi_sde_reset_counter, papi_sde_get_counter_handle \
	}

/* The same as an assignment, by 7.0's name. */
#define POPULATE_SDE_FPTR_STRUCT(structure)                                            \
	do {                                                                           \
		const papi_sde_fptr_struct_t papi_sde_functions_ = PAPI_SDE_FUNCTIONS; \
                                                                                       \
		(structure) = papi_sde_functions_;                                     \
	} while (0)

/**
 * A library that registers events may have this function, which does so through the functions it is given: its events
 * can then be listed without running it, with `papi_native_avail --sde LIBRARY`. It returns the handle.
 */
PAPI_SDE_API papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *functions);

#ifdef __cplusplus
}
#endif

#endif
