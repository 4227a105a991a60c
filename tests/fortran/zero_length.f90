! SPDX-License-Identifier: BSD-3-Clause
! PAPIF_perror of the reference with a destination of no length: the text goes to standard error.
program zero_length
  implicit none
  include 'f90papi.h'
  integer :: check

  call papif_perror(PAPI_ENOEVST, '', check)
  if (check /= PAPI_OK) call exit(1)
end program zero_length
