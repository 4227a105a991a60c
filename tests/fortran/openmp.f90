! SPDX-License-Identifier: BSD-3-Clause
! Threads of OpenMP: each has an event set of its own and counts its own page faults, at the same time as the others. The
! number of a thread is what OpenMP calls it. Expectations are checked afterwards, since printing and failing is not for
! several threads at once.
program openmp
  use papi
  use omp_lib
  implicit none
  integer, parameter :: threads = 4, rounds = 20
  integer(c_int) :: check, id(0:threads - 1), failed(0:threads - 1), wrong(0:threads - 1)
  integer :: me

  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  call expect_equal(PAPI_VER_CURRENT, check, 'init')
  call papif_thread_init(omp_get_thread_num, check)
  call expect_equal(PAPI_OK, check, 'thread_init')
  id = -1
  failed = -1
  wrong = -1
  !$omp parallel num_threads(threads) private(me)
  me = omp_get_thread_num()
  call papif_thread_id(id(me))
  call count(me, failed(me), wrong(me))
  !$omp end parallel
  call need_counting(failed(0))
  do me = 0, threads - 1
    call expect_equal(me, id(me), 'number of a thread')
    call expect_equal(PAPI_OK, failed(me), 'counting in a thread')
    call expect_equal(0, wrong(me), 'rounds with a wrong count in a thread')
  end do
  call check_done
contains

  subroutine count(me, failed, wrong)
    integer, intent(in) :: me
    integer(c_int), intent(out) :: failed, wrong
    integer(c_int) :: set
    integer(c_long_long) :: values(1)
    integer :: round, pages

    wrong = 0
    set = PAPI_NULL
    call papif_create_eventset(set, failed)
    call papif_add_named_event(set, 'perf::PAGE-FAULTS', failed)
    if (failed /= PAPI_OK) return
    call touch_pages(1)
    do round = 1, rounds
      pages = 10 * (me + 1) + round
      call papif_start(set, failed)
      if (failed /= PAPI_OK) return
      call touch_pages(pages)
      call papif_stop(set, values, failed)
      if (failed /= PAPI_OK) return
      if (values(1) /= pages) wrong = wrong + 1
    end do
    call papif_cleanup_eventset(set, failed)
    if (failed == PAPI_OK) call papif_destroy_eventset(set, failed)
  end subroutine count
end program openmp
