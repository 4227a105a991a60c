! SPDX-License-Identifier: BSD-3-Clause
! PAPIF_perror as programs for 7.0 call it: one argument, and the last error on standard error. message.sh looks at it.
program message
  implicit none
  include 'f90papi.h'
  integer :: check

  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  call papif_query_named_event('rusage:::nothing', check)
  call papif_perror('asking for an event   ')
end program message
