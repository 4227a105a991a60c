! SPDX-License-Identifier: BSD-3-Clause
! The Fortran interface of PAPI as a module: constants, and interfaces that let the compiler check each call.
!
!     use papi
!
! Routines without CHARACTER arguments are bound to C. The others take the length of a CHARACTER argument the way of the
! compiler, so they are plain external procedures. In both cases they are the routines that fpapi.h is for, and the
! module holds no code: nothing but -lpapi is needed to link. doc/fortran.md is the manual.
module papi
  use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double, c_long_long
  implicit none
  public

  include 'f90papi.h'

  ! ---- Initialization and errors ---------------------------------------------------------------------------

  interface
    subroutine papif_library_init(check) bind(C, name='papif_library_init_')
      import :: c_int
      integer(c_int), intent(inout) :: check ! in: PAPI_VER_CURRENT
    end subroutine

    subroutine papif_is_initialized(level) bind(C, name='papif_is_initialized_')
      import :: c_int
      integer(c_int), intent(out) :: level
    end subroutine

    subroutine papif_shutdown() bind(C, name='papif_shutdown_')
    end subroutine

    subroutine papif_set_debug(debug, check) bind(C, name='papif_set_debug_')
      import :: c_int
      integer(c_int), intent(in) :: debug
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_perror(code, destination, check)
      import :: c_int
      integer(c_int), intent(in) :: code
      character(len=*), intent(out) :: destination
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_error_detail(detail)
      character(len=*), intent(out) :: detail ! why the last call of this thread that failed has failed
    end subroutine
  end interface

  ! ---- Event sets ------------------------------------------------------------------------------------------

  interface
    subroutine papif_create_eventset(EventSet, check) bind(C, name='papif_create_eventset_')
      import :: c_int
      integer(c_int), intent(inout) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_cleanup_eventset(EventSet, check) bind(C, name='papif_cleanup_eventset_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_destroy_eventset(EventSet, check) bind(C, name='papif_destroy_eventset_')
      import :: c_int
      integer(c_int), intent(inout) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_assign_eventset_component(EventSet, cidx, check) bind(C, name='papif_assign_eventset_component_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, cidx
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_add_event(EventSet, EventCode, check) bind(C, name='papif_add_event_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, EventCode
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_add_events(EventSet, EventCodes, number, check) bind(C, name='papif_add_events_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, EventCodes(*), number
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_add_named_event(EventSet, EventName, check)
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      character(len=*), intent(in) :: EventName
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_remove_event(EventSet, EventCode, check) bind(C, name='papif_remove_event_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, EventCode
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_remove_events(EventSet, EventCodes, number, check) bind(C, name='papif_remove_events_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, EventCodes(*), number
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_remove_named_event(EventSet, EventName, check)
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      character(len=*), intent(in) :: EventName
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_list_events(EventSet, Events, number, check) bind(C, name='papif_list_events_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(inout) :: Events(*), number
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_num_events(EventSet, count) bind(C, name='papif_num_events_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: count
    end subroutine

    subroutine papif_state(EventSet, status, check) bind(C, name='papif_state_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: status, check
    end subroutine
  end interface

  ! ---- Counting --------------------------------------------------------------------------------------------

  interface
    subroutine papif_start(EventSet, check) bind(C, name='papif_start_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_stop(EventSet, values, check) bind(C, name='papif_stop_')
      import :: c_int, c_long_long
      integer(c_int), intent(in) :: EventSet
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_read(EventSet, values, check) bind(C, name='papif_read_')
      import :: c_int, c_long_long
      integer(c_int), intent(in) :: EventSet
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_read_ts(EventSet, values, cycles, check) bind(C, name='papif_read_ts_')
      import :: c_int, c_long_long
      integer(c_int), intent(in) :: EventSet
      integer(c_long_long), intent(inout) :: values(*), cycles
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_accum(EventSet, values, check) bind(C, name='papif_accum_')
      import :: c_int, c_long_long
      integer(c_int), intent(in) :: EventSet
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_reset(EventSet, check) bind(C, name='papif_reset_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_write(EventSet, values, check) bind(C, name='papif_write_')
      import :: c_int, c_long_long
      integer(c_int), intent(in) :: EventSet
      integer(c_long_long), intent(in) :: values(*)
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- Events ----------------------------------------------------------------------------------------------

  interface
    subroutine papif_event_code_to_name(EventCode, EventName, check)
      import :: c_int
      integer(c_int), intent(in) :: EventCode
      character(len=*), intent(out) :: EventName
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_event_name_to_code(EventName, EventCode, check)
      import :: c_int
      character(len=*), intent(in) :: EventName
      integer(c_int), intent(inout) :: EventCode
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_query_event(EventCode, check) bind(C, name='papif_query_event_')
      import :: c_int
      integer(c_int), intent(in) :: EventCode
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_query_named_event(EventName, check)
      import :: c_int
      character(len=*), intent(in) :: EventName
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_enum_event(EventCode, modifier, check) bind(C, name='papif_enum_event_')
      import :: c_int
      integer(c_int), intent(inout) :: EventCode
      integer(c_int), intent(in) :: modifier
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_event_info(EventCode, symbol, long_descr, short_descr, count, event_note, flags, check)
      import :: c_int
      integer(c_int), intent(in) :: EventCode
      character(len=*), intent(out) :: symbol, long_descr, short_descr
      integer(c_int), intent(out) :: count
      character(len=*), intent(out) :: event_note
      integer(c_int), intent(out) :: flags, check
    end subroutine

    subroutine papif_num_hwctrs(num) bind(C, name='papif_num_hwctrs_')
      import :: c_int
      integer(c_int), intent(out) :: num
    end subroutine

    subroutine papif_num_cmp_hwctrs(cidx, num) bind(C, name='papif_num_cmp_hwctrs_')
      import :: c_int
      integer(c_int), intent(in) :: cidx
      integer(c_int), intent(out) :: num
    end subroutine
  end interface

  ! ---- Options ---------------------------------------------------------------------------------------------

  interface
    subroutine papif_set_domain(domain, check) bind(C, name='papif_set_domain_')
      import :: c_int
      integer(c_int), intent(in) :: domain
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_set_cmp_domain(domain, cidx, check) bind(C, name='papif_set_cmp_domain_')
      import :: c_int
      integer(c_int), intent(in) :: domain, cidx
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_set_event_domain(EventSet, domain, check) bind(C, name='papif_set_event_domain_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet, domain
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_domain(EventSet, domain, mode, check) bind(C, name='papif_get_domain_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(inout) :: domain
      integer(c_int), intent(in) :: mode
      integer(c_int), intent(out) :: check ! mode: PAPI_DOMAIN or PAPI_DEFDOM
    end subroutine

    subroutine papif_set_granularity(granularity, check) bind(C, name='papif_set_granularity_')
      import :: c_int
      integer(c_int), intent(in) :: granularity
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_set_cmp_granularity(granularity, cidx, check) bind(C, name='papif_set_cmp_granularity_')
      import :: c_int
      integer(c_int), intent(in) :: granularity, cidx
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_granularity(EventSet, granularity, mode, check) bind(C, name='papif_get_granularity_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(inout) :: granularity
      integer(c_int), intent(in) :: mode
      integer(c_int), intent(out) :: check ! mode: PAPI_GRANUL or PAPI_DEFGRN
    end subroutine

    subroutine papif_set_inherit(inherit, check) bind(C, name='papif_set_inherit_')
      import :: c_int
      integer(c_int), intent(in) :: inherit
      integer(c_int), intent(out) :: check ! for event sets made from now on
    end subroutine

    subroutine papif_multiplex_init(check) bind(C, name='papif_multiplex_init_')
      import :: c_int
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_set_multiplex(EventSet, check) bind(C, name='papif_set_multiplex_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_multiplex(EventSet, check) bind(C, name='papif_get_multiplex_')
      import :: c_int
      integer(c_int), intent(in) :: EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_clockrate(clockrate) bind(C, name='papif_get_clockrate_')
      import :: c_int
      integer(c_int), intent(out) :: clockrate
    end subroutine

    subroutine papif_get_preload(preload, check)
      import :: c_int
      character(len=*), intent(out) :: preload
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- Threads and timers ----------------------------------------------------------------------------------

  interface
    subroutine papif_thread_init(handle, check)
      import :: c_int
      interface
        integer(c_int) function handle()
          import :: c_int
        end function
      end interface
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_thread_id(id) bind(C, name='papif_thread_id_')
      import :: c_int
      integer(c_int), intent(out) :: id
    end subroutine

    subroutine papif_register_thread(check) bind(C, name='papif_register_thread_')
      import :: c_int
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_unregister_thread(check) bind(C, name='papif_unregister_thread_')
      import :: c_int
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_lock(lock) bind(C, name='papif_lock_')
      import :: c_int
      integer(c_int), intent(in) :: lock
    end subroutine

    subroutine papif_unlock(lock) bind(C, name='papif_unlock_')
      import :: c_int
      integer(c_int), intent(in) :: lock
    end subroutine

    subroutine papif_get_real_cyc(real_cyc) bind(C, name='papif_get_real_cyc_')
      import :: c_long_long
      integer(c_long_long), intent(out) :: real_cyc
    end subroutine

    subroutine papif_get_real_nsec(time) bind(C, name='papif_get_real_nsec_')
      import :: c_long_long
      integer(c_long_long), intent(out) :: time
    end subroutine

    subroutine papif_get_real_usec(time) bind(C, name='papif_get_real_usec_')
      import :: c_long_long
      integer(c_long_long), intent(out) :: time
    end subroutine

    subroutine papif_get_virt_cyc(virt_cyc) bind(C, name='papif_get_virt_cyc_')
      import :: c_long_long
      integer(c_long_long), intent(out) :: virt_cyc
    end subroutine

    subroutine papif_get_virt_usec(time) bind(C, name='papif_get_virt_usec_')
      import :: c_long_long
      integer(c_long_long), intent(out) :: time
    end subroutine
  end interface

  ! ---- Machine, program and devices ------------------------------------------------------------------------

  interface
    subroutine papif_get_dmem_info(dmem, check) bind(C, name='papif_get_dmem_info_')
      import :: c_int, c_long_long, PAPIF_DMEM_MAXVAL
      integer(c_long_long), intent(inout) :: dmem(PAPIF_DMEM_MAXVAL)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_exe_info(fullname, name, text_start, text_end, data_start, data_end, bss_start, &
      bss_end, check)
      import :: c_int, c_long_long
      character(len=*), intent(out) :: fullname, name
      integer(c_long_long), intent(out) :: text_start, text_end, data_start, data_end, bss_start, bss_end
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, &
      revision, mhz)
      import :: c_int, c_float
      integer(c_int), intent(out) :: ncpu, nnodes, totalcpus, vendor
      character(len=*), intent(out) :: vendor_string
      integer(c_int), intent(out) :: model
      character(len=*), intent(out) :: model_string
      real(c_float), intent(out) :: revision, mhz
    end subroutine

    subroutine papif_enum_dev_type(modifier, handle, check) bind(C, name='papif_enum_dev_type_')
      import :: c_int
      integer(c_int), intent(in) :: modifier
      integer(c_int), intent(inout) :: handle
      integer(c_int), intent(out) :: check
    end subroutine

    ! Attributes with CHAR in their names write the string only, the others the value only.
    subroutine papif_get_dev_type_attr(handle, attribute, value, string, check)
      import :: c_int
      integer(c_int), intent(in) :: handle, attribute
      integer(c_int), intent(inout) :: value
      character(len=*), intent(inout) :: string
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_get_dev_attr(handle, id, attribute, value, string, check)
      import :: c_int
      integer(c_int), intent(in) :: handle, id, attribute
      integer(c_int), intent(inout) :: value
      character(len=*), intent(inout) :: string
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- Counters and rates of the high level ----------------------------------------------------------------

  interface
    subroutine papif_num_counters(number) bind(C, name='papif_num_counters_')
      import :: c_int
      integer(c_int), intent(out) :: number
    end subroutine

    subroutine papif_start_counters(events, array_len, check) bind(C, name='papif_start_counters_')
      import :: c_int
      integer(c_int), intent(in) :: events(*), array_len
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_stop_counters(values, array_len, check) bind(C, name='papif_stop_counters_')
      import :: c_int, c_long_long
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(in) :: array_len
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_read_counters(values, array_len, check) bind(C, name='papif_read_counters_')
      import :: c_int, c_long_long
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(in) :: array_len
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_accum_counters(values, array_len, check) bind(C, name='papif_accum_counters_')
      import :: c_int, c_long_long
      integer(c_long_long), intent(inout) :: values(*)
      integer(c_int), intent(in) :: array_len
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_flips(real_time, proc_time, flpins, mflips, check) bind(C, name='papif_flips_')
      import :: c_int, c_long_long, c_float
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: flpins
      real(c_float), intent(inout) :: mflips
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_flops(real_time, proc_time, flpops, mflops, check) bind(C, name='papif_flops_')
      import :: c_int, c_long_long, c_float
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: flpops
      real(c_float), intent(inout) :: mflops
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_ipc(real_time, proc_time, ins, ipc, check) bind(C, name='papif_ipc_')
      import :: c_int, c_long_long, c_float
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: ins
      real(c_float), intent(inout) :: ipc
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_flips_rate(event, real_time, proc_time, flpins, mflips, check) bind(C, name='papif_flips_rate_')
      import :: c_int, c_long_long, c_float
      integer(c_int), intent(in) :: event
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: flpins
      real(c_float), intent(inout) :: mflips
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_flops_rate(event, real_time, proc_time, flpops, mflops, check) bind(C, name='papif_flops_rate_')
      import :: c_int, c_long_long, c_float
      integer(c_int), intent(in) :: event
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: flpops
      real(c_float), intent(inout) :: mflops
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_epc(event, real_time, proc_time, ref, core, evt, epc, check) bind(C, name='papif_epc_')
      import :: c_int, c_long_long, c_float
      integer(c_int), intent(in) :: event
      real(c_float), intent(inout) :: real_time, proc_time
      integer(c_long_long), intent(inout) :: ref, core, evt
      real(c_float), intent(inout) :: epc
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_rate_stop(check) bind(C, name='papif_rate_stop_')
      import :: c_int
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- Regions of the high level ---------------------------------------------------------------------------

  interface
    subroutine papif_hl_region_begin(region, check)
      import :: c_int
      character(len=*), intent(in) :: region
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_hl_read(region, check)
      import :: c_int
      character(len=*), intent(in) :: region
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_hl_region_end(region, check)
      import :: c_int
      character(len=*), intent(in) :: region
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_hl_stop(check) bind(C, name='papif_hl_stop_')
      import :: c_int
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- Metrics, whose groups, numbers and events begin at 0: extensions of this library --------------------

  interface
    subroutine papif_metric_load(file, check)
      import :: c_int
      character(len=*), intent(in) :: file
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_groups(number) bind(C, name='papif_metric_groups_')
      import :: c_int
      integer(c_int), intent(out) :: number
    end subroutine

    subroutine papif_metric_group(name, group)
      import :: c_int
      character(len=*), intent(in) :: name
      integer(c_int), intent(out) :: group
    end subroutine

    subroutine papif_metric_group_info(group, name, description, file, metrics, events, rules, check)
      import :: c_int
      integer(c_int), intent(in) :: group
      character(len=*), intent(out) :: name, description, file
      integer(c_int), intent(out) :: metrics, events, rules, check
    end subroutine

    subroutine papif_metric_info(group, metric, name, unit, short_descr, long_descr, worth, why, check)
      import :: c_int
      integer(c_int), intent(in) :: group, metric
      character(len=*), intent(out) :: name, unit, short_descr, long_descr, worth, why
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_event(group, event, name, check)
      import :: c_int
      integer(c_int), intent(in) :: group, event
      character(len=*), intent(out) :: name
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_add(group, EventSet, check) bind(C, name='papif_metric_add_')
      import :: c_int
      integer(c_int), intent(in) :: group, EventSet
      integer(c_int), intent(out) :: check
    end subroutine

    ! seconds: 0 when they are not known. metrics: one for each metric of the group, NaN where there is no value.
    subroutine papif_metric_values(group, EventSet, values, seconds, metrics, check) &
      bind(C, name='papif_metric_values_')
      import :: c_int, c_long_long, c_double
      integer(c_int), intent(in) :: group, EventSet
      integer(c_long_long), intent(in) :: values(*)
      real(c_double), intent(in) :: seconds
      real(c_double), intent(inout) :: metrics(*)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_evaluate(group, counts, seconds, metrics, check) bind(C, name='papif_metric_evaluate_')
      import :: c_int, c_double
      integer(c_int), intent(in) :: group
      real(c_double), intent(in) :: counts(*), seconds
      real(c_double), intent(inout) :: metrics(*)
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_text(group, metric, value, text, check)
      import :: c_int, c_double
      integer(c_int), intent(in) :: group, metric
      real(c_double), intent(in) :: value
      character(len=*), intent(out) :: text
      integer(c_int), intent(out) :: check
    end subroutine

    subroutine papif_metric_finding(group, rule, metrics, beyond, sentence, check)
      import :: c_int, c_double
      integer(c_int), intent(in) :: group, rule
      real(c_double), intent(in) :: metrics(*)
      real(c_double), intent(out) :: beyond
      character(len=*), intent(out) :: sentence
      integer(c_int), intent(out) :: check
    end subroutine
  end interface

  ! ---- A program that is shown while it runs: extensions of this library -----------------------------------

  interface
    subroutine papif_perfometer(listens) bind(C, name='papif_perfometer_')
      import :: c_int
      integer(c_int), intent(out) :: listens
    end subroutine

    subroutine papif_mark_perfometer(color, check) bind(C, name='papif_mark_perfometer_')
      import :: c_int
      integer(c_int), intent(in) :: color
      integer(c_int), intent(out) :: check
    end subroutine
  end interface
end module papi
