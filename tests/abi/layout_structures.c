/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes, offsets and types of every member of every structure of the 7.0 interface, on 64-bit machines.
 * Bit-fields have no offset: see bits.c.
 */
#include "layout.h"

SIZE(PAPI_option_t, 264);
MEMBER(PAPI_option_t, preload, PAPI_preload_info_t, 0, 258);
MEMBER(PAPI_option_t, debug, PAPI_debug_option_t, 0, 16);
MEMBER(PAPI_option_t, inherit, PAPI_inherit_option_t, 0, 8);
MEMBER(PAPI_option_t, granularity, PAPI_granularity_option_t, 0, 12);
MEMBER(PAPI_option_t, defgranularity, PAPI_granularity_option_t, 0, 12);
MEMBER(PAPI_option_t, domain, PAPI_domain_option_t, 0, 12);
MEMBER(PAPI_option_t, defdomain, PAPI_domain_option_t, 0, 12);
MEMBER(PAPI_option_t, attach, PAPI_attach_option_t, 0, 16);
MEMBER(PAPI_option_t, cpu, PAPI_cpu_option_t, 0, 8);
MEMBER(PAPI_option_t, multiplex, PAPI_multiplex_option_t, 0, 12);
MEMBER(PAPI_option_t, itimer, PAPI_itimer_option_t, 0, 16);
MEMBER(PAPI_option_t, hw_info, PAPI_hw_info_t *, 0, 8);
MEMBER(PAPI_option_t, shlib_info, PAPI_shlib_info_t *, 0, 8);
MEMBER(PAPI_option_t, exe_info, PAPI_exe_info_t *, 0, 8);
MEMBER(PAPI_option_t, cmp_info, PAPI_component_info_t *, 0, 8);
MEMBER(PAPI_option_t, addr, PAPI_addr_range_option_t, 0, 32);
MEMBER(PAPI_option_t, events_file, PAPI_user_defined_events_file_t, 0, 8);

SIZE(PAPI_preload_info_t, 258);
MEMBER(PAPI_preload_info_t, lib_preload_env, char[128], 0, 128);
MEMBER(PAPI_preload_info_t, lib_preload_sep, char, 128, 1);
MEMBER(PAPI_preload_info_t, lib_dir_env, char[128], 129, 128);
MEMBER(PAPI_preload_info_t, lib_dir_sep, char, 257, 1);

SIZE(PAPI_debug_option_t, 16);
MEMBER(PAPI_debug_option_t, level, int, 0, 4);
MEMBER(PAPI_debug_option_t, handler, PAPI_debug_handler_t, 8, 8);

SIZE(PAPI_inherit_option_t, 8);
MEMBER(PAPI_inherit_option_t, eventset, int, 0, 4);
MEMBER(PAPI_inherit_option_t, inherit, int, 4, 4);

SIZE(PAPI_granularity_option_t, 12);
MEMBER(PAPI_granularity_option_t, def_cidx, int, 0, 4);
MEMBER(PAPI_granularity_option_t, eventset, int, 4, 4);
MEMBER(PAPI_granularity_option_t, granularity, int, 8, 4);

SIZE(PAPI_domain_option_t, 12);
MEMBER(PAPI_domain_option_t, def_cidx, int, 0, 4);
MEMBER(PAPI_domain_option_t, eventset, int, 4, 4);
MEMBER(PAPI_domain_option_t, domain, int, 8, 4);

SIZE(PAPI_attach_option_t, 16);
MEMBER(PAPI_attach_option_t, eventset, int, 0, 4);
MEMBER(PAPI_attach_option_t, tid, unsigned long, 8, 8);

SIZE(PAPI_cpu_option_t, 8);
MEMBER(PAPI_cpu_option_t, eventset, int, 0, 4);
MEMBER(PAPI_cpu_option_t, cpu_num, unsigned int, 4, 4);

SIZE(PAPI_multiplex_option_t, 12);
MEMBER(PAPI_multiplex_option_t, eventset, int, 0, 4);
MEMBER(PAPI_multiplex_option_t, ns, int, 4, 4);
MEMBER(PAPI_multiplex_option_t, flags, int, 8, 4);

SIZE(PAPI_itimer_option_t, 16);
MEMBER(PAPI_itimer_option_t, itimer_num, int, 0, 4);
MEMBER(PAPI_itimer_option_t, itimer_sig, int, 4, 4);
MEMBER(PAPI_itimer_option_t, ns, int, 8, 4);
MEMBER(PAPI_itimer_option_t, flags, int, 12, 4);

SIZE(PAPI_addr_range_option_t, 32);
MEMBER(PAPI_addr_range_option_t, eventset, int, 0, 4);
MEMBER(PAPI_addr_range_option_t, start, vptr_t, 8, 8);
MEMBER(PAPI_addr_range_option_t, end, vptr_t, 16, 8);
MEMBER(PAPI_addr_range_option_t, start_off, int, 24, 4);
MEMBER(PAPI_addr_range_option_t, end_off, int, 28, 4);

SIZE(PAPI_mpx_info_t, 12);
MEMBER(PAPI_mpx_info_t, timer_sig, int, 0, 4);
MEMBER(PAPI_mpx_info_t, timer_num, int, 4, 4);
MEMBER(PAPI_mpx_info_t, timer_us, int, 8, 4);

SIZE(PAPI_all_thr_spec_t, 24);
MEMBER(PAPI_all_thr_spec_t, num, int, 0, 4);
MEMBER(PAPI_all_thr_spec_t, id, PAPI_thread_id_t *, 8, 8);
MEMBER(PAPI_all_thr_spec_t, data, void **, 16, 8);

SIZE(PAPI_sprofil_t, 32);
MEMBER(PAPI_sprofil_t, pr_base, void *, 0, 8);
MEMBER(PAPI_sprofil_t, pr_size, unsigned int, 8, 4);
MEMBER(PAPI_sprofil_t, pr_off, vptr_t, 16, 8);
MEMBER(PAPI_sprofil_t, pr_scale, unsigned int, 24, 4);

SIZE(PAPI_address_map_t, 1072);
MEMBER(PAPI_address_map_t, name, char[1024], 0, 1024);
MEMBER(PAPI_address_map_t, text_start, vptr_t, 1024, 8);
MEMBER(PAPI_address_map_t, text_end, vptr_t, 1032, 8);
MEMBER(PAPI_address_map_t, data_start, vptr_t, 1040, 8);
MEMBER(PAPI_address_map_t, data_end, vptr_t, 1048, 8);
MEMBER(PAPI_address_map_t, bss_start, vptr_t, 1056, 8);
MEMBER(PAPI_address_map_t, bss_end, vptr_t, 1064, 8);

SIZE(PAPI_exe_info_t, 2096);
MEMBER(PAPI_exe_info_t, fullname, char[1024], 0, 1024);
MEMBER(PAPI_exe_info_t, address_info, PAPI_address_map_t, 1024, 1072);

SIZE(PAPI_shlib_info_t, 16);
MEMBER(PAPI_shlib_info_t, map, PAPI_address_map_t *, 0, 8);
MEMBER(PAPI_shlib_info_t, count, int, 8, 4);

SIZE(PAPI_mh_tlb_info_t, 16);
MEMBER(PAPI_mh_tlb_info_t, type, int, 0, 4);
MEMBER(PAPI_mh_tlb_info_t, num_entries, int, 4, 4);
MEMBER(PAPI_mh_tlb_info_t, page_size, int, 8, 4);
MEMBER(PAPI_mh_tlb_info_t, associativity, int, 12, 4);

SIZE(PAPI_mh_cache_info_t, 20);
MEMBER(PAPI_mh_cache_info_t, type, int, 0, 4);
MEMBER(PAPI_mh_cache_info_t, size, int, 4, 4);
MEMBER(PAPI_mh_cache_info_t, line_size, int, 8, 4);
MEMBER(PAPI_mh_cache_info_t, num_lines, int, 12, 4);
MEMBER(PAPI_mh_cache_info_t, associativity, int, 16, 4);

SIZE(PAPI_mh_level_t, 216);
MEMBER(PAPI_mh_level_t, tlb, PAPI_mh_tlb_info_t[6], 0, 96);
MEMBER(PAPI_mh_level_t, cache, PAPI_mh_cache_info_t[6], 96, 120);

SIZE(PAPI_mh_info_t, 868);
MEMBER(PAPI_mh_info_t, levels, int, 0, 4);
MEMBER(PAPI_mh_info_t, level, PAPI_mh_level_t[4], 4, 864);

SIZE(PAPI_hw_info_t, 1480);
MEMBER(PAPI_hw_info_t, ncpu, int, 0, 4);
MEMBER(PAPI_hw_info_t, threads, int, 4, 4);
MEMBER(PAPI_hw_info_t, cores, int, 8, 4);
MEMBER(PAPI_hw_info_t, sockets, int, 12, 4);
MEMBER(PAPI_hw_info_t, nnodes, int, 16, 4);
MEMBER(PAPI_hw_info_t, totalcpus, int, 20, 4);
MEMBER(PAPI_hw_info_t, vendor, int, 24, 4);
MEMBER(PAPI_hw_info_t, vendor_string, char[128], 28, 128);
MEMBER(PAPI_hw_info_t, model, int, 156, 4);
MEMBER(PAPI_hw_info_t, model_string, char[128], 160, 128);
MEMBER(PAPI_hw_info_t, revision, float, 288, 4);
MEMBER(PAPI_hw_info_t, cpuid_family, int, 292, 4);
MEMBER(PAPI_hw_info_t, cpuid_model, int, 296, 4);
MEMBER(PAPI_hw_info_t, cpuid_stepping, int, 300, 4);
MEMBER(PAPI_hw_info_t, cpu_max_mhz, int, 304, 4);
MEMBER(PAPI_hw_info_t, cpu_min_mhz, int, 308, 4);
MEMBER(PAPI_hw_info_t, mem_hierarchy, PAPI_mh_info_t, 312, 868);
MEMBER(PAPI_hw_info_t, virtualized, int, 1180, 4);
MEMBER(PAPI_hw_info_t, virtual_vendor_string, char[128], 1184, 128);
MEMBER(PAPI_hw_info_t, virtual_vendor_version, char[128], 1312, 128);
MEMBER(PAPI_hw_info_t, mhz, float, 1440, 4);
MEMBER(PAPI_hw_info_t, clock_mhz, int, 1444, 4);
MEMBER(PAPI_hw_info_t, reserved, int[8], 1448, 32);

SIZE(PAPI_dmem_info_t, 96);
MEMBER(PAPI_dmem_info_t, peak, long long, 0, 8);
MEMBER(PAPI_dmem_info_t, size, long long, 8, 8);
MEMBER(PAPI_dmem_info_t, resident, long long, 16, 8);
MEMBER(PAPI_dmem_info_t, high_water_mark, long long, 24, 8);
MEMBER(PAPI_dmem_info_t, shared, long long, 32, 8);
MEMBER(PAPI_dmem_info_t, text, long long, 40, 8);
MEMBER(PAPI_dmem_info_t, library, long long, 48, 8);
MEMBER(PAPI_dmem_info_t, heap, long long, 56, 8);
MEMBER(PAPI_dmem_info_t, locked, long long, 64, 8);
MEMBER(PAPI_dmem_info_t, stack, long long, 72, 8);
MEMBER(PAPI_dmem_info_t, pagesize, long long, 80, 8);
MEMBER(PAPI_dmem_info_t, pte, long long, 88, 8);

SIZE(PAPI_event_info_t, 6680);
MEMBER(PAPI_event_info_t, event_code, unsigned int, 0, 4);
MEMBER(PAPI_event_info_t, symbol, char[1024], 4, 1024);
MEMBER(PAPI_event_info_t, short_descr, char[64], 1028, 64);
MEMBER(PAPI_event_info_t, long_descr, char[1024], 1092, 1024);
MEMBER(PAPI_event_info_t, component_index, int, 2116, 4);
MEMBER(PAPI_event_info_t, units, char[64], 2120, 64);
MEMBER(PAPI_event_info_t, location, int, 2184, 4);
MEMBER(PAPI_event_info_t, data_type, int, 2188, 4);
MEMBER(PAPI_event_info_t, value_type, int, 2192, 4);
MEMBER(PAPI_event_info_t, timescope, int, 2196, 4);
MEMBER(PAPI_event_info_t, update_type, int, 2200, 4);
MEMBER(PAPI_event_info_t, update_freq, int, 2204, 4);
MEMBER(PAPI_event_info_t, count, unsigned int, 2208, 4);
MEMBER(PAPI_event_info_t, event_type, unsigned int, 2212, 4);
MEMBER(PAPI_event_info_t, derived, char[64], 2216, 64);
MEMBER(PAPI_event_info_t, postfix, char[256], 2280, 256);
MEMBER(PAPI_event_info_t, code, unsigned int[12], 2536, 48);
MEMBER(PAPI_event_info_t, name, char[12][256], 2584, 3072);
MEMBER(PAPI_event_info_t, note, char[1024], 5656, 1024);

SIZE(PAPI_component_info_t, 2272);
MEMBER(PAPI_component_info_t, name, char[128], 0, 128);
MEMBER(PAPI_component_info_t, short_name, char[64], 128, 64);
MEMBER(PAPI_component_info_t, description, char[128], 192, 128);
MEMBER(PAPI_component_info_t, version, char[64], 320, 64);
MEMBER(PAPI_component_info_t, support_version, char[64], 384, 64);
MEMBER(PAPI_component_info_t, kernel_version, char[64], 448, 64);
MEMBER(PAPI_component_info_t, disabled_reason, char[1024], 512, 1024);
MEMBER(PAPI_component_info_t, disabled, int, 1536, 4);
MEMBER(PAPI_component_info_t, initialized, int, 1540, 4);
MEMBER(PAPI_component_info_t, CmpIdx, int, 1544, 4);
MEMBER(PAPI_component_info_t, num_cntrs, int, 1548, 4);
MEMBER(PAPI_component_info_t, num_mpx_cntrs, int, 1552, 4);
MEMBER(PAPI_component_info_t, num_preset_events, int, 1556, 4);
MEMBER(PAPI_component_info_t, num_native_events, int, 1560, 4);
MEMBER(PAPI_component_info_t, default_domain, int, 1564, 4);
MEMBER(PAPI_component_info_t, available_domains, int, 1568, 4);
MEMBER(PAPI_component_info_t, default_granularity, int, 1572, 4);
MEMBER(PAPI_component_info_t, available_granularities, int, 1576, 4);
MEMBER(PAPI_component_info_t, hardware_intr_sig, int, 1580, 4);
MEMBER(PAPI_component_info_t, component_type, int, 1584, 4);
MEMBER(PAPI_component_info_t, pmu_names, char *[80], 1592, 640);
MEMBER(PAPI_component_info_t, reserved, int[8], 2232, 32);

/* Types behind the members. */
TYPE(vptr_t, void *);
TYPE(PAPI_thread_id_t, unsigned long);
TYPE(PAPI_user_defined_events_file_t, char *);
TYPE(PAPI_debug_handler_t, int (*)(int));
TYPE(PAPI_overflow_handler_t, void (*)(int, void *, long long, void *));
SIZE(PAPI_dev_attr_e, 4);
SIZE(PAPI_dev_type_attr_e, 4);
