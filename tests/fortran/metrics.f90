! SPDX-License-Identifier: BSD-3-Clause
! Metrics: a group of this program's own, with events that are the same everywhere, from its file to what stands out.
program metrics_test
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_value, ieee_quiet_nan
  use, intrinsic :: iso_c_binding, only: c_double
  use papi
  implicit none
  integer, parameter :: unit = 10
  character(len=*), parameter :: quarter = '"A quarter of the faults, which is what this test wants to know."'
  character(len=:), allocatable :: file, bad
  character(len=PAPI_HUGE_STR_LEN) :: name, text, long_text, worth, why, from
  integer(c_int) :: check, group, groups, metrics, events, rules
  real(c_double) :: values(0:PAPI_METRIC_MOST - 1)

  call name_files
  call papif_metric_groups(groups)
  call expect_equal(PAPI_ENOINIT, groups, 'before the library is initialised')
  check = PAPI_VER_CURRENT
  call papif_library_init(check)
  call expect_equal(PAPI_VER_CURRENT, check, 'init')
  call files
  call descriptions
  call evaluation
  call texts
  call findings
  call counting
  call check_done
contains

  ! Where everybody may write.
  subroutine name_files
    character(len=128) :: directory
    character(len=16) :: process
    integer :: status

    call get_environment_variable('TMPDIR', directory, status=status)
    if (status /= 0 .or. directory == ' ') directory = '/tmp'
    write (process, '(i0)') getpid()
    file = trim(directory) // '/papi-fortran-metrics-' // trim(process)
    bad = file // '-bad'
  end subroutine name_files

  subroutine write_file(path, lines)
    character(len=*), intent(in) :: path, lines(:)
    integer :: i

    open (unit, file=path, status='replace', action='write')
    write (unit, '(a)') (trim(lines(i)), i=1, size(lines))
    close (unit)
  end subroutine write_file

  subroutine delete_file(path)
    character(len=*), intent(in) :: path

    open (unit, file=path)
    close (unit, status='delete')
  end subroutine delete_file

  subroutine files
    integer(c_int) :: more

    call papif_metric_groups(groups)
    call expect(groups > 5, 'groups of the library')
    call papif_metric_group('faults', group)
    call expect_equal(PAPI_ENOEVNT, group, 'a group that is not there')
    call papif_metric_group(repeat('x', 2000), group)
    call expect_equal(PAPI_EINVAL, group, 'a name that no group can have')

    call papif_metric_load('no such file', check)
    call expect_equal(PAPI_ESYS, check, 'no file')
    call papif_metric_load(repeat('x', 2000), check)
    call expect_equal(PAPI_EINVAL, check, 'a name that no file can have')
    call write_file(bad, [character(len=40) :: 'GROUP,bad,"nothing"', 'METRIC,nonsense'])
    call papif_metric_load(bad // '   ', check)
    call delete_file(bad)
    call expect_equal(PAPI_EINVAL, check, 'a line that makes no sense')
    call papif_error_detail(text)
    call expect(index(text, bad) > 0, 'the detail names the file: ' // trim(text))

    call write_file(file, [character(len=200) :: 'GROUP,faults,"Faults of pages"', &
      'METRIC,quarter,fault,N0 / 4,perf::PAGE-FAULTS,SDESC,"a quarter",LDESC,' // quarter, &
      'METRIC,rate,fault/s,N0 / N1,perf::PAGE-FAULTS,seconds,SDESC,"in a second",LDESC,"Fewer are better."', &
      'METRIC,nowhere,1,N0,no_such_event,SDESC,"nothing",LDESC,"Nothing."', &
      'RULE,quarter,above,2,"There are {} in a quarter."'])
    call papif_metric_load(file, check)
    call delete_file(file)
    call expect_equal(PAPI_OK, check, 'load')
    call papif_metric_groups(more)
    call expect(more > groups, 'one more')
    call papif_metric_group('faults      ', group)
    call expect(group >= groups .and. group < more, 'the group of that name')
  end subroutine files

  subroutine descriptions
    character(len=3) :: a, b, c, d, e, f

    call papif_metric_group_info(group, name, text, from, metrics, events, rules, check)
    call expect_equal(PAPI_OK, check, 'group_info')
    call expect(name == 'faults' .and. text == 'Faults of pages' .and. from == file, 'its texts')
    call expect_equal(3, metrics, 'metrics')
    call expect_equal(1, events, 'events')
    call expect_equal(1, rules, 'rules')
    call papif_metric_group_info(-1, name, text, from, metrics, events, rules, check)
    call expect_equal(PAPI_EINVAL, check, 'no group')
    call expect(name // text // from == ' ', 'blank')
    call expect(all([metrics, events, rules] == 0), 'and zero')

    call papif_metric_info(group, 0, name, from, text, long_text, worth, why, check)
    call expect_equal(PAPI_OK, check, 'info')
    call expect(name == 'quarter' .and. from == 'fault' .and. text == 'a quarter', 'name, unit, a few words')
    call expect('"' // trim(long_text) // '"' == quarter, 'how to read it')
    call expect(worth == 'exact' .and. why == ' ', 'exact: ' // trim(why))
    call papif_metric_info(group, 2, name, from, text, long_text, worth, why, check)
    call expect_equal(PAPI_OK, check, 'info of what cannot be counted')
    call expect(name == 'nowhere' .and. worth == ' ', 'worth nothing')
    call expect(index(why, 'no_such_event') > 0, 'why: ' // trim(why))
    call papif_metric_info(group, 0, a, b, c, d, e, f, check)
    call expect_text('quafaua qA qexa   ', a // b // c // d // e // f, 'cut')
    call papif_metric_info(group, 3, name, from, text, long_text, worth, why, check)
    call expect_equal(PAPI_EINVAL, check, 'no metric')
    call expect(name // from // text // long_text // worth // why == ' ', 'blank again')

    call papif_metric_event(group, 0, name, check)
    call expect_equal(PAPI_OK, check, 'event')
    call expect(name == 'perf::PAGE-FAULTS', 'its name: ' // trim(name))
    call papif_metric_event(group, 0, a, check)
    call expect_equal(PAPI_OK, check, 'event, cut')
    call expect_text('per', a, 'three letters')
    call papif_metric_event(group, 1, name, check)
    call expect_equal(PAPI_EINVAL, check, 'no event')
    call expect(name == ' ', 'no name')
  end subroutine descriptions

  ! Four bytes more or less of a number would be seen here: the neighbours stay as they are.
  subroutine evaluation
    values = -1
    call papif_metric_evaluate(group, [100.0_c_double], 0.5_c_double, values, check)
    call expect_equal(PAPI_OK, check, 'evaluate')
    call expect(values(0) == 25 .and. values(1) == 200, 'values')
    call expect(ieee_is_nan(values(2)), 'what cannot be counted')
    call expect(all(values(3:) == -1), 'as many as there are metrics')
    call papif_metric_evaluate(group, [100.0_c_double], 0.0_c_double, values, check)
    call expect(values(0) == 25 .and. ieee_is_nan(values(1)), 'without a time')
    call papif_metric_evaluate(groups + 1000, [100.0_c_double], 0.5_c_double, values, check)
    call expect_equal(PAPI_EINVAL, check, 'evaluate no group')
  end subroutine evaluation

  subroutine texts
    character(len=4) :: short

    call papif_metric_text(group, 1, 2.0e9_c_double, text, check)
    call expect_equal(PAPI_OK, check, 'text')
    call expect(text == '2000000000 fault/s', 'a value with its unit: ' // trim(text))
    call papif_metric_text(group, 1, 2.0e9_c_double, short, check)
    call expect_equal(PAPI_OK, check, 'text, cut')
    call expect_text('2000', short, 'four letters')
    call papif_metric_text(group, 1, ieee_value(0.0_c_double, ieee_quiet_nan), text, check)
    call expect(text == 'n/a', 'no value: ' // trim(text))
    call papif_metric_text(group, -1, 1.0_c_double, text, check)
    call expect_equal(PAPI_EINVAL, check, 'text of no metric')
    call expect(text == ' ', 'no text')
  end subroutine texts

  subroutine findings
    real(c_double) :: beyond

    call papif_metric_finding(group, 0, [25.0_c_double, 0.0_c_double, 0.0_c_double], beyond, text, check)
    call expect_equal(PAPI_OK, check, 'finding')
    call expect(beyond == 12.5_c_double, 'how far beyond')
    call expect(text == 'There are 25.0 fault in a quarter.', 'the sentence: ' // trim(text))
    call papif_metric_finding(group, 0, [2.0_c_double, 0.0_c_double, 0.0_c_double], beyond, text, check)
    call expect_equal(PAPI_OK, check, 'finding of nothing')
    call expect(beyond == 0 .and. text == ' ', 'nothing')
    beyond = 7
    text = 'something'
    call papif_metric_finding(group, 1, values, beyond, text, check)
    call expect_equal(PAPI_EINVAL, check, 'no rule')
    call expect(beyond == 0 .and. text == ' ', 'nothing again')
  end subroutine findings

  subroutine counting
    integer(c_int) :: set
    integer(c_long_long) :: counts(1)

    set = PAPI_NULL
    call papif_metric_add(group, set, check)
    call expect_equal(PAPI_ENOEVST, check, 'add to no set')
    call papif_create_eventset(set, check)
    call papif_metric_add(group, set, check)
    call need_counting(check)
    call expect_equal(PAPI_OK, check, 'add')
    call papif_num_events(set, events)
    call expect_equal(1, events, 'events of the set')
    call touch_pages(1)
    call papif_start(set, check)
    call expect_equal(PAPI_OK, check, 'start')
    call touch_pages(12)
    call papif_stop(set, counts, check)
    call expect_equal(PAPI_OK, check, 'stop')
    call papif_metric_values(group, set, counts, 2.0_c_double, values, check)
    call expect_equal(PAPI_OK, check, 'values')
    call expect(values(0) == 3 .and. values(1) == 6, 'a quarter, and in a second')
    call expect(ieee_is_nan(values(2)), 'what is not counted')
    call papif_metric_values(group, PAPI_NULL, counts, 2.0_c_double, values, check)
    call expect_equal(PAPI_ENOEVST, check, 'values of no set')
  end subroutine counting
end program metrics_test
