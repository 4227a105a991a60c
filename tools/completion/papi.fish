# SPDX-License-Identifier: BSD-3-Clause
# Completion of the utilities' command lines for fish: options, what they take, and names of events.
#
# Options are those that a utility shows with --help when it is asked, so that they are the ones it has. What an option
# takes follows from the word that stands for it there. All utilities share this file, installed under each name, which
# tells what it is loaded for.

# Names of presets that can be counted, and of native events with their masks.
function __papi_events
    papi_avail -a 2>/dev/null | string replace -rf '^(PAPI_[A-Z0-9_]+) .*' '$1'
    papi_native_avail 2>/dev/null | string replace -rf '^\| *([A-Za-z0-9][^ |]*) *\|$' '$1'
end

# What stands for WORD in --help.
function __papi_take --argument-names command word
    switch $word
        case EVENT NAME
            __fish_complete_list , __papi_events
        case FORMAT
            test $command = papi_run; and printf '%s\n' text json csv; or printf '%s\n' table json csv
        case TYPE
            printf '%s\n' summary accumulate detail
        case NOTATION
            printf '%s\n' derived raw
        case WAY
            printf '%s\n' fp dwarf none
        case WHAT
            printf '%s\n' function line file module thread process
        case VALUE
            printf '%s\n' self inclusive
        case PID
            __fish_complete_pids
        case FILE OUT PATH
            __fish_complete_path (commandline -ct)
        case DIR
            __fish_complete_directories (commandline -ct)
    end
end

# The options of a utility, or of one of its commands, where the condition holds.
function __papi_register_options --argument-names condition command
    for line in ($argv[2..] --help 2>/dev/null | string match -r '^ *-.*')
        # "-f, --format FORMAT", and what it does behind two blanks.
        set -l heads (string replace -r '  .*' '' -- (string trim -- $line))
        set -l short (string match -rg '^-(\w)(?:,| |$)' -- $heads)
        set -l long (string match -rg -- '--([a-z0-9-]+)' $heads)
        set -l word (string match -rg -- ' ([A-Z]+)' $heads)
        set -l arguments
        test -n "$short"; and set -a arguments -s $short
        test -n "$long"; and set -a arguments -l $long
        test -n "$word"; and set -a arguments -x -a "(__papi_take $command $word)"
        complete -c $command -n $condition -f $arguments -d (string match -rg '  +(.*)' -- (string trim -- $line); or echo)
    end
end

# "Commands: one, other" in --help of papi_profile: what it can be told to do besides running a program.
function __papi_register --argument-names command
    set -l parts ($command --help 2>/dev/null | string match -rg '^Commands: (.*)' | string split ', ')
    set -l condition true
    if test -n "$parts"
        set condition "not __fish_seen_subcommand_from $parts"
        complete -c $command -f -n __fish_is_first_token -a "$parts"
        for part in $parts
            __papi_register_options "__fish_seen_subcommand_from $part" $command $part
            complete -c $command -n "__fish_seen_subcommand_from $part" -F
        end
    end
    __papi_register_options $condition $command
    switch $command
        case papi_profile perfometer
            complete -c $command -x -n $condition -a '(__fish_complete_subcommand --fcs-skip=1)'
        case papi_probe papi_run
            complete -c $command -x -a '(__fish_complete_subcommand --fcs-skip=1)'
        case papi_event_chooser
            complete -c $command -f -n '__fish_is_first_token' -a 'NATIVE PRESET'
            complete -c $command -f -n 'not __fish_is_first_token' -a '(__papi_events)'
        case papi_compare
            complete -c $command -F
        case papi_command_line papi_xml_event_info
            complete -c $command -f -a '(__papi_events)'
    end
end

__papi_register (status basename | string replace .fish '')
