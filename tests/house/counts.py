# SPDX-License-Identifier: BSD-3-Clause
"""How many there are of something: what documents say, compared with the tree. Decisions tell of their own time."""
import re

from tree import Finding

WORDS = {word: number for number, word in enumerate(
    'two three four five six seven eight nine ten eleven twelve'.split(), 2)}
NUMBER = rf'(?P<number>\d[\d,]*|{"|".join(WORDS)})'
# Whatever says so many of these is either checked below, or no statement about this project.
COUNTED = re.compile(rf'\b{NUMBER}(?: +[a-z-]+)? (?:presets|tools|utilities|events|functions|man pages|pages|'
                     r'components|headers|routines|fuzzers|native events|simulators)\b', re.I)


def rows(tree, path, pattern):
    """How often a pattern is found in a file."""
    return len(re.findall(pattern, tree.text(path), re.M))


def macro(tree, path, name):
    """The value of a macro that is a number."""
    return int(re.search(rf'^#define {name}\s+(\d+)', tree.text(path), re.M)[1])


def virtual_presets(tree):
    return rows(tree, 'data/events/vpmu.csv', r'^PRESET,')


def predictor(name):
    """The entries of a table of the branch predictor."""
    return lambda tree: 1 << macro(tree, 'src/components/vpmu/models/predictor.h', f'PAPI_VPMU_{name}_BITS')


# A sentence with its number, and what the number is in this tree.
FACTS = (
    (rf'\b{NUMBER} presets\b', virtual_presets),
    (rf'\bThe {NUMBER} functions are described in\s+\[papi_highlevel\.h\]',
     lambda tree: rows(tree, 'include/papi_highlevel.h', r'^PAPI_API int PAPI_hl_\w+\(')),
    (rf'\bthe {NUMBER} headers\b', lambda tree: rows(tree, 'src/fortran/meson.build', r"'(?:cpp|fixed|free)': '")),
    (rf'\bgshare \({NUMBER} counters', predictor('HISTORY')),
    (rf'\b{NUMBER} outcomes of history', lambda tree: predictor('HISTORY')(tree).bit_length() - 1),
    (rf'\ba bimodal predictor \({NUMBER}\)', predictor('BIMODAL')),
    (rf'\b{NUMBER}\s+return addresses', lambda tree: macro(
        tree, 'src/components/vpmu/models/predictor.h', 'PAPI_VPMU_RETURNS')),
    (rf'\b{NUMBER} last targets', predictor('TARGET')),
    (rf'\bEach counter exists {NUMBER} times', lambda tree: macro(
        tree, 'src/components/vpmu/agent.h', 'PAPI_AGENT_LANES')),
)
# Of an example or a measurement.
EXAMPLES = {
    'CHANGELOG.md': {'two events'},
    'README.md': {'256 new pages', 'two components'},
    'bench/README.md': {'4 events', '512 events'},
    'doc/behaviour.md': {'64 events'},
    'doc/defects.md': {'four events'},
    'doc/definitions.md': {'2 events'},
    'doc/sampling.md': {'two pages', 'five pages'},
}


def value(text):
    """The number that digits or a word are."""
    return WORDS.get(text.lower()) or int(text.replace(',', ''))


def checked(tree, path, text, seen):
    """The sentences of a document that are facts of the tree, but not true; where they stand is noted."""
    for pattern, count in FACTS:
        for found in re.finditer(pattern, text, re.I):
            seen.update(range(*found.span('number')))
            if value(found['number']) != count(tree):
                yield Finding(path, tree.line_of(path, found.start('number')),
                              f'"{" ".join(found[0].split())}": there are {count(tree)}: correct it')


def numbers(tree):
    """How many there are of something is true."""
    for path in set(tree.select(ends=('.md',))) - set(tree.select(('doc/decisions/',))):
        text, seen = tree.text(path), set()
        yield from checked(tree, path, text, seen)
        for found in COUNTED.finditer(text):
            if found.start('number') not in seen and found[0].lower() not in EXAMPLES.get(path, ()):
                yield Finding(path, tree.line_of(path, found.start()), f'nobody checks "{found[0]}": add the sentence '
                              'to FACTS of tests/house/counts.py, or to its EXAMPLES if it is about something else')
    yield from missing_tools(tree)


def missing_tools(tree):
    """The tools that README does not have in its list of all tools."""
    for page in tree.select(('tools/',), ('.1',)):
        name = page[len('tools/'):-len('.1')]
        if f'`{name}`' not in tree.text('README.md'):
            yield Finding('README.md', 1, f'{name} is missing from the list of tools: add it')
