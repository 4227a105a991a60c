! SPDX-License-Identifier: BSD-3-Clause
! Counts the page faults of a loop, in Fortran with the module.
!
!     gfortran -o first_module first_module.f90 $(pkg-config --cflags --libs papi) && ./first_module
program first_module
  use papi
  implicit none
  integer(c_int) :: set = PAPI_NULL, check
  integer(c_long_long) :: counts(1)
  real, allocatable :: field(:)

  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  if (check /= PAPI_VER_CURRENT) call fail('initializing')
  call papif_create_eventset(set, check)
  if (check /= PAPI_OK) call fail('making an event set')
  call papif_add_named_event(set, 'perf::PAGE-FAULTS', check)
  if (check /= PAPI_OK) call fail('adding the event')
  call papif_start(set, check)
  if (check /= PAPI_OK) call fail('starting')

  ! Memory is there only once it is written to, page by page.
  allocate (field(10000000))
  field = 1.0

  call papif_stop(set, counts, check)
  if (check /= PAPI_OK) call fail('stopping')
  if (sum(field) > 0) print '(i0,a)', counts(1), ' page faults'
contains
  subroutine fail(doing)
    character(len=*), intent(in) :: doing
    character(len=500) :: why

    call papif_error_detail(why)
    print '(3a)', doing, ': ', trim(why)
    stop 1
  end subroutine fail
end program first_module
