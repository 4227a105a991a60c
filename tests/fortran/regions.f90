! SPDX-License-Identifier: BSD-3-Clause
! Regions from Fortran: regions.sh chooses the events and looks at what the program leaves behind. Names come without
! the blanks that fill up their variables.
program regions
  implicit none
  include 'f90papi.h'
  character(len=40) :: name
  integer :: check, i, set

  call papif_hl_read('nothing has begun', check)
  call expect(check < 0, 'read without a region')
  call papif_hl_region_begin(repeat('x', 2000), check)
  call expect_equal(PAPI_EINVAL, check, 'a name that is too long')
  name = 'outer'
  call papif_hl_region_begin(name, check)
  call expect_equal(PAPI_OK, check, 'begin outer')
  do i = 1, 3
    call papif_hl_region_begin('inner', check)
    call expect_equal(PAPI_OK, check, 'begin inner')
    call touch_pages(10)
    call papif_hl_region_end('inner', check)
    call expect_equal(PAPI_OK, check, 'end inner')
  end do
  call papif_hl_read(name, check)
  call expect_equal(PAPI_OK, check, 'read outer')
  call papif_hl_region_end('never begun', check)
  call expect(check < 0, 'end of a region that has not begun')
  call papif_hl_region_end(name, check)
  call expect_equal(PAPI_OK, check, 'end outer')
  call papif_hl_stop(check)
  call expect_equal(PAPI_OK, check, 'stop')

  ! Marks are for a perfometer that listens; regions.sh sees to it that none does.
  call papif_perfometer(check)
  call expect_equal(0, check, 'perfometer')
  call papif_mark_perfometer(PAPI_MARK_RED, check)
  call expect_equal(PAPI_OK, check, 'a mark')
  call papif_mark_perfometer(-1, check)
  call expect_equal(PAPI_EINVAL, check, 'a mark without a colour')

  ! Regions begin also where nobody may count; but then there is nothing to look at.
  set = PAPI_NULL
  call papif_create_eventset(set, check)
  call papif_add_named_event(set, 'perf::PAGE-FAULTS', check)
  call need_counting(check)
  call check_done
end program regions
