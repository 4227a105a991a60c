/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants of the PAPI interface.
 *
 * Programs include papi.h, which includes this file. The values are those that programs compiled for
 * libpapi.so.7.0 already contain, so none of them may ever change; tests/abi proves each one. Names of the
 * Programmer's Reference 3.5 that 7.0 dropped stand beside their successors.
 */
#ifndef PAPI_CONSTANTS_H
#define PAPI_CONSTANTS_H

/* Marks what the library exports; everything else in it is hidden. */
#if defined(__GNUC__)
#define PAPI_API __attribute__((visibility("default")))
#else
#define PAPI_API
#endif

/* ---- Versions ------------------------------------------------------------------------------------------ */

/* A version is one number of four bytes: major, minor, revision, increment. */
#define PAPI_VERSION_NUMBER(major, minor, revision, increment) \
	(((major) << 24) | ((minor) << 16) | ((revision) << 8) | (increment))
#define PAPI_VERSION_MAJOR(version)     (((version) >> 24) & 0xff)
#define PAPI_VERSION_MINOR(version)     (((version) >> 16) & 0xff)
#define PAPI_VERSION_REVISION(version)  (((version) >> 8) & 0xff)
#define PAPI_VERSION_INCREMENT(version) ((version)&0xff)

#define PAPI_VERSION PAPI_VERSION_NUMBER(7, 0, 0, 0)

/* What PAPI_library_init wants to be given: only major and minor decide whether caller and library fit. */
#define PAPI_VER_CURRENT (PAPI_VERSION & 0xffff0000)

/* ---- Return codes -------------------------------------------------------------------------------------- */

#define PAPI_OK            0     /* no error */
#define PAPI_EINVAL        (-1)  /* an argument is not valid */
#define PAPI_ENOMEM        (-2)  /* no memory left */
#define PAPI_ESYS          (-3)  /* a call to the operating system or C library failed */
#define PAPI_ECMP          (-4)  /* the component cannot do this */
#define PAPI_ESBSTR        (-4)  /* 3.5 name of PAPI_ECMP */
#define PAPI_ECLOST        (-5)  /* access to the counters was lost */
#define PAPI_EBUG          (-6)  /* a mistake inside the library */
#define PAPI_ENOEVNT       (-7)  /* no such event here */
#define PAPI_ECNFLCT       (-8)  /* the event exists but collides with what is in use */
#define PAPI_ENOTRUN       (-9)  /* the event set is not running */
#define PAPI_EISRUN        (-10) /* the event set is running */
#define PAPI_ENOEVST       (-11) /* no such event set */
#define PAPI_ENOTPRESET    (-12) /* not the code of a preset */
#define PAPI_ENOCNTR       (-13) /* no hardware counters, or not enough of them */
#define PAPI_EMISC         (-14) /* none of the other codes fits */
#define PAPI_EPERM         (-15) /* not permitted */
#define PAPI_ENOINIT       (-16) /* PAPI_library_init has not been called */
#define PAPI_ENOCMP        (-17) /* no such component */
#define PAPI_ENOSUPP       (-18) /* not supported */
#define PAPI_ENOIMPL       (-19) /* not implemented */
#define PAPI_EBUF          (-20) /* a buffer is too small */
#define PAPI_EINVAL_DOM    (-21) /* the component does not know this domain */
#define PAPI_EATTR         (-22) /* an attribute of the event is not valid */
#define PAPI_ECOUNT        (-23) /* more events or attributes than there is room for */
#define PAPI_ECOMBO        (-24) /* attributes of the event exclude each other */
#define PAPI_ECMP_DISABLED (-25) /* the component is disabled */
#define PAPI_EDELAY_INIT   (-26) /* the component initializes itself on first use */
#define PAPI_EMULPASS      (-27) /* the events need more than one pass of the program */
#define PAPI_NUM_ERRORS    28    /* number of codes, PAPI_OK included */

/* ---- Initialization and sizes -------------------------------------------------------------------------- */

/* Bits of PAPI_is_initialized. */
#define PAPI_NOT_INITED          0
#define PAPI_LOW_LEVEL_INITED    1
#define PAPI_HIGH_LEVEL_INITED   2
#define PAPI_THREAD_LEVEL_INITED 4

/* The handle of no event set: what a handle holds before it is created and after it is destroyed. */
#define PAPI_NULL (-1)

/* Lengths of character arrays, the ending zero byte included. */
#define PAPI_MIN_STR_LEN  64
#define PAPI_MAX_STR_LEN  128
#define PAPI_2MAX_STR_LEN 256
#define PAPI_HUGE_STR_LEN 1024

#define PAPI_INIT_SLOTS          64  /* events an event set of the 7.0 library first made room for */
#define USER_EVENT_OPERATION_LEN 512 /* 7.0's room for the formula of a user event; here it can have any length */
#define PAPI_MAX_INFO_TERMS      12  /* native events that PAPI_event_info_t can list */
#define PAPI_PMU_MAX             80  /* PMU names in PAPI_component_info_t */
#define PAPI_MAX_PRESET_EVENTS   128 /* preset codes below the mask */
#define PAPI_MAX_USER_EVENTS     50  /* user events of the 7.0 library */
#define PAPI_DERIVED             1   /* a preset made of several native events */

/* ---- Event codes --------------------------------------------------------------------------------------- */

/* The two highest bits of a code tell presets (10), native events (01) and user events (11) apart. */
#define PAPI_PRESET_MASK     ((int)0x80000000)
#define PAPI_NATIVE_MASK     ((int)0x40000000)
#define PAPI_UE_MASK         ((int)0xc0000000)
#define PAPI_PRESET_AND_MASK 0x7fffffff
#define PAPI_NATIVE_AND_MASK 0xbfffffff
#define PAPI_UE_AND_MASK     0x3fffffff

/* What a code is of: bit 31 alone, bit 30 alone, or both. */
#define IS_PRESET(code)       (((unsigned)(code) >> 30) == 2)
#define IS_NATIVE(code)       (((unsigned)(code) >> 30) == 1)
#define IS_USER_DEFINED(code) (((unsigned)(code) >> 30) == 3)

/* How PAPI_enum_event and PAPI_enum_cmp_event walk. */
#define PAPI_ENUM_EVENTS           0  /* the next event */
#define PAPI_ENUM_ALL              0  /* 3.5 name of PAPI_ENUM_EVENTS */
#define PAPI_ENUM_FIRST            1  /* the first event */
#define PAPI_PRESET_ENUM_AVAIL     2  /* the next preset that can be counted here */
#define PAPI_PRESET_AVAIL          2  /* 3.5 name of PAPI_PRESET_ENUM_AVAIL, with the 7.0 value */
#define PAPI_PRESET_ENUM_MSC       3  /* the next preset of a class: miscellaneous */
#define PAPI_PRESET_ENUM_INS       4  /* instructions */
#define PAPI_PRESET_ENUM_IDL       5  /* stalls and idle cycles */
#define PAPI_PRESET_ENUM_BR        6  /* branches */
#define PAPI_PRESET_ENUM_CND       7  /* conditionals */
#define PAPI_PRESET_ENUM_MEM       8  /* memory */
#define PAPI_PRESET_ENUM_CACH      9  /* caches */
#define PAPI_PRESET_ENUM_L1        10 /* caches of level 1 */
#define PAPI_PRESET_ENUM_L2        11 /* caches of level 2 */
#define PAPI_PRESET_ENUM_L3        12 /* caches of level 3 */
#define PAPI_PRESET_ENUM_TLB       13 /* translation lookaside buffers */
#define PAPI_PRESET_ENUM_FP        14 /* floating point */
#define PAPI_NTV_ENUM_UMASKS       15 /* the next unit mask of the native event */
#define PAPI_NTV_ENUM_UMASK_COMBOS 16 /* the next combination of unit masks */
#define PAPI_NTV_ENUM_IARR         17 /* events that an instruction address range can restrict */
#define PAPI_NTV_ENUM_DARR         18 /* events that a data address range can restrict */
#define PAPI_NTV_ENUM_OPCM         19 /* events that an opcode match can restrict */
#define PAPI_NTV_ENUM_IEAR         20 /* events of instruction address registers */
#define PAPI_NTV_ENUM_DEAR         21 /* events of data address registers */
#define PAPI_NTV_ENUM_GROUPS       22 /* groups the native event belongs to */

/* 3.5 names of the native modifiers. A "group" of the Pentium 4 is an event before its masks are chosen. */
#define PAPI_PENT4_ENUM_GROUPS PAPI_ENUM_EVENTS
#define PAPI_PENT4_ENUM_COMBOS PAPI_NTV_ENUM_UMASK_COMBOS
#define PAPI_PENT4_ENUM_BITS   PAPI_NTV_ENUM_UMASKS
#define PAPI_ITA_ENUM_IARR     PAPI_NTV_ENUM_IARR
#define PAPI_ITA_ENUM_DARR     PAPI_NTV_ENUM_DARR
#define PAPI_ITA_ENUM_OPCM     PAPI_NTV_ENUM_OPCM
#define PAPI_ITA_ENUM_IEAR     PAPI_NTV_ENUM_IEAR
#define PAPI_ITA_ENUM_DEAR     PAPI_NTV_ENUM_DEAR
#define PAPI_PWR4_ENUM_GROUPS  PAPI_NTV_ENUM_GROUPS

#define PAPI_NTV_GROUP_AND_MASK 0x00ff0000 /* where a native code of POWER keeps its group */
#define PAPI_NTV_GROUP_SHIFT    16

/* Bits of PAPI_event_info_t.event_type: the classes a preset belongs to, 1 << PAPI_PRESET_ENUM_... */
#define PAPI_PRESET_BIT_MSC  (1 << PAPI_PRESET_ENUM_MSC)
#define PAPI_PRESET_BIT_INS  (1 << PAPI_PRESET_ENUM_INS)
#define PAPI_PRESET_BIT_IDL  (1 << PAPI_PRESET_ENUM_IDL)
#define PAPI_PRESET_BIT_BR   (1 << PAPI_PRESET_ENUM_BR)
#define PAPI_PRESET_BIT_CND  (1 << PAPI_PRESET_ENUM_CND)
#define PAPI_PRESET_BIT_MEM  (1 << PAPI_PRESET_ENUM_MEM)
#define PAPI_PRESET_BIT_CACH (1 << PAPI_PRESET_ENUM_CACH)
#define PAPI_PRESET_BIT_L1   (1 << PAPI_PRESET_ENUM_L1)
#define PAPI_PRESET_BIT_L2   (1 << PAPI_PRESET_ENUM_L2)
#define PAPI_PRESET_BIT_L3   (1 << PAPI_PRESET_ENUM_L3)
#define PAPI_PRESET_BIT_TLB  (1 << PAPI_PRESET_ENUM_TLB)
#define PAPI_PRESET_BIT_FP   (1 << PAPI_PRESET_ENUM_FP)

/* ---- What is counted ----------------------------------------------------------------------------------- */

/* Domains: the modes of the processor in which an event counts. They can be combined with |. */
#define PAPI_DOM_USER       0x1 /* the program itself */
#define PAPI_DOM_KERNEL     0x2 /* the kernel */
#define PAPI_DOM_OTHER      0x4 /* exceptions and other modes */
#define PAPI_DOM_SUPERVISOR 0x8 /* the hypervisor */
#define PAPI_DOM_MIN        PAPI_DOM_USER
#define PAPI_DOM_ALL        (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_OTHER | PAPI_DOM_SUPERVISOR)
#define PAPI_DOM_MAX        PAPI_DOM_ALL
#define PAPI_DOM_HWSPEC     0x80000000 /* a mode that only the processor's manual explains */

/* Granularities: whose events are counted. */
#define PAPI_GRN_THR     0x1 /* one thread */
#define PAPI_GRN_MIN     PAPI_GRN_THR
#define PAPI_GRN_PROC    0x2  /* one process */
#define PAPI_GRN_PROCG   0x4  /* a process group */
#define PAPI_GRN_SYS     0x8  /* one CPU, the current one */
#define PAPI_GRN_SYS_CPU 0x10 /* every CPU of the machine */
#define PAPI_GRN_MAX     PAPI_GRN_SYS_CPU

/* Bits of PAPI_state. */
#define PAPI_STOPPED      0x01
#define PAPI_RUNNING      0x02
#define PAPI_PAUSED       0x04
#define PAPI_NOT_INIT     0x08
#define PAPI_OVERFLOWING  0x10
#define PAPI_PROFILING    0x20
#define PAPI_MULTIPLEXING 0x40
#define PAPI_ATTACHED     0x80
#define PAPI_CPU_ATTACHED 0x100
/* Reserved by the 3.5 reference and never reported. */
#define PAPI_ACCUMULATING 0x200
#define PAPI_HWPROFILING  0x400

/* ---- Options of PAPI_get_opt and PAPI_set_opt ---------------------------------------------------------- */

#define PAPI_DETACH           1
#define PAPI_DEBUG            2
#define PAPI_MULTIPLEX        3
#define PAPI_DEFDOM           4
#define PAPI_DOMAIN           5
#define PAPI_DEFGRN           6
#define PAPI_GRANUL           7
#define PAPI_DEF_MPX_NS       8
#define PAPI_MAX_MPX_CTRS     11
#define PAPI_PROFIL           12
#define PAPI_PRELOAD          13
#define PAPI_CLOCKRATE        14
#define PAPI_MAX_HWCTRS       15
#define PAPI_HWINFO           16
#define PAPI_EXEINFO          17
#define PAPI_MAX_CPUS         18
#define PAPI_ATTACH           19
#define PAPI_SHLIBINFO        20
#define PAPI_LIB_VERSION      21
#define PAPI_COMPONENTINFO    22
#define PAPI_SUBSTRATEINFO    PAPI_COMPONENTINFO /* 3.5 name */
#define PAPI_DATA_ADDRESS     23
#define PAPI_INSTR_ADDRESS    24
#define PAPI_DEF_ITIMER       25
#define PAPI_DEF_ITIMER_NS    26
#define PAPI_CPU_ATTACH       27
#define PAPI_INHERIT          28
#define PAPI_USER_EVENTS_FILE 29
/* The 3.5 option has a number of its own: its old one, 8, means nanoseconds to every 7.0 program. */
#define PAPI_DEF_MPX_USEC 100

/* Values of PAPI_inherit_option_t.inherit. */
#define PAPI_INHERIT_NONE 0
#define PAPI_INHERIT_ALL  1

/* Values of PAPI_multiplex_option_t.flags. */
#define PAPI_MULTIPLEX_DEFAULT  0x0 /* by the kernel where it can */
#define PAPI_MULTIPLEX_FORCE_SW 0x1 /* always by the library */

/* Levels of PAPI_set_debug: what happens when a call fails. */
#define PAPI_QUIET      0 /* nothing but the return code */
#define PAPI_VERB_ECONT 1 /* the error is printed */
#define PAPI_VERB_ESTOP 2 /* the error is printed and the program ends */

/* ---- Overflow and profiling ---------------------------------------------------------------------------- */

/* Flags of PAPI_overflow. */
#define PAPI_OVERFLOW_FORCE_SW 0x40
#define PAPI_OVERFLOW_HARDWARE 0x80

/* Flags of PAPI_profil and PAPI_sprofil. */
#define PAPI_PROFIL_POSIX     0x0   /* as profil(2) */
#define PAPI_PROFIL_RANDOM    0x1   /* drop a random quarter of the samples */
#define PAPI_PROFIL_WEIGHTED  0x2   /* weight each sample by how far the counter went over */
#define PAPI_PROFIL_COMPRESS  0x4   /* reserved */
#define PAPI_PROFIL_BUCKET_16 0x8   /* a bucket is an unsigned short */
#define PAPI_PROFIL_BUCKET_32 0x10  /* a bucket is an unsigned int */
#define PAPI_PROFIL_BUCKET_64 0x20  /* a bucket is an unsigned long long */
#define PAPI_PROFIL_FORCE_SW  0x40  /* use software overflow */
#define PAPI_PROFIL_DATA_EAR  0x80  /* addresses of data, from event address registers */
#define PAPI_PROFIL_INST_EAR  0x100 /* addresses of instructions, from event address registers */
#define PAPI_PROFIL_BUCKETS   (PAPI_PROFIL_BUCKET_16 | PAPI_PROFIL_BUCKET_32 | PAPI_PROFIL_BUCKET_64)

/* ---- Locks and thread storage -------------------------------------------------------------------------- */

#define PAPI_USR1_LOCK 0
#define PAPI_USR2_LOCK 1
#define PAPI_NUM_LOCK  2
#define PAPI_LOCK_USR1 PAPI_USR1_LOCK
#define PAPI_LOCK_USR2 PAPI_USR2_LOCK
#define PAPI_LOCK_NUM  PAPI_NUM_LOCK

#define PAPI_USR1_TLS        0
#define PAPI_USR2_TLS        1
#define PAPI_TLS_HIGH_LEVEL  2
#define PAPI_NUM_TLS         3
#define PAPI_TLS_USR1        PAPI_USR1_TLS
#define PAPI_TLS_USR2        PAPI_USR2_TLS
#define PAPI_TLS_NUM         PAPI_NUM_TLS
#define PAPI_TLS_ALL_THREADS 0x10 /* with a tag: the pointers of all threads */

/* ---- Machines ------------------------------------------------------------------------------------------ */

/* Makers of processors: PAPI_hw_info_t.vendor. */
#define PAPI_VENDOR_UNKNOWN   0
#define PAPI_VENDOR_INTEL     1
#define PAPI_VENDOR_AMD       2
#define PAPI_VENDOR_IBM       3
#define PAPI_VENDOR_CRAY      4
#define PAPI_VENDOR_SUN       5
#define PAPI_VENDOR_FREESCALE 6
#define PAPI_VENDOR_ARM       7
#define PAPI_VENDOR_MIPS      8
/* Arm processors are told apart by the implementer byte of their identification register. */
#define PAPI_VENDOR_ARM_ARM       0x41
#define PAPI_VENDOR_ARM_BROADCOM  0x42
#define PAPI_VENDOR_ARM_CAVIUM    0x43
#define PAPI_VENDOR_ARM_FUJITSU   0x46
#define PAPI_VENDOR_ARM_HISILICON 0x48
#define PAPI_VENDOR_ARM_APM       0x50
#define PAPI_VENDOR_ARM_QUALCOMM  0x51

/* Caches and TLBs: the kind, how it writes, how it replaces and how it allocates, combined with |. */
#define PAPI_MH_TYPE_EMPTY      0x0
#define PAPI_MH_TYPE_INST       0x1
#define PAPI_MH_TYPE_DATA       0x2
#define PAPI_MH_TYPE_UNIFIED    (PAPI_MH_TYPE_INST | PAPI_MH_TYPE_DATA)
#define PAPI_MH_TYPE_VECTOR     0x4
#define PAPI_MH_TYPE_TRACE      0x8
#define PAPI_MH_TYPE_WT         0x00 /* writes through */
#define PAPI_MH_TYPE_WB         0x10 /* writes back */
#define PAPI_MH_TYPE_UNKNOWN    0x000
#define PAPI_MH_TYPE_LRU        0x100
#define PAPI_MH_TYPE_PSEUDO_LRU 0x200
#define PAPI_MH_TYPE_FIFO       0x400
#define PAPI_MH_TYPE_TLB        0x1000
#define PAPI_MH_TYPE_PREF       0x2000
#define PAPI_MH_TYPE_RD_ALLOC   0x10000
#define PAPI_MH_TYPE_WR_ALLOC   0x20000
#define PAPI_MH_TYPE_RW_ALLOC   0x40000

/* The four out of such a combination. */
#define PAPI_MH_CACHE_TYPE(type)               (0xf & (type))
#define PAPI_MH_CACHE_WRITE_POLICY(type)       (0xf0 & (type))
#define PAPI_MH_CACHE_REPLACEMENT_POLICY(type) (0xf00 & (type))
#define PAPI_MH_CACHE_ALLOCATION_POLICY(type)  (0xf0000 & (type))

#define PAPI_MH_MAX_LEVELS            6 /* caches, and TLBs, on one level */
#define PAPI_MAX_MEM_HIERARCHY_LEVELS 4

/* Memory use in Fortran: indexes into the array of PAPIF_get_dmem_info, members of PAPI_dmem_info_t in C. */
#define PAPIF_DMEM_VMPEAK     1
#define PAPIF_DMEM_VMSIZE     2
#define PAPIF_DMEM_RESIDENT   3
#define PAPIF_DMEM_HIGH_WATER 4
#define PAPIF_DMEM_SHARED     5
#define PAPIF_DMEM_TEXT       6
#define PAPIF_DMEM_LIBRARY    7
#define PAPIF_DMEM_HEAP       8
#define PAPIF_DMEM_LOCKED     9
#define PAPIF_DMEM_STACK      10
#define PAPIF_DMEM_PAGESIZE   11
#define PAPIF_DMEM_PTE        12
#define PAPIF_DMEM_MAXVAL     12 /* how many there are */

/* ---- Attributes of an event: PAPI_event_info_t --------------------------------------------------------- */

enum {
	PAPI_LOCATION_CORE = 0, /* location: which part of the machine counts */
	PAPI_LOCATION_CPU = 1,
	PAPI_LOCATION_PACKAGE = 2,
	PAPI_LOCATION_UNCORE = 3
};

enum {
	PAPI_DATATYPE_INT64 = 0, /* data_type: how the eight bytes of a value are to be read */
	PAPI_DATATYPE_UINT64 = 1,
	PAPI_DATATYPE_FP64 = 2,
	PAPI_DATATYPE_BIT64 = 3
};

enum {
	PAPI_VALUETYPE_RUNNING_SUM = 0, /* value_type: a sum since start, or a reading as it is */
	PAPI_VALUETYPE_ABSOLUTE = 1
};

enum {
	PAPI_TIMESCOPE_SINCE_START = 0, /* timescope: what span of time a value speaks of */
	PAPI_TIMESCOPE_SINCE_LAST = 1,
	PAPI_TIMESCOPE_UNTIL_NEXT = 2,
	PAPI_TIMESCOPE_POINT = 3
};

enum {
	PAPI_UPDATETYPE_ARBITRARY = 0, /* update_type: when the source of the value changes it */
	PAPI_UPDATETYPE_PUSH = 1,
	PAPI_UPDATETYPE_PULL = 2,
	PAPI_UPDATETYPE_FIXEDFREQ = 3
};

/* ---- Devices -------------------------------------------------------------------------------------------- */

/* Kinds of device, as bits for PAPI_enum_dev_type. */
enum {
	PAPI_DEV_TYPE_ENUM__FIRST = 0,
	PAPI_DEV_TYPE_ENUM__CPU = 1,
	PAPI_DEV_TYPE_ENUM__CUDA = 2,
	PAPI_DEV_TYPE_ENUM__ROCM = 4,
	PAPI_DEV_TYPE_ENUM__ALL = 7
};

/* Kinds of device, as reported by PAPI_DEV_TYPE_ATTR__INT_PAPI_ID. */
typedef enum {
	PAPI_DEV_TYPE_ID__CPU = 0,
	PAPI_DEV_TYPE_ID__CUDA = 1,
	PAPI_DEV_TYPE_ID__ROCM = 2,
	PAPI_DEV_TYPE_ID__MAX_NUM = 3
} PAPI_dev_type_id_e;

/* What PAPI_get_dev_type_attr answers. The third word tells the type of *value. */
typedef enum {
	PAPI_DEV_TYPE_ATTR__INT_PAPI_ID = 0,
	PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID = 1,
	PAPI_DEV_TYPE_ATTR__CHAR_NAME = 2,
	PAPI_DEV_TYPE_ATTR__INT_COUNT = 3,
	PAPI_DEV_TYPE_ATTR__CHAR_STATUS = 4
} PAPI_dev_type_attr_e;

/* What PAPI_get_dev_attr answers. The third word tells the type of *value. */
typedef enum {
	PAPI_DEV_ATTR__CPU_CHAR_NAME = 0,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE = 1,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE = 2,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE = 3,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE = 4,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE = 5,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE = 6,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE = 7,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE = 8,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT = 9,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT = 10,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT = 11,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT = 12,
	PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC = 13,
	PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC = 14,
	PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC = 15,
	PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC = 16,
	PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT = 17,
	PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT = 18,
	PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT = 19,
	PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT = 20,
	PAPI_DEV_ATTR__CPU_UINT_FAMILY = 21,
	PAPI_DEV_ATTR__CPU_UINT_MODEL = 22,
	PAPI_DEV_ATTR__CPU_UINT_STEPPING = 23,
	PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE = 24,
	PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY = 25,
	PAPI_DEV_ATTR__CPU_UINT_THR_PER_NUMA = 26,
	PAPI_DEV_ATTR__CUDA_ULONG_UID = 27,
	PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME = 28,
	PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE = 29,
	PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK = 30,
	PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM = 31,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X = 32,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y = 33,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z = 34,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X = 35,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y = 36,
	PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z = 37,
	PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK = 38,
	PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT = 39,
	PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL = 40,
	PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM = 41,
	PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP = 42,
	PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR = 43,
	PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM = 44,
	PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR = 45,
	PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR = 46,
	PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM = 47,
	PAPI_DEV_ATTR__ROCM_ULONG_UID = 48,
	PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME = 49,
	PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE = 50,
	PAPI_DEV_ATTR__ROCM_UINT_WORKGROUP_SIZE = 51,
	PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU = 52,
	PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG = 53,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_X = 54,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Y = 55,
	PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Z = 56,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_X = 57,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Y = 58,
	PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Z = 59,
	PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT = 60,
	PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU = 61,
	PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR = 62,
	PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR = 63
} PAPI_dev_attr_e;

#endif
