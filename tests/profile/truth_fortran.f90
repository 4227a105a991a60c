! SPDX-License-Identifier: BSD-3-Clause
! Of Fortran: arrays, modules, recursion, functions that are passed on, formatted output.
module pieces
  implicit none
contains
  recursive integer function paths(m, n) result(number)
    integer, intent(in) :: m, n
    if (m == 0 .or. n == 0) then
      number = 1
    else
      number = paths(m - 1, n) + paths(m, n - 1)
    end if
  end function

  real(8) function integral(f, n)
    interface
      real(8) function f(x)
        real(8), intent(in) :: x
      end function
    end interface
    integer, intent(in) :: n
    integer :: i
    integral = 0
    do i = 1, n
      integral = integral + f((i - 0.5d0) / n)
    end do
    integral = integral / n
  end function

  real(8) function circle(x)
    real(8), intent(in) :: x
    circle = 4 / (1 + x * x)
  end function
end module

program truth
  use pieces
  implicit none
  real(8) :: a(60, 60), b(60, 60), c(60, 60)
  character(40) :: line
  integer :: i, j
  do j = 1, 60
    do i = 1, 60
      a(i, j) = i + j
      b(i, j) = i - j
    end do
  end do
  do j = 1, 60
    do i = 1, 60
      c(i, j) = dot_product(a(i, :), b(:, j))
    end do
  end do
  do i = 1, 40
    write (line, '(i5, f12.3)') i, c(i, i)
    read (line, *) j
  end do
  print '(i8, f10.6, f14.2, i4)', paths(7, 7), integral(circle, 5000), sum(c), j
end program
