! SPDX-License-Identifier: BSD-3-Clause
! The module papi: its interfaces are those of the library. Threads, timers, memory, devices, and the high level.
program module_test
  use papi
  implicit none
  integer(c_int) :: check, faults

  call high_level
  call rates
  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  call expect_equal(PAPI_VER_CURRENT, check, 'init')
  call threads
  call timers
  call memory
  call devices
  call check_done
contains

  ! The counters initialize the library themselves.
  subroutine high_level
    integer(c_int) :: number
    integer(c_long_long) :: values(1)

    call papif_num_counters(number)
    call expect(number >= 0, 'num_counters')
    call papif_event_name_to_code('perf::PAGE-FAULTS', faults, check)
    call need_counting(check)
    call expect_equal(PAPI_OK, check, 'code of faults')
    call papif_stop_counters(values, 1, check)
    call expect_equal(PAPI_ENOTRUN, check, 'stop_counters too early')
    call touch_pages(1)
    call papif_start_counters([faults], 1, check)
    call need_counting(check)
    call expect_equal(PAPI_OK, check, 'start_counters')
    call touch_pages(11)
    call papif_read_counters(values, 1, check)
    call expect_equal(PAPI_OK, check, 'read_counters')
    call expect_equal(11, int(values(1)), 'faults read')
    call touch_pages(5)
    values = 100
    call papif_accum_counters(values, 1, check)
    call expect_equal(PAPI_OK, check, 'accum_counters')
    call expect_equal(105, int(values(1)), 'faults added')
    call touch_pages(2)
    call papif_stop_counters(values, 0, check)
    call expect_equal(PAPI_EINVAL, check, 'no room')
    call papif_stop_counters(values, 1, check)
    call expect_equal(PAPI_OK, check, 'stop_counters')
    call expect_equal(2, int(values(1)), 'faults at stop')
  end subroutine high_level

  ! PAPI_OK where both events can be counted, else the first call says why not.
  integer function expected(first, second)
    integer(c_int), intent(in) :: first, second

    call papif_query_event(first, expected)
    if (expected == PAPI_OK) call papif_query_event(second, expected)
  end function expected

  subroutine finish(should, what)
    integer(c_int), intent(in) :: should
    character(len=*), intent(in) :: what

    call expect_equal(should, check, what)
    call papif_rate_stop(check)
    call expect_equal(merge(PAPI_OK, PAPI_ENOTRUN, should == PAPI_OK), check, what // ': rate_stop')
  end subroutine finish

  subroutine rates
    real(c_float) :: real_time, proc_time, rate
    integer(c_long_long) :: count, ref, core

    call papif_flips(real_time, proc_time, count, rate, check)
    call finish(expected(PAPI_FP_INS, PAPI_TOT_CYC), 'flips')
    call papif_flops(real_time, proc_time, count, rate, check)
    call finish(expected(PAPI_FP_OPS, PAPI_TOT_CYC), 'flops')
    call papif_ipc(real_time, proc_time, count, rate, check)
    call finish(expected(PAPI_TOT_INS, PAPI_TOT_CYC), 'ipc')
    call papif_flips_rate(PAPI_VEC_DP, real_time, proc_time, count, rate, check)
    call finish(expected(PAPI_VEC_DP, PAPI_VEC_DP), 'flips_rate')
    call papif_flops_rate(PAPI_DP_OPS, real_time, proc_time, count, rate, check)
    call finish(expected(PAPI_DP_OPS, PAPI_DP_OPS), 'flops_rate')
    call papif_flops_rate(PAPI_L1_DCM, real_time, proc_time, count, rate, check)
    call expect_equal(PAPI_EINVAL, check, 'flops_rate of misses')
    call papif_epc(7, real_time, proc_time, ref, core, count, rate, check)
    call expect_equal(PAPI_EINVAL, check, 'epc of nothing')
    call papif_epc(0, real_time, proc_time, ref, core, count, rate, check)
    if (expected(PAPI_TOT_INS, PAPI_TOT_CYC) == PAPI_OK) then
      call expect(check == PAPI_OK .or. check == PAPI_ENOEVNT, 'epc')
      call papif_rate_stop(check)
    else
      call finish(PAPI_ENOEVNT, 'epc')
    end if
  end subroutine rates

  integer(c_int) function number_of_thread()
    number_of_thread = -4711
  end function number_of_thread

  subroutine threads
    integer(c_int) :: id

    call papif_thread_id(id)
    call expect_equal(PAPI_EMISC, id, 'thread_id without a function')
    call papif_thread_init(number_of_thread, check)
    call expect_equal(PAPI_OK, check, 'thread_init')
    call papif_thread_id(id)
    call expect_equal(-4711, id, 'thread_id')
    call papif_register_thread(check)
    call expect_equal(PAPI_OK, check, 'register_thread')
    call papif_unregister_thread(check)
    call expect_equal(PAPI_OK, check, 'unregister_thread')
    call papif_unregster_thread(check)
    call expect_equal(PAPI_OK, check, 'unregister_thread, misspelt')
  end subroutine threads

  subroutine timers
    integer(c_long_long) :: before(5), after(5)

    call read_timers(before)
    call touch_pages(2000)
    call read_timers(after)
    call expect(all(after > before), 'all timers go on')
    call expect(abs(before(2) / 1000 - before(3)) < 1000000, 'nanoseconds and microseconds of the same clock')
  end subroutine timers

  subroutine read_timers(time)
    integer(c_long_long), intent(out) :: time(5)

    call papif_get_real_cyc(time(1))
    call papif_get_real_nsec(time(2))
    call papif_get_real_usec(time(3))
    call papif_get_virt_cyc(time(4))
    call papif_get_virt_usec(time(5))
  end subroutine read_timers

  subroutine memory
    integer(c_long_long) :: dmem(0:PAPIF_DMEM_MAXVAL + 1)

    dmem = -99
    call papif_get_dmem_info(dmem(1:PAPIF_DMEM_MAXVAL), check)
    call expect_equal(PAPI_OK, check, 'dmem_info')
    call expect(dmem(0) == -99 .and. dmem(PAPIF_DMEM_MAXVAL + 1) == -99, 'neighbours')
    call expect(dmem(PAPIF_DMEM_VMPEAK) >= dmem(PAPIF_DMEM_VMSIZE), 'peak and size')
    call expect(dmem(PAPIF_DMEM_VMSIZE) > dmem(PAPIF_DMEM_RESIDENT), 'size and resident')
    call expect(dmem(PAPIF_DMEM_HIGH_WATER) >= dmem(PAPIF_DMEM_RESIDENT), 'high water')
    call expect(dmem(PAPIF_DMEM_RESIDENT) >= dmem(PAPIF_DMEM_SHARED), 'shared')
    call expect(all(dmem([PAPIF_DMEM_TEXT, PAPIF_DMEM_LIBRARY, PAPIF_DMEM_HEAP, PAPIF_DMEM_STACK, PAPIF_DMEM_PTE]) > 0), &
      'parts')
    call expect(dmem(PAPIF_DMEM_LOCKED) >= 0, 'locked')
    call expect(modulo(dmem(PAPIF_DMEM_PAGESIZE), 4096_c_long_long) == 0, 'page size')
  end subroutine memory

  subroutine devices
    integer(c_int) :: handle, id, count, sockets, beside(2)
    character(len=64) :: name
    character(len=2) :: short
    character(len=1) :: none

    ! Four bytes of a handle are written and no more; the first one begins whatever was there.
    beside = 77
    beside(1) = 0
    call papif_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, beside(1), check)
    call expect_equal(PAPI_OK, check, 'enum_dev_type')
    call expect_equal(77, beside(2), 'what follows the handle')
    handle = beside(1)
    call expect(handle /= 0, 'a handle')
    none = '?'
    call papif_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, id, none, check)
    call expect_equal(PAPI_OK, check, 'id of the type')
    call expect_equal(PAPI_DEV_TYPE_ID__CPU, id, 'is CPU')
    call expect_text('?', none, 'no text')
    call papif_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, count, none, check)
    call expect(check == PAPI_OK .and. count > 0, 'devices')
    count = -5
    call papif_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, count, name, check)
    call expect(check == PAPI_OK .and. len_trim(name) > 0, 'name of the type')
    call expect_equal(-5, count, 'no value')
    call papif_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, count, short, check)
    call expect_text(name(1:2), short, 'name of the type, cut')
    call papif_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT, sockets, none, check)
    call expect(check == PAPI_OK .and. sockets > 0, 'sockets')
    call papif_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, count, name, check)
    call expect(check == PAPI_OK .and. len_trim(name) > 0, 'name of the CPU')
    call papif_get_dev_attr(handle, 0, 1000, sockets, none, check)
    call expect_equal(PAPI_ENOSUPP, check, 'no attribute')
    call papif_get_dev_attr(-1, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, count, name, check)
    call expect_equal(PAPI_EINVAL, check, 'no handle')
    call expect(name == ' ', 'no name')
    call papif_get_dev_attr(2000000000, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, count, name, check)
    call expect_equal(PAPI_EINVAL, check, 'a handle that was never given')
    ! There is one kind: the second call ends, and the handle begins again.
    call papif_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, handle, check)
    call expect_equal(PAPI_EINVAL, check, 'no more kinds')
    call expect_equal(0, handle, 'the handle after the last')
  end subroutine devices
end program module_test
