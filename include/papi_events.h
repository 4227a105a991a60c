/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Events and components: what can be counted here, under which name, and who counts it.
 *
 * An event has a code, an int whose two highest bits tell presets (PAPI_PRESET_MASK), native events (PAPI_NATIVE_MASK)
 * and user events (PAPI_UE_MASK) apart. Codes of presets are the same everywhere (papiStdEventDefs.h). Codes of native
 * and user events are handed out as the process asks for names, so they must not be stored beyond its end: store names.
 *
 * A component has an index from 0 to PAPI_num_components() - 1. Component 0 is that of the CPU; it is what functions
 * without an index mean. A component that finds nothing here keeps its index and is disabled.
 *
 * Rules on errors, threads and signals: papi.h. Included by papi.h.
 */
#ifndef PAPI_EVENTS_H
#define PAPI_EVENTS_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Names and codes ----------------------------------------------------------------------------------- */

/**
 * The code of an event with a given name.
 *
 * Names of native events begin with their component and `:::`, as in rusage:::minflt. Those of component 0 can do
 * without: perf::PAGE-FAULTS is perf_event:::perf::PAGE-FAULTS.
 *
 * @param in        name of a preset, native or user event.
 * @param[out] out  its code.
 * @return PAPI_OK; PAPI_ENOEVNT when no component knows the name; PAPI_EATTR or PAPI_ECOMBO when the event is known but
 *         what follows its name is not, or excludes itself.
 *
 * Programmer's Reference 3.5, page PAPI_event_name_to_code.
 */
PAPI_API int PAPI_event_name_to_code(const char *in, int *out);

/**
 * The name of an event with a given code, in the form that PAPI_event_name_to_code takes.
 *
 * @param EventCode  code of a preset, native or user event.
 * @param[out] out   the name: room for PAPI_MAX_STR_LEN bytes, the ending zero byte included.
 * @return PAPI_OK; PAPI_ENOTPRESET or PAPI_ENOEVNT for a code that has not been handed out; PAPI_EBUF when the name is
 *         longer, then as much as fits is stored and PAPI_get_event_info has all of it.
 *
 * Programmer's Reference 3.5, page PAPI_event_code_to_name.
 */
PAPI_API int PAPI_event_code_to_name(int EventCode, char *out);

/**
 * Asks whether an event can be counted on this machine.
 *
 * @return PAPI_OK when it can; PAPI_ENOEVNT when it cannot, the detail says why; PAPI_ENOTPRESET when the code has the
 *         form of a preset but is none.
 *
 * Programmer's Reference 3.5, page PAPI_query_event.
 */
PAPI_API int PAPI_query_event(int EventCode);

/**
 * PAPI_query_event, by name.
 *
 * @return what PAPI_event_name_to_code or PAPI_query_event would.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_query_named_event(const char *EventName);

/**
 * Describes an event.
 *
 * @param EventCode  code of a preset, native or user event.
 * @param[out] info  what is known. count is 0 for a preset that cannot be counted here, and its note says why. note
 *                   also says where a count is not what its name promises. It begins with what the count is worth:
 *                   "exact", "modelled" or "sampled", where the library knows that; no such word is "exact". A preset
 *                   or user event is worth no more than the events that it is made of.
 * @return PAPI_OK, also for a preset that cannot be counted here; PAPI_ENOTPRESET or PAPI_ENOEVNT for a code that is
 *         none.
 *
 * Programmer's Reference 3.5, page PAPI_get_event_info.
 */
PAPI_API int PAPI_get_event_info(int EventCode, PAPI_event_info_t *info);

/**
 * @return the index of the component that counts the event; for presets and user events that of their first native
 *         event, or 0. PAPI_ENOEVNT for a code that is none.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_event_component(int EventCode);

/* Its earlier name. */
#define PAPI_COMPONENT_INDEX(code) PAPI_get_event_component(code)

/**
 * Walks over events. The kind of *EventCode decides over which: presets when it has PAPI_PRESET_MASK, native events of
 * all components when PAPI_NATIVE_MASK, user events when PAPI_UE_MASK. To see them all:
 *
 *     int code = PAPI_NATIVE_MASK;
 *     for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
 *          status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
 *             show(code);
 *
 * @param[in,out] EventCode  where to start; gets the event found.
 * @param modifier  PAPI_ENUM_FIRST: the first event of the kind;
 *                  PAPI_ENUM_EVENTS: the one after *EventCode;
 *                  PAPI_PRESET_ENUM_AVAIL: the next preset or user event that can be counted here;
 *                  PAPI_PRESET_ENUM_MSC and the others of its kind: the next preset of that class;
 *                  PAPI_NTV_ENUM_UMASKS: the first, then the next, unit mask of the native event.
 * @return PAPI_OK; PAPI_ENOEVNT when there is no further one; PAPI_EINVAL for a modifier without a meaning for the kind
 *         or on this machine, and for a code of no kind.
 *
 * Programmer's Reference 3.5, page PAPI_enum_event. Its modifiers have the numbers of 7.0: 1 is PAPI_ENUM_FIRST and no
 * longer "available presets only".
 */
PAPI_API int PAPI_enum_event(int *EventCode, int modifier);

/**
 * PAPI_enum_event over the events of one component.
 *
 * @param cidx  index of the component.
 * @return as PAPI_enum_event; PAPI_ENOCMP for a component that does not exist; PAPI_ECMP_DISABLED.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_enum_cmp_event(int *EventCode, int modifier, int cidx);

/* ---- Defining presets ---------------------------------------------------------------------------------- */

/**
 * Reads definitions of presets from a file of comma separated values, as papi_decode writes them.
 *
 * @param event_file  path of the file.
 * @param replace     1: definitions replace those that exist; 0: only new presets are taken.
 * @return PAPI_OK; PAPI_EPERM when a preset exists and replace is 0; PAPI_EISRUN when a preset is in an event set;
 *         PAPI_EINVAL for a line that makes no sense, the detail has its number; PAPI_ENOTPRESET when there is no room
 *         for a new preset; PAPI_ENOEVNT when an entry is not a preset.
 *
 * Programmer's Reference 3.5, page PAPI_encode_events.
 */
PAPI_API int PAPI_encode_events(char *event_file, int replace);

/**
 * Defines or changes one preset.
 *
 * @param info            event_code with PAPI_PRESET_MASK, symbol, derived, postfix, the descriptions, note and name;
 *                        names end at the first empty one.
 * @param[out] EventCode  the code of the preset.
 * @param replace         1: may replace a preset of the same name; 0: not.
 * @return as PAPI_encode_events.
 *
 * Programmer's Reference 3.5, page PAPI_set_event_info.
 */
PAPI_API int PAPI_set_event_info(PAPI_event_info_t *info, int *EventCode, int replace);

/* ---- Components ---------------------------------------------------------------------------------------- */

/**
 * @return how many components the library has, disabled ones included.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_num_components(void);

/**
 * @param name  name or short name of a component.
 * @return its index; PAPI_ENOCMP when there is none.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_component_index(const char *name);

/**
 * Describes a component: what it is, what it can do, and why it is disabled if it is.
 *
 * @param cidx  its index.
 * @return the description, valid until PAPI_shutdown; NULL when there is no such component.
 *
 * 7.0 interface.
 */
PAPI_API const PAPI_component_info_t *PAPI_get_component_info(int cidx);

/**
 * The description of component 0, that of the CPU.
 *
 * Programmer's Reference 3.5, page PAPI_get_substrate_info.
 */
PAPI_API const PAPI_substrate_info_t *PAPI_get_substrate_info(void);

/**
 * Keeps a component from being used. Only before PAPI_library_init.
 *
 * @param cidx  its index.
 * @return PAPI_OK; PAPI_ENOCMP when there is no such component; PAPI_ENOINIT when it is too late.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_disable_component(int cidx);

/**
 * PAPI_disable_component, by name or short name.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_disable_component_by_name(const char *name);

/**
 * @return how many events the hardware of the CPU can count at once; 0 on a machine without counters.
 *
 * Programmer's Reference 3.5, page PAPI_num_hwctrs.
 */
PAPI_API int PAPI_num_hwctrs(void);

/**
 * @param cidx  index of a component.
 * @return how many events the component can count at once, 0 or more; PAPI_ENOCMP when there is no such component.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_num_cmp_hwctrs(int cidx);

#ifdef __cplusplus
}
#endif

#endif
