/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Software-defined events in C++: the functions of sde_lib.h as classes. Link with -lsde.
 *
 *     papi_sde::PapiSde solver("solver");
 *     long long steps = 0;
 *     solver.register_counter("steps", PAPI_SDE_RO | PAPI_SDE_DELTA, steps);
 *
 * A PapiSde stands for a library's events and ends them when it ends: the variables that it was given must live longer,
 * and so must whatever counts. Recorders, counters and counting sets that it makes are handles for the caller, who
 * deletes them; their events end with the PapiSde. They are NULL, and functions that return int return a negative
 * number, in the cases that sde_lib.h tells. Nothing throws, but for std::bad_alloc.
 *
 * 7.0 interface.
 */
#ifndef PAPI_SDE_LIB_HPP
#define PAPI_SDE_LIB_HPP

#include "sde_lib.h"

namespace papi_sde
{

/* What type of counter a variable is: others than those below are none, and are refused. */
template <typename T> struct TypeOf {
	enum { value = -1 };
};
template <> struct TypeOf<long long> {
	enum { value = PAPI_SDE_long_long };
};
template <> struct TypeOf<int> {
	enum { value = PAPI_SDE_int };
};
template <> struct TypeOf<double> {
	enum { value = PAPI_SDE_double };
};
template <> struct TypeOf<float> {
	enum { value = PAPI_SDE_float };
};

class PapiSde
{
	papi_handle_t library;

	PapiSde(const PapiSde &);
	PapiSde &operator=(const PapiSde &);

    public:
	/** Values one by one: papi_sde_create_recorder. */
	class Recorder
	{
		friend class PapiSde;
		void *handle;

	    public:
		Recorder(papi_handle_t library, const char *event_name, size_t typesize, papi_sde_compare_t compare)
			: handle(NULL)
		{
			papi_sde_create_recorder(library, event_name, typesize, compare, &handle);
		}
		template <typename T> int record(const T &value)
		{
			return handle ? papi_sde_record(handle, sizeof(value), &value) : SDE_EINVAL;
		}
		int reset() { return handle ? papi_sde_reset_recorder(handle) : SDE_EINVAL; }
	};

	/** A counter that libsde keeps: papi_sde_create_counter. */
	class CreatedCounter
	{
		friend class PapiSde;
		void *handle;

	    public:
		CreatedCounter(papi_handle_t library, const char *event_name, int cntr_mode) : handle(NULL)
		{
			papi_sde_create_counter(library, event_name, cntr_mode, &handle);
		}
		/** Whole numbers: a fraction is cut off. */
		template <typename T> int increment(const T &value)
		{
			return papi_sde_inc_counter(handle, static_cast<long long>(value));
		}
		int reset() { return papi_sde_reset_counter(handle); }
	};

	/** How often what was seen: papi_sde_create_counting_set. */
	class CountingSet
	{
		friend class PapiSde;
		void *handle;

	    public:
		CountingSet(papi_handle_t library, const char *cset_name) : handle(NULL)
		{
			papi_sde_create_counting_set(library, cset_name, &handle);
		}
		template <typename T> int insert(const T &element, uint32_t type_id)
		{
			return insert(sizeof(element), element, type_id);
		}
		template <typename T> int insert(size_t hashable_size, const T &element, uint32_t type_id)
		{
			return papi_sde_counting_set_insert(handle, sizeof(element), hashable_size, &element, type_id);
		}
		template <typename T> int remove(size_t hashable_size, const T &element, uint32_t type_id)
		{
			return papi_sde_counting_set_remove(handle, hashable_size, &element, type_id);
		}
	};

	explicit PapiSde(const char *name_of_library) : library(papi_sde_init(name_of_library)) {}
	~PapiSde()
	{
		if (library)
			papi_sde_shutdown(library);
	}

	template <typename T> int register_counter(const char *event_name, int cntr_mode, T &counter)
	{
		return papi_sde_register_counter(library, event_name, cntr_mode, TypeOf<T>::value, &counter);
	}

	/** A counter that a function of param gives. */
	template <typename P>
	int register_counter_cb(const char *event_name, int cntr_mode, long long (*function)(P *), P &param)
	{
		/* The one conversion: a pointer to the parameter is passed as void *, which all machines pass alike. */
		return papi_sde_register_counter_cb(library, event_name, cntr_mode, PAPI_SDE_long_long,
			reinterpret_cast<papi_sde_fptr_t>(function), &param);
	}

	/** Functions of other types give no counter. */
	template <typename T, typename P> int register_counter_cb(const char *, int, T (*)(P *), P &)
	{
		return SDE_EINVAL;
	}

	int unregister_counter(const char *event_name) { return papi_sde_unregister_counter(library, event_name); }
	int describe_counter(const char *event_name, const char *event_description)
	{
		return papi_sde_describe_counter(library, event_name, event_description);
	}
	int add_counter_to_group(const char *event_name, const char *group_name, uint32_t group_flags)
	{
		return papi_sde_add_counter_to_group(library, event_name, group_name, group_flags);
	}

	CreatedCounter *create_counter(const char *event_name, int cntr_mode)
	{
		return made(new CreatedCounter(library, event_name, cntr_mode));
	}
	Recorder *create_recorder(const char *event_name, size_t typesize, papi_sde_compare_t compare)
	{
		return made(new Recorder(library, event_name, typesize, compare));
	}
	CountingSet *create_counting_set(const char *cset_name) { return made(new CountingSet(library, cset_name)); }

    private:
	/* NULL where there was nothing to make. */
	template <typename T> static T *made(T *object)
	{
		if (object->handle)
			return object;
		delete object;
		return NULL;
	}
};

} // namespace papi_sde

#endif
