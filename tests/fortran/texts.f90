! SPDX-License-Identifier: BSD-3-Clause
! Free form with f90papi.h: strings in and out, in variables of all lengths. What is too long is cut, what is shorter
! is filled up with blanks, and the neighbours of a variable stay as they are.
program texts
  implicit none
  include 'f90papi.h'
  integer, parameter :: long = 2000
  integer :: check, code

  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  call expect_equal(PAPI_VER_CURRENT, check, 'init')
  call names
  call errors
  call descriptions
  call program_and_machine
  call check_done
contains

  ! Every length from nothing to more than the name has, with marks on both sides.
  subroutine names
    character(len=*), parameter :: name = 'PAPI_TOT_INS'
    character(len=24) :: field
    character(len=long) :: much
    integer :: length

    call papif_event_name_to_code('PAPI_TOT_INS', code, check)
    call expect_equal(PAPI_OK, check, 'name to code')
    call expect_equal(PAPI_TOT_INS, code, 'code')
    do length = 0, 20
      field = repeat('#', 24)
      call papif_event_code_to_name(PAPI_TOT_INS, field(3:2 + length), check)
      call expect_equal(PAPI_OK, check, 'code to name')
      call expect_text('##', field(1:2), 'left of it')
      call expect_text(fitted(name, length), field(3:2 + length), 'the name')
      call expect_text(repeat('#', 22 - length), field(3 + length:), 'right of it')
    end do
    call papif_event_code_to_name(PAPI_TOT_INS, much, check)
    call expect(much == name, 'a long variable')

    field = repeat('#', 24)
    call papif_event_code_to_name(7, field, check)
    call expect_equal(PAPI_EINVAL, check, 'no code')
    call expect_text(repeat(' ', 24), field, 'no name')

    call papif_event_name_to_code('papi_tot_ins         ', code, check)
    call expect_equal(PAPI_OK, check, 'blanks behind a name')
    call papif_event_name_to_code(name // char(0) // 'rest', code, check)
    call expect_equal(PAPI_OK, check, 'a name ended by a zero byte')
    call expect_equal(PAPI_TOT_INS, code, 'its code')
    much = 'PAPI_TOT_INS'
    call papif_query_named_event(much, check)
    call papif_query_event(PAPI_TOT_INS, code)
    call expect_equal(code, check, 'the same by name and by code')
    call papif_query_named_event('', check)
    call expect(check < 0, 'no name at all')
    call papif_query_named_event(repeat('x', long), check)
    call expect_equal(PAPI_EINVAL, check, 'a name that no event can have')
  end subroutine names

  function fitted(text, length)
    character(len=*), intent(in) :: text
    integer, intent(in) :: length
    character(len=length) :: fitted

    fitted = text
  end function fitted

  subroutine errors
    character(len=PAPI_MAX_STR_LEN) :: text
    character(len=5) :: short
    character(len=long) :: detail

    text = repeat('#', PAPI_MAX_STR_LEN)
    call papif_perror(PAPI_ENOEVST, text, check)
    call expect_equal(PAPI_OK, check, 'perror')
    call expect(len_trim(text) > 5 .and. index(text, '#') == 0, 'text of an error')
    call papif_perror(PAPI_ENOEVST, short, check)
    call expect_text(text(1:5), short, 'cut')
    call papif_perror(1000, text, check)
    call expect_equal(PAPI_EINVAL, check, 'no error code')
    call expect(text == ' ', 'no text')

    call papif_query_named_event('rusage:::nothing', check)
    call papif_error_detail(detail)
    call expect(index(detail, '"nothing"') > 0, 'the detail names the event: ' // trim(detail))
    call papif_error_detail(short)
    call expect_text(detail(1:5), short, 'detail, cut')
  end subroutine errors

  subroutine descriptions
    character(len=PAPI_MAX_STR_LEN) :: symbol, long_descr, short_descr, note
    character(len=3) :: a, b, c, d
    integer :: count, flags

    call papif_get_event_info(PAPI_L1_DCM, symbol, long_descr, short_descr, count, note, flags, check)
    call expect_equal(PAPI_OK, check, 'event info')
    call expect(symbol == 'PAPI_L1_DCM', 'symbol')
    call expect(long_descr == 'Level 1 data cache misses', 'long description: ' // trim(long_descr))
    call expect(short_descr == 'L1D cache misses', 'short description: ' // trim(short_descr))
    call expect_equal(ior(PAPI_PRESET_BIT_CACH, PAPI_PRESET_BIT_L1), iand(flags, ior(PAPI_PRESET_BIT_CACH, &
      PAPI_PRESET_BIT_L1)), 'classes')
    call papif_query_event(PAPI_L1_DCM, check)
    call expect((check == PAPI_OK) .eqv. (count > 0), 'natives exactly where it can be counted')

    call papif_get_event_info(PAPI_L1_DCM, a, b, c, count, d, flags, check)
    call expect_equal(PAPI_OK, check, 'event info in short variables')
    call expect_text('PAP', a, 'symbol, cut')
    call expect_text('Lev', b, 'long description, cut')
    call expect_text('L1D', c, 'short description, cut')
    call papif_get_event_info(PAPI_PRESET_MASK + 127, a, b, c, count, d, flags, check)
    call expect_equal(PAPI_ENOTPRESET, check, 'no preset')
    call expect_text('      ', a // d, 'blank')
    call expect_equal(0, count + flags, 'and zero')
  end subroutine descriptions

  subroutine program_and_machine
    character(len=1024) :: fullname, name, vendor_string, model_string
    character(len=4) :: short
    integer(8) :: text_start, text_end, data_start, data_end, bss_start, bss_end
    integer :: ncpu, nnodes, totalcpus, vendor, model
    real :: revision, mhz

    call papif_get_exe_info(fullname, name, text_start, text_end, data_start, data_end, bss_start, bss_end, check)
    call expect_equal(PAPI_OK, check, 'exe_info')
    call expect(name == 'fortran_texts', 'name of the program: ' // trim(name))
    call expect(fullname(1:1) == '/' .and. index(fullname, '/fortran_texts ') > 0, 'its file: ' // trim(fullname))
    call expect(0 < text_start .and. text_start < text_end, 'code')
    call expect(0 < data_start .and. data_start <= data_end, 'data')
    call expect(bss_start <= bss_end, 'bss')

    call papif_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, revision, mhz)
    call expect(ncpu > 0 .and. nnodes > 0 .and. totalcpus >= ncpu, 'CPUs and nodes')
    call expect(len_trim(vendor_string) > 0 .and. len_trim(model_string) > 0, 'vendor and model')
    call expect(vendor >= 0 .and. mhz >= 0 .and. revision > -2 .and. model >= -1, 'numbers')
    call papif_get_hardware_info(ncpu, nnodes, totalcpus, vendor, short, model, model_string(2:2), revision, mhz)
    call expect_text(vendor_string(1:4), short, 'vendor, cut')

    call papif_shutdown
    call papif_get_hardware_info(ncpu, nnodes, totalcpus, vendor, short, model, model_string, revision, mhz)
    call expect_equal(PAPI_ENOINIT, ncpu, 'hardware_info after shutdown')
    call expect_text('    ', short, 'no vendor')
    call papif_get_exe_info(fullname, short, text_start, text_end, data_start, data_end, bss_start, bss_end, check)
    call expect_equal(PAPI_ENOINIT, check, 'exe_info after shutdown')
    call expect_text('    ', short, 'no name')
    call papif_get_preload(short, check)
    call expect_equal(PAPI_ENOINIT, check, 'preload after shutdown')
  end subroutine program_and_machine
end program texts
