/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data types of the PAPI interface.
 *
 * Programs include papi.h, which includes this file. Sizes and offsets are those that programs compiled for
 * libpapi.so.7.0 already rely on, so none of them may ever change; tests/abi proves each one. Where 7.0 renamed a
 * member of the Programmer's Reference 3.5, an anonymous union lets the same bytes go by both names; C99 and C++
 * know anonymous members only as an extension, hence the marker before them.
 *
 * Everything here is plain data, and every string in it ends with a zero byte.
 */
#ifndef PAPI_TYPES_H
#define PAPI_TYPES_H

#include "papi_constants.h"

/* ---- Simple types -------------------------------------------------------------------------------------- */

typedef long long long_long;            /* 3.5 name of a counter's value */
typedef unsigned long long u_long_long; /* the same without a sign */
typedef void *vptr_t;                   /* an address; 3.5 wrote caddr_t */
typedef unsigned long PAPI_thread_id_t; /* what the function given to PAPI_thread_init returns */

/* Called instead of printing an error when PAPI_set_opt(PAPI_DEBUG) has set it. Its result means nothing. */
typedef int (*PAPI_debug_handler_t)(int code);

/*
 * Called, in a signal handler, when events have passed their thresholds: the set, where the program was, a bit
 * for each event that overflowed (for PAPI_get_overflow_event_index) and the interrupted machine context.
 */
typedef void (*PAPI_overflow_handler_t)(int EventSet, void *address, long long overflow_vector, void *context);

typedef char *PAPI_user_defined_events_file_t; /* path of a file of event definitions */

/* The pointers that all threads stored under one tag: see PAPI_TLS_ALL_THREADS. */
typedef struct _papi_all_thr_spec {
	int num;              /* in: room in both arrays; out: how many threads there are */
	PAPI_thread_id_t *id; /* the threads, or NULL */
	void **data;          /* their pointers, or NULL */
} PAPI_all_thr_spec_t;

/* One region of addresses and its histogram: PAPI_sprofil. */
typedef struct _papi_sprofil {
	void *pr_base;         /* the buckets */
	unsigned int pr_size;  /* bytes of the buckets */
	vptr_t pr_off;         /* lowest address of the region */
	unsigned int pr_scale; /* 0x10000: one bucket for two bytes of code; half of that: for four; and so on */
} PAPI_sprofil_t;

/* Timer of software multiplexing in the 7.0 interface. */
typedef struct _papi_mpx_info {
	int timer_sig;
	int timer_num;
	int timer_us;
} PAPI_mpx_info_t;

/* ---- Programs ------------------------------------------------------------------------------------------ */

typedef struct _papi_address_map {
	char name[PAPI_HUGE_STR_LEN];
	vptr_t text_start; /* code */
	vptr_t text_end;
	vptr_t data_start; /* initialized data */
	vptr_t data_end;
	vptr_t bss_start; /* data that starts as zero */
	vptr_t bss_end;
} PAPI_address_map_t;

typedef struct _papi_program_info {
	char fullname[PAPI_HUGE_STR_LEN]; /* path and name */
	PAPI_address_map_t address_info;  /* its name has no path */
} PAPI_exe_info_t;

typedef struct _papi_shared_lib_info {
	PAPI_address_map_t *map; /* count of them */
	int count;
} PAPI_shlib_info_t;

/* Memory use of the process, in kB but for pagesize. PAPI_EINVAL in a field: not known. */
typedef struct _dmem_t {
	long long peak;            /* largest size of the process image so far */
	long long size;            /* process image */
	long long resident;        /* in memory now */
	long long high_water_mark; /* most that was in memory so far */
	long long shared;          /* shared with others */
	long long text;            /* code */
	long long library;         /* libraries */
	long long heap;            /* data and heap */
	long long locked;          /* locked in memory */
	long long stack;           /* stack */
	long long pagesize;        /* bytes of a page */
	long long pte;             /* page tables */
} PAPI_dmem_info_t;

/* ---- Hardware ------------------------------------------------------------------------------------------ */

typedef struct _papi_mh_tlb_info {
	int type; /* PAPI_MH_TYPE_... */
	int num_entries;
	int page_size;     /* bytes */
	int associativity; /* ways; SHRT_MAX when every entry can hold every page */
} PAPI_mh_tlb_info_t;

typedef struct _papi_mh_cache_info {
	int type;      /* PAPI_MH_TYPE_... */
	int size;      /* bytes */
	int line_size; /* bytes */
	int num_lines;
	int associativity; /* ways; num_lines when every line can hold every address */
} PAPI_mh_cache_info_t;

/* Entries of type PAPI_MH_TYPE_EMPTY are not used. */
typedef struct _papi_mh_level_info {
	PAPI_mh_tlb_info_t tlb[PAPI_MH_MAX_LEVELS];
	PAPI_mh_cache_info_t cache[PAPI_MH_MAX_LEVELS];
} PAPI_mh_level_t;

typedef struct _papi_mh_info {
	int levels; /* how many of level[] mean something */
	PAPI_mh_level_t level[PAPI_MAX_MEM_HIERARCHY_LEVELS];
} PAPI_mh_info_t;

typedef struct _papi_hw_info {
	int ncpu;    /* CPUs of one NUMA node */
	int threads; /* hardware threads of one core */
	int cores;   /* cores of one socket */
	int sockets;
	int nnodes;    /* NUMA nodes */
	int totalcpus; /* CPUs of the whole machine */
	int vendor;    /* PAPI_VENDOR_... */
	char vendor_string[PAPI_MAX_STR_LEN];
	int model;
	char model_string[PAPI_MAX_STR_LEN];
	float revision;
	int cpuid_family;
	int cpuid_model;
	int cpuid_stepping;
	int cpu_max_mhz;
	int cpu_min_mhz;
	PAPI_mh_info_t mem_hierarchy;
	int virtualized; /* 1 in a virtual machine */
	char virtual_vendor_string[PAPI_MAX_STR_LEN];
	char virtual_vendor_version[PAPI_MAX_STR_LEN];
	float mhz;     /* 3.5 */
	int clock_mhz; /* rate of PAPI_get_real_cyc */
	int reserved[8];
} PAPI_hw_info_t;

/* ---- Events and components ----------------------------------------------------------------------------- */

/* The description of an event: PAPI_get_event_info. */
typedef struct event_info {
	unsigned int event_code;
	char symbol[PAPI_HUGE_STR_LEN];
	char short_descr[PAPI_MIN_STR_LEN];
	char long_descr[PAPI_HUGE_STR_LEN];
	int component_index;
	char units[PAPI_MIN_STR_LEN];
	int location;    /* PAPI_LOCATION_... */
	int data_type;   /* PAPI_DATATYPE_... */
	int value_type;  /* PAPI_VALUETYPE_... */
	int timescope;   /* PAPI_TIMESCOPE_... */
	int update_type; /* PAPI_UPDATETYPE_... */
	int update_freq; /* updates per second, for PAPI_UPDATETYPE_FIXEDFREQ */
	/* Presets and user events only: */
	unsigned int count;      /* native events in code and name; 0 when the event cannot be counted here */
	unsigned int event_type; /* PAPI_PRESET_BIT_... */
	char derived[PAPI_MIN_STR_LEN];
	char postfix[PAPI_2MAX_STR_LEN];
	unsigned int code[PAPI_MAX_INFO_TERMS];
	char name[PAPI_MAX_INFO_TERMS][PAPI_2MAX_STR_LEN];
	__extension__ union {
		char note[PAPI_HUGE_STR_LEN];
		char event_note[PAPI_HUGE_STR_LEN]; /* 3.5 name */
	};
} PAPI_event_info_t;

/* What a component is and can do: PAPI_get_component_info. */
typedef struct _papi_component_option {
	char name[PAPI_MAX_STR_LEN];
	char short_name[PAPI_MIN_STR_LEN];
	char description[PAPI_MAX_STR_LEN];
	char version[PAPI_MIN_STR_LEN];
	char support_version[PAPI_MIN_STR_LEN]; /* of the library it stands on */
	char kernel_version[PAPI_MIN_STR_LEN];  /* of the kernel's driver */
	char disabled_reason[PAPI_HUGE_STR_LEN];
	int disabled;    /* PAPI_OK, or the error code that says why it cannot be used */
	int initialized; /* 1 once it is ready */
	int CmpIdx;
	int num_cntrs;
	int num_mpx_cntrs; /* events in a multiplexed set */
	int num_preset_events;
	int num_native_events;
	int default_domain; /* PAPI_DOM_... */
	int available_domains;
	int default_granularity; /* PAPI_GRN_... */
	int available_granularities;
	int hardware_intr_sig; /* the signal of an overflow */
	int component_type;
	char *pmu_names[PAPI_PMU_MAX]; /* ends with NULL when not full */
	__extension__ union {
		int reserved[8];
		/* Fields of the 3.5 substrate, 0 when they have no meaning here. */
		__extension__ struct {
			int multiplex_timer_sig;
			int multiplex_timer_num;
			int opcode_match_width;
			int reserved_ints[4];
		};
	};
	__extension__ union {
		__extension__ struct {
			unsigned int hardware_intr : 1;      /* overflow by interrupt */
			unsigned int precise_intr : 1;       /* at the very instruction */
			unsigned int posix1b_timers : 1;     /* timer_create rather than setitimer */
			unsigned int kernel_profile : 1;     /* the kernel collects the samples */
			unsigned int kernel_multiplex : 1;   /* the kernel multiplexes */
			unsigned int fast_counter_read : 1;  /* read without entering the kernel */
			unsigned int fast_real_timer : 1;    /* the same for real time */
			unsigned int fast_virtual_timer : 1; /* the same for virtual time */
			unsigned int attach : 1;             /* PAPI_attach works */
			unsigned int attach_must_ptrace : 1; /* only after ptrace has stopped the target */
			unsigned int cntr_umasks : 1;        /* events have unit masks */
			unsigned int cpu : 1;                /* PAPI_CPU_ATTACH works */
			unsigned int inherit : 1;            /* PAPI_INHERIT works */
			unsigned int reserved_bits : 19;
		};
		/* Bits of the 3.5 substrate, in the bits that 7.0 reserves. */
		__extension__ struct {
			unsigned int : 13;
			unsigned int data_address_range : 1;
			unsigned int instr_address_range : 1;
			unsigned int edge_detect : 1;
			unsigned int invert : 1;
			unsigned int profile_ear : 1;
			unsigned int grouped_cntrs : 1;
			unsigned int : 13;
		};
	};
} PAPI_component_info_t;

typedef PAPI_component_info_t PAPI_substrate_info_t; /* 3.5 name */

/* ---- Arguments of PAPI_get_opt and PAPI_set_opt -------------------------------------------------------- */

/* PAPI_PRELOAD: the variables of the environment that load libraries into a program. */
typedef struct _papi_preload_option {
	char lib_preload_env[PAPI_MAX_STR_LEN];
	char lib_preload_sep;
	char lib_dir_env[PAPI_MAX_STR_LEN];
	char lib_dir_sep;
} PAPI_preload_info_t;

typedef PAPI_preload_info_t PAPI_preload_option_t; /* 3.5 name */

typedef struct _papi_debug_option {
	int level; /* PAPI_QUIET, PAPI_VERB_ECONT, PAPI_VERB_ESTOP */
	PAPI_debug_handler_t handler;
} PAPI_debug_option_t;

typedef struct _papi_inherit_option {
	int eventset;
	int inherit; /* PAPI_INHERIT_... */
} PAPI_inherit_option_t;

typedef struct _papi_granularity_option {
	int def_cidx; /* component, for PAPI_DEFGRN */
	int eventset; /* for PAPI_GRANUL */
	int granularity;
} PAPI_granularity_option_t;

typedef struct _papi_domain_option {
	int def_cidx; /* component, for PAPI_DEFDOM */
	int eventset; /* for PAPI_DOMAIN */
	int domain;
} PAPI_domain_option_t;

typedef struct _papi_attach_option {
	int eventset;
	unsigned long tid; /* thread or process */
} PAPI_attach_option_t;

typedef struct _papi_cpu_option {
	int eventset;
	unsigned int cpu_num;
} PAPI_cpu_option_t;

typedef struct _papi_multiplex_option {
	int eventset;
	__extension__ union {
		int ns; /* nanoseconds of a time slice, for PAPI_DEF_MPX_NS */
		int us; /* microseconds of a time slice, for PAPI_DEF_MPX_USEC of 3.5 */
	};
	int flags; /* PAPI_MULTIPLEX_... */
} PAPI_multiplex_option_t;

typedef struct _papi_itimer_option {
	int itimer_num;
	int itimer_sig;
	int ns;
	int flags;
} PAPI_itimer_option_t;

typedef struct _papi_addr_range_option {
	int eventset;
	vptr_t start;
	vptr_t end;
	int start_off; /* out: how far the range really starts before start */
	int end_off;   /* out: how far it really ends behind end */
} PAPI_addr_range_option_t;

/* 3.5 lists it among the members of PAPI_option_t. Overflow is asked for with PAPI_overflow: no option uses it. */
typedef struct _papi_overflow_option {
	int eventset;
	int event;
	int threshold;
	PAPI_overflow_handler_t handler;
} PAPI_overflow_option_t;

/* One member for each option; which one an option uses is told at PAPI_get_opt. */
typedef union {
	PAPI_preload_info_t preload;
	PAPI_debug_option_t debug;
	PAPI_inherit_option_t inherit;
	PAPI_granularity_option_t granularity;
	PAPI_granularity_option_t defgranularity;
	PAPI_domain_option_t domain;
	PAPI_domain_option_t defdomain;
	PAPI_attach_option_t attach;
	PAPI_cpu_option_t cpu;
	PAPI_multiplex_option_t multiplex;
	PAPI_itimer_option_t itimer;
	PAPI_hw_info_t *hw_info;
	PAPI_shlib_info_t *shlib_info;
	PAPI_exe_info_t *exe_info;
	PAPI_component_info_t *cmp_info;
	PAPI_substrate_info_t *sub_info; /* 3.5 name of cmp_info */
	PAPI_overflow_option_t ovf_info; /* 3.5 only */
	PAPI_addr_range_option_t addr;
	PAPI_user_defined_events_file_t events_file;
} PAPI_option_t;

#endif
