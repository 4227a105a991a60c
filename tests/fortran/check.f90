! SPDX-License-Identifier: BSD-3-Clause
! Expectations for the Fortran tests, as external procedures: the fixed-form programs know no modules. An expectation
! that fails prints what was expected, what came and the library's own words, and the test goes on; check_done ends it.
module check_state
  implicit none
  integer :: failures = 0, expectations = 0
end module check_state

subroutine check_failed(what)
  use check_state
  implicit none
  character(len=*), intent(in) :: what
  character(len=1024) :: detail

  failures = failures + 1
  detail = ' '
  call papif_error_detail(detail)
  print '(4a)', 'FAILED ', what, '; last error: ', trim(detail)
end subroutine check_failed

subroutine expect(holds, what)
  use check_state
  implicit none
  logical, intent(in) :: holds
  character(len=*), intent(in) :: what

  expectations = expectations + 1
  if (.not. holds) call check_failed(what)
end subroutine expect

subroutine expect_equal(expected, got, what)
  use check_state
  implicit none
  integer, intent(in) :: expected, got
  character(len=*), intent(in) :: what
  character(len=32) :: first, second

  expectations = expectations + 1
  if (expected == got) return
  write (first, *) expected
  write (second, *) got
  call check_failed(what // ': expected ' // trim(adjustl(first)) // ', got ' // trim(adjustl(second)))
end subroutine expect_equal

! Blanks on the right count too: both must be as long as each other.
subroutine expect_text(expected, got, what)
  use check_state
  implicit none
  character(len=*), intent(in) :: expected, got, what

  expectations = expectations + 1
  if (len(expected) == len(got) .and. expected == got) return
  call check_failed(what // ': expected "' // expected // '", got "' // got // '"')
end subroutine expect_text

! For the first thing to fail where the system lets nobody count.
subroutine need_counting(status)
  implicit none
  integer, intent(in) :: status
  include 'f90papi.h'

  if (status /= PAPI_EPERM .and. status /= PAPI_ECMP_DISABLED) return
  print '(a)', 'skipped: the system does not permit counting (perf_event_paranoid, seccomp)'
  call exit(77)
end subroutine need_counting

subroutine check_done
  use check_state
  implicit none

  print '(i0,a,i0,a)', expectations, ' expectations, ', failures, ' failed'
  if (failures > 0 .or. expectations == 0) call exit(1)
end subroutine check_done
