# SPDX-License-Identifier: BSD-3-Clause
"""Which folder may include and call which."""
import functools
import os
import re

from functions import WORD, public_names
from tree import C_FILES, Finding

# From the ground up: who uses what, but for itself. A row stands for the files whose paths begin so, the longest row
# for a file that several have; below src/ unless it is of another folder of the tree. It may use only rows that stand
# above it in this table: so nothing goes upwards, and there is no circle.
FLOORS = {
    'include': '',
    # The floor: errors, files with a settable root, lists, text, and what a component is.
    'base': 'include',
    # What the system tells, by subject.
    'linux/cpu': 'base',
    'linux/proc': 'include base',
    'linux/process': 'include base',
    'linux/time': 'include base linux/cpu linux/proc',
    'linux/machine': 'include base linux/cpu linux/proc linux/time',
    # From names to things to count, and the engine that counts them.
    'events': 'include base linux/machine',
    # Metrics: formulas over events, in groups.
    'metrics': 'include base events',
    'core': 'include base linux/cpu linux/process linux/machine linux/time events metrics',
    # libsde, a library of its own; sde/tools.h is what libpapi knows of it.
    'sde': 'include',
    # Sources of counts.
    'components/perf_event': 'include base linux/proc linux/time core',
    'components/rusage': 'base linux/time core',
    'components/sde': 'base linux/time core sde',
    'components/sysdetect': 'base',
    # The virtual PMU: the names of what it counts, the simulators, what is the same for every processor, what is one
    # processor's; above them, and only by way of engine.h, the component.
    'components/vpmu/counters.h': '',
    'components/vpmu/agent.h': '',
    'components/vpmu/ways.h': '',
    'components/vpmu/call_frame.h': 'components/vpmu/counters.h',
    'components/vpmu/profile_log.h': 'components/vpmu/counters.h components/vpmu/ways.h',
    'components/vpmu/models': 'linux/machine components/vpmu/counters.h',
    'components/vpmu/engine.h': 'components/vpmu/counters.h components/vpmu/agent.h',
    'components/vpmu/translator': 'base core components/vpmu/counters.h components/vpmu/ways.h '
                                  'components/vpmu/call_frame.h components/vpmu/profile_log.h '
                                  'components/vpmu/models components/vpmu/engine.h',
    'components/vpmu/x86_64/raw.h': '',
    'components/vpmu/arm64/raw.h': '',
    'components/vpmu/arithmetic': '',
    'components/vpmu/classify': 'components/vpmu/counters.h components/vpmu/arithmetic',
    'components/vpmu/raw.h': 'components/vpmu/x86_64/raw.h components/vpmu/arm64/raw.h',
    'components/vpmu/arm64/decode': 'components/vpmu/counters.h',
    'components/vpmu/arm64': 'components/vpmu/engine.h components/vpmu/translator components/vpmu/arm64/decode '
                             'components/vpmu/arm64/raw.h components/vpmu/ways.h components/vpmu/call_frame.h '
                             'components/vpmu/profile_log.h components/vpmu/models',
    'components/vpmu/x86_64': 'base linux/cpu components/vpmu/ways.h components/vpmu/call_frame.h '
                              'components/vpmu/profile_log.h components/vpmu/x86_64/raw.h '
                              'components/vpmu/models components/vpmu/engine.h components/vpmu/translator '
                              'components/vpmu/classify',
    'components/vpmu': 'include base linux/time core components/vpmu/counters.h components/vpmu/agent.h '
                       'components/vpmu/models components/vpmu/engine.h',
    'components': 'base components/perf_event components/rusage components/sde components/sysdetect components/vpmu',
    # What programs and perfometers say to each other.
    'live/frame': '',
    'live/meet': '',
    'live': 'live/frame live/meet',
    # What programs call.
    'api': 'include base linux/machine linux/process linux/time events metrics core live',
    'regions/marks.h': '',
    'regions/sites.h': 'include',
    'regions': 'include base linux/machine linux/time events metrics core api live/meet live '
               'regions/marks.h regions/sites.h',
    'fortran': 'include base api',
    # Profiles: from addresses to names; the store, and what it adds up to.
    'symbols': '',
    'profile': 'base symbols',
    # What the library does inside of programs that were not written for it.
    'agent': 'include components/vpmu/agent.h components/vpmu/raw.h',
    # Other processes, entered.
    'process': 'components/vpmu/agent.h',
    # Jumps into code that runs, and what they lead to.
    'probes': 'components/vpmu/raw.h',
    'tools': 'include base linux/proc',
    'tools/visit': 'include agent process tools',
    'tools/papi_run': 'include base linux/proc components/perf_event components/vpmu/agent.h agent tools tools/visit',
    'tools/papi_compare': 'tools',
    'tools/papi_probe': 'include base components/perf_event components/vpmu/agent.h components/vpmu/counters.h '
                        'components/vpmu/call_frame.h regions/sites.h agent symbols profile process probes tools',
    'tools/papi_profile': 'include base linux/proc components/perf_event components/vpmu/agent.h '
                          'components/vpmu/counters.h components/vpmu/call_frame.h '
                          'components/vpmu/profile_log.h regions/marks.h agent symbols profile tools tools/visit',
    'tools/perfometer': 'include base components/vpmu/agent.h components/vpmu/counters.h agent live/frame live/meet '
                        'tools tools/visit',
}
# Headers that say what somebody above provides: a name that one of them has is used by way of it, wherever the linker
# finds it.
DOORS = ('src/base/component.h', 'src/components/vpmu/agent.h', 'src/components/vpmu/engine.h',
         'src/components/vpmu/translator/processor.h')
# These call the library as programs do: what a public header declares is used by way of that header.
CLIENTS = ('agent', 'fortran', 'tools', 'tools/papi_compare', 'tools/papi_probe', 'tools/papi_profile',
           'tools/papi_run', 'tools/perfometer')
# The names of this project: others that a file defines stand in for libc's in programs that papi_run counts.
OURS = re.compile(r'_?papi', re.I)
TABLE = 'tests/house/arrows.py'
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)


@functools.lru_cache(maxsize=None)
def row_of(path):
    """The row of the table that a file belongs to; None when there is none."""
    path = path[len('src/'):] if path.startswith('src/') else path
    rows = [row for row in FLOORS if path.startswith(row + '/') or
            (path.startswith(row) and os.path.dirname(path) == os.path.dirname(row))]
    return max(rows, key=len, default=None)


def is_allowed(user, used):
    """Whether the files of a row may use those of another."""
    return user == used or used in FLOORS[user].split()


def line_of_row(tree, row):
    """Where a row stands in the table."""
    found = re.search(rf"^    '{row}':", tree.text(TABLE), re.M) if TABLE in tree.files else None
    return tree.line_of(TABLE, found.start()) if found else 1


def table_findings(tree):
    """What is wrong with the table itself."""
    above = set()
    for row, uses in FLOORS.items():
        if not any(row_of(path) == row for path in tree.files):
            yield Finding(TABLE, line_of_row(tree, row), f'FLOORS: there is no {row}: delete the row')
        for used in uses.split():
            if used not in above:
                yield Finding(TABLE, line_of_row(tree, row),
                              f'FLOORS: {row} uses {used}, which does not stand above it: turn that arrow round')
        above.add(row)


def resolve(tree, path, name):
    """The file of the tree that an #include in a file means; None: one that the build makes."""
    for folder in (os.path.dirname(path), 'src', 'include', 'tools'):
        found = os.path.normpath(os.path.join(folder, name))
        if found in tree.known:
            return found
    return None


def includes(tree):
    """Every #include of a file of the tree: user, used, line, words."""
    for path in tree.select(('src/', 'tools/', 'include/'), C_FILES):
        for found in INCLUDE.finditer(tree.code(path)):
            used = resolve(tree, path, found[1])
            if used:
                yield path, used, tree.line_of(path, found.start(1)), f'includes {found[1]}'


def definers(tree):
    """The files that define each name."""
    defined = {}
    for source, names, _ in tree.objects().values():
        for name in filter(OURS.match, names):
            defined.setdefault(name, set()).add(source)
    return defined


def doors(tree):
    """The names that are used by way of a header that is a door."""
    return {name: header for header in DOORS if header in tree.known for name in WORD.findall(tree.bare(header))}


def calls(tree):
    """Every name of another object that an object needs: user, used, line, words."""
    defined, public, opened = definers(tree), public_names(tree), doors(tree)
    needs = {(source, name) for source, _, names in tree.objects().values() if row_of(source) and source in tree.known
             for name in names & defined.keys()}
    for source, name in sorted(needs):
        if row_of(source) in CLIENTS and name in public:
            used = 'include/papi.h'
        else:
            used = opened.get(name) or nearest(source, defined[name])
        yield source, used, line_of_name(tree, source, name), f'uses {name}'


def nearest(user, candidates):
    """That of several files which a file may use, if any: the linker takes one of them."""
    allowed = [path for path in candidates if row_of(path) and is_allowed(row_of(user), row_of(path))]
    return min(allowed or candidates)


def line_of_name(tree, path, name):
    """The first line of the code that has the name; 1 when a header of it has."""
    found = re.search(rf'\b{re.escape(name)}\b', tree.bare(path))
    return tree.line_of(path, found.start()) if found else 1


def judge(user, used, line, words):
    """What is wrong with one arrow, if anything."""
    for path in (user, used):
        if not row_of(path):
            return Finding(path, 1, f'is in no row of FLOORS in {TABLE}: say there what it stands on')
    if is_allowed(row_of(user), row_of(used)):
        return None
    return Finding(user, line, f'{words}; {row_of(user)} may not use {row_of(used)} (FLOORS in {TABLE}): move what is '
                   'needed down, or have it passed from above')


def unused(arrows_found):
    """The arrows of the table that nothing uses."""
    used = {(row_of(arrow[0]), row_of(arrow[1])) for arrow in arrows_found}
    return [(row, name) for row, uses in FLOORS.items() for name in uses.split() if (row, name) not in used]


def arrows(tree):
    """Nothing goes upwards, and there is no circle."""
    yield from table_findings(tree)
    found = [*includes(tree), *calls(tree)]
    yield from filter(None, dict.fromkeys(judge(*arrow) for arrow in found))
    for row, name in unused(found):
        yield Finding(TABLE, line_of_row(tree, row), f'FLOORS: nothing of {row} uses {name} any more: delete the word')
