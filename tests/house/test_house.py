# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of the house notices what it is for: a copy of the tree is broken in one place, and the rule says where.

    test_house.py TREE BUILD
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import arrows
import house
from tree import Skipped, Tree

TREE, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
FOLDERS = ('src', 'include', 'tools', 'tests', 'bench', 'doc', 'data', 'examples', 'cmake', 'python', 'packaging')


class Copy:
    """A copy of the tree without its build, and what a rule says of it."""

    def __init__(self, root):
        self.root = root
        for name in os.listdir(TREE):
            source = os.path.join(TREE, name)
            if name in FOLDERS:
                shutil.copytree(source, os.path.join(root, name), ignore=shutil.ignore_patterns('__pycache__'))
            elif os.path.isfile(source) and name != '.git':
                shutil.copy(source, root)

    def path(self, name):
        return os.path.join(self.root, name)

    def read(self, name):
        with open(self.path(name), encoding='utf-8') as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)

    def judge(self, rule, build=BUILD):
        """The findings of a rule, a line for each."""
        arrows.row_of.cache_clear()
        return [str(finding) for finding in house.RULES[rule](Tree(self.root, build))]


class HouseTest(unittest.TestCase):
    """One mutation after the other, each taken back."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.copy = Copy(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def replace(self, name, text):
        """Puts another text into a file until the test has ended."""
        before = self.copy.read(name) if os.path.exists(self.copy.path(name)) else None
        self.copy.write(name, text)
        self.addCleanup(self.restore, name, before)

    def restore(self, name, before):
        if before is None:
            os.unlink(self.copy.path(name))
        else:
            self.copy.write(name, before)

    def add(self, name, text):
        """Appends to a file; the number of the first line that is new."""
        before = self.copy.read(name)
        self.replace(name, before + text)
        return before.count('\n') + 1

    def change(self, name, old, new):
        """Replaces the first text of that form; the number of its line."""
        before = self.copy.read(name)
        found = re.search(old, before)
        self.assertIsNotNone(found, f'{name} has no {old}')
        self.replace(name, before[:found.start()] + new + before[found.end():])
        return before.count('\n', 0, found.start()) + 1

    def fails(self, rule, place, *words, build=BUILD):
        """The rule names the place and says the words."""
        said = self.copy.judge(rule, build)
        lines = [line for line in said if line.startswith(place + ': ')]
        self.assertTrue(lines, f'{place} is not in {said}')
        for word in words:
            self.assertIn(word, ' '.join(lines))

    def says(self, rule, pattern):
        """One of the findings of the rule is of that form."""
        said = self.copy.judge(rule)
        self.assertTrue(any(re.match(pattern, line) for line in said), said)

    def test_unbroken(self):
        status, said = self.run_house()
        self.assertEqual(status, 0, said)
        self.assertIn(' rules, 0 findings', said)

    def test_exit_status_of_the_script(self):
        line = self.add('src/core/thread.c', '/* See core/fibres.c. */\n')
        status, said = self.run_house('--rule', 'names_of_files')
        self.assertEqual(status, 1)
        self.assertIn(f'src/core/thread.c:{line}: there is no file core/fibres.c', said)

    def run_house(self, *options):
        """The exit status of the script, and what it prints."""
        script = self.copy.path('tests/house/house.py')
        result = subprocess.run([sys.executable, script, self.copy.root, BUILD, *options],
                                capture_output=True, check=False, text=True)
        return result.returncode, result.stdout + result.stderr

    def test_include_upwards(self):
        line = self.add('src/base/text.c', '#include "core/eventset.h"\n')
        self.fails('arrows', f'src/base/text.c:{line}', 'includes core/eventset.h', 'base may not use core')

    def build_with(self, name):
        """The build with that file compiled as it is in the copy: only the list of commands is new."""
        with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as file:
            commands = json.load(file)
        build = tempfile.TemporaryDirectory()
        self.addCleanup(build.cleanup)
        for command in commands:
            source = os.path.normpath(os.path.join(command['directory'], command['file']))
            if source == os.path.join(TREE, name):
                output = os.path.join(build.name, 'changed.o')
                text = command['command'].replace(command['file'], self.copy.path(name))
                subprocess.run(text.replace(f'-o {command["output"]} ', f'-o {output} '), shell=True, check=True,
                               cwd=command['directory'], capture_output=True)
                command['output'] = output
        for library in ('src', 'src/sde'):
            os.makedirs(os.path.join(build.name, library))
        for library in ('src/libpapi.so', 'src/sde/libsde.so'):
            os.symlink(os.path.join(BUILD, library), os.path.join(build.name, library))
        os.symlink(os.path.join(BUILD, 'meson-info'), os.path.join(build.name, 'meson-info'))
        with open(os.path.join(build.name, 'compile_commands.json'), 'w', encoding='utf-8') as file:
            json.dump(commands, file)
        return build.name

    def test_call_upwards(self):
        line = self.add('src/base/lists.c', 'int papi_upwards(void);\nint papi_upwards(void)\n{\n'
                        '\textern void papi_events_shutdown(void);\n\tpapi_events_shutdown();\n\treturn 0;\n}\n')
        build = self.build_with('src/base/lists.c')
        self.fails('arrows', f'src/base/lists.c:{line + 3}', 'uses papi_events_shutdown', 'base may not use events',
                   build=build)

    def test_circle_in_the_table(self):
        with mock.patch.dict(arrows.FLOORS, {'base': 'include core'}):
            self.says('arrows', r'tests/house/arrows\.py:\d+: .* base uses core, which does not stand above it')

    def test_arrow_that_nothing_uses(self):
        with mock.patch.dict(arrows.FLOORS, {'core': arrows.FLOORS['core'] + ' linux/proc'}):
            self.says('arrows', r'tests/house/arrows\.py:\d+: .* nothing of core uses linux/proc')

    def test_folder_without_a_row(self):
        os.mkdir(self.copy.path('src/novel'))
        self.addCleanup(os.rmdir, self.copy.path('src/novel'))
        self.replace('src/novel/novel.c', '#include "papi.h"\n')
        self.fails('arrows', 'src/novel/novel.c:1', 'is in no row')

    def test_layout(self):
        line = self.add('src/base/text.c', 'static  int spaces;\n')
        try:
            self.fails('layout', f'src/base/text.c:{line}', 'clang-format -i src/base/text.c')
        except Skipped as reason:
            self.skipTest(str(reason))

    def test_wide_line(self):
        line = self.add('tools/text.c', '/*\t' + 'x' * 110 + ' */\n')
        self.fails('columns', f'tools/text.c:{line}', 'has 121 columns')

    def test_wide_line_of_a_document(self):
        line = self.add('doc/vpmu.md', '\n' + 'word ' * 24 + 'x\n\n    ' + 'x' * 130 + '\n| ' + 'x' * 130 + ' |\n')
        self.fails('columns', f'doc/vpmu.md:{line + 1}', 'has 121 columns')
        self.assertEqual(len(self.copy.judge('columns')), 1)

    def test_sentence_without_a_noun(self):
        line = self.add('src/core/thread.c', '/*\n * Threads have numbers. One that has none gets\n * one.\n */\n')
        self.fails('words', f'src/core/thread.c:{line + 1}', '"One that" begins a sentence')

    def test_comment_without_a_noun(self):
        line = self.add('tools/text.c', '/* What is left. */\n')
        self.fails('words', f'tools/text.c:{line}', '"What is" begins a sentence')

    def test_name_exported_besides(self):
        text = self.copy.read('include/sde_lib.h')
        self.replace('include/sde_lib.h', text.replace('papi_sde_inc_counter', 'papi_sde_increase_counter'))
        self.fails('exports', 'include/papi.h:1', 'papi_sde_inc_counter is exported by src/sde/libsde.so')

    def test_function_that_nobody_calls(self):
        line = self.add('src/core/thread.c', 'int papi_idle(void);\nint papi_idle(void)\n{\n\treturn papi_idle();\n}\n')
        self.fails('nobody_calls', f'src/core/thread.c:{line + 1}', 'papi_idle is called by nobody')

    def test_functions_that_only_call_each_other(self):
        line = self.add('src/base/text.h', 'static inline int papi_a(void)\n{\n\treturn 1;\n}\n\n'
                        'static inline int papi_b(void)\n{\n\treturn papi_a();\n}\n')
        self.fails('nobody_calls', f'src/base/text.h:{line}', 'papi_a is called by nobody')

    def test_function_that_only_a_test_calls(self):
        line = self.add('tools/text.c', 'int papi_tested(void)\n{\n\treturn 1;\n}\n')
        self.add('tests/tools/test_text.c', 'int call(void)\n{\n\treturn papi_tested();\n}\n')
        self.fails('nobody_calls', f'tools/text.c:{line}', 'papi_tested is called by nobody')

    def test_function_in_a_table(self):
        self.add('tools/text.c', 'static int papi_listed(void)\n{\n\treturn 1;\n}\n\n'
                 'int (*const papi_table[])(void) = { papi_listed };\n')
        self.assertEqual(self.copy.judge('nobody_calls'), [])

    def test_stale_name_in_a_comment(self):
        line = self.add('src/core/thread.c', '/* See core/fibres.c. */\n')
        self.fails('names_of_files', f'src/core/thread.c:{line}', 'there is no file core/fibres.c')

    def test_stale_name_in_a_document(self):
        line = self.add('doc/vpmu.md', '\nAs `budget/none.[ch]` does it.\n')
        self.fails('names_of_files', f'doc/vpmu.md:{line + 1}', 'there is no file budget/none.[ch]')

    def test_stale_name_in_a_script(self):
        line = self.add('doc/check-man.sh', '# Called by tests/doc/man.sh.\n')
        self.fails('names_of_files', f'doc/check-man.sh:{line}', 'there is no file tests/doc/man.sh')

    def test_file_that_is_gone(self):
        self.addCleanup(os.rename, self.copy.path('gone'), self.copy.path('doc/regions.md'))
        os.rename(self.copy.path('doc/regions.md'), self.copy.path('gone'))
        self.says('names_of_files', r'README\.md:\d+: there is no file doc/regions\.md')

    def test_variable_that_no_document_has(self):
        line = self.add('src/base/text.c',
                        'const char *papi_secret(void)\n{\n\treturn secure_getenv("PAPI_SECRET");\n}\n')
        self.fails('environment', f'src/base/text.c:{line + 2}', 'reads PAPI_SECRET')

    def test_variable_behind_a_function(self):
        self.change('src/regions/run.c', r'"PAPI_HL_VERBOSE"', '"PAPI_HL_VERBOSELY"')
        self.says('environment', r'src/regions/run\.c:\d+: reads PAPI_HL_VERBOSELY, which')
        self.says('environment', r'doc/man3/PAPI_hl_region_begin\.3:\d+: nothing reads the variable PAPI_HL_VERBOSE,')

    def test_variable_that_nothing_reads(self):
        line = self.add('doc/regions.md', '\n`PAPI_COLOUR` chooses the colour.\n')
        self.fails('environment', f'doc/regions.md:{line + 1}', 'nothing reads the variable PAPI_COLOUR')

    def test_number_of_presets(self):
        line = self.change('README.md', r'lists \d+ presets', 'lists 19 presets')
        self.fails('numbers', f'README.md:{line}', '"19 presets"')

    def test_preset_that_is_new(self):
        self.add('data/events/vpmu.csv', 'PRESET,PAPI_L3_TCM,NOT_DERIVED,vpmu:::L3_MISSES\n')
        self.says('numbers', r'README\.md:\d+: "\d+ presets": there are \d+: correct it')

    def test_number_that_nobody_checks(self):
        line = self.add('doc/regions.md', '\nThere are 17 tools.\n')
        self.fails('numbers', f'doc/regions.md:{line + 1}', 'nobody checks "17 tools"')

    def test_tool_that_no_list_has(self):
        self.replace('tools/papi_new.1', '.Dd November 1, 2026\n')
        self.fails('numbers', 'README.md:1', 'papi_new is missing')


if __name__ == '__main__':
    del sys.argv[1:3]
    unittest.main()
