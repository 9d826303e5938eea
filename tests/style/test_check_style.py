#!/usr/bin/env python3
"""The style checker on good and bad snippets."""

import datetime
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from style import cpp, rules, tree  # noqa: E402

TODAY = datetime.date(2030, 6, 15)


def rules_broken(path, text):
    return [finding.rule for finding in rules.check_file(path, text) if not finding.is_warning]


def function_of_lines(count):
    return "int f(int a) {\n" + "  a += 1;\n" * (count - 2) + "}\n"


class Layers(unittest.TestCase):
    def assert_include(self, path, header, broken):
        self.assertEqual(rules_broken(path, f'#include "{header}"\n'), ["layer"] if broken else [])

    def test_a_layer_includes_itself_and_those_before_it(self):
        for header in ("net/engine.hpp", "base/inbox.hpp", "bell/posture.hpp"):
            self.assert_include("src/net/engine.cpp", header, broken=False)

    def test_a_layer_does_not_include_those_after_it(self):
        self.assert_include("src/net/engine.cpp", "coll/coll.hpp", broken=True)
        self.assert_include("src/base/inbox.hpp", "machine/cpus.hpp", broken=True)

    def test_trace_is_for_bell_and_those_after_it(self):
        self.assert_include("src/bell/posture.hpp", "trace/trace.hpp", broken=False)
        self.assert_include("src/machine/cpus.cpp", "trace/trace.hpp", broken=True)
        self.assert_include("src/trace/trace.cpp", "bell/posture.hpp", broken=True)

    def test_launch_uses_base_and_machine(self):
        self.assert_include("src/launch/client.cpp", "machine/cpus.hpp", broken=False)
        self.assert_include("src/launch/client.cpp", "net/engine.hpp", broken=True)
        self.assert_include("src/coll/coll.cpp", "launch/bootstrap.hpp", broken=True)

    def test_relative_includes_are_refused(self):
        self.assert_include("src/net/shm/ring.hpp", "../engine.hpp", broken=True)

    def test_other_includes_are_free(self):
        self.assert_include("src/net/engine.cpp", "mpi.h", broken=False)
        self.assert_include("tests/base/inbox_test.cpp", "mpi/process.hpp", broken=False)

    def test_an_unknown_layer_is_refused(self):
        self.assertEqual(rules_broken("src/misc/thing.cpp", "int x;\n"), ["layer"])

    def test_an_include_in_a_comment_counts_for_nothing(self):
        self.assertEqual(rules_broken("src/base/a.hpp", '// #include "mpi/process.hpp"\n'), [])


class Lines(unittest.TestCase):
    def test_columns(self):
        self.assertEqual(rules_broken("a.cpp", "//" + "x" * 118 + "\n"), [])
        self.assertEqual(rules_broken("a.cpp", "//" + "x" * 119 + "\n"), ["line-length"])
        self.assertEqual(rules_broken("a.md", "x" * 300 + "\n"), [])

    def test_file_length(self):
        self.assertEqual(rules_broken("a.cpp", "int x;\n" * 600), [])
        self.assertEqual(rules_broken("a.cpp", "int x;\n" * 601), ["file-length"])
        warnings = [finding for finding in rules.check_file("a.cpp", "int x;\n" * 201) if finding.is_warning]
        self.assertEqual([finding.rule for finding in warnings], ["file-length"])

    def test_tabs_unfinished_work_and_homes(self):
        self.assertEqual(rules_broken("a.cpp", "\tint x;\n"), ["tab"])
        self.assertEqual(rules_broken("Makefile", "\techo\n"), [])
        for word in ("TO" + "DO", "FIX" + "ME", "X" + "XX"):
            self.assertEqual(rules_broken("a.md", f"{word}: later\n"), ["unfinished"])
        self.assertEqual(rules_broken("a.md", "MASTODON and XXXL are words\n"), [])
        self.assertEqual(rules_broken("a.py", 'path = "/ho' + 'me/ann/x"\n'), ["home"])
        self.assertEqual(rules_broken("a.py", 'path = "/usr/home/x"\n'), [])


class Functions(unittest.TestCase):
    def names(self, text):
        return [block.name for block in cpp.blocks(text) if block.kind == "function"]

    def test_length(self):
        self.assertEqual(rules_broken("a.cpp", function_of_lines(70)), [])
        self.assertEqual(rules_broken("a.cpp", function_of_lines(71)), ["function-length"])
        self.assertEqual(rules_broken("a.cpp", "namespace n {\n" + function_of_lines(71) + "}\n"), ["function-length"])
        self.assertEqual(rules_broken("a.cpp", "class A {\n public:\n" + function_of_lines(70) + "};\n"), [])
        self.assertEqual(rules_broken("a.py", "def f():\n" + "    x = 1\n" * 69), [])
        self.assertEqual(rules_broken("a.py", "def f():\n" + "    x = 1\n" * 70), ["function-length"])

    def test_tables_and_types_are_no_functions(self):
        rows = "  {1, 2},\n" * 100
        self.assertEqual(rules_broken("a.cpp", "const int table[][2] = {\n" + rows + "};\n"), [])
        self.assertEqual(rules_broken("a.cpp", "enum class Kind : int {\n" + "  a,\n" * 100 + "};\n"), [])
        self.assertEqual(rules_broken("a.cpp", "struct alignas(64) A {\n" + "  int b;\n" * 100 + "};\n"), [])

    def test_forms_of_functions(self):
        self.assertEqual(self.names("template <class A, class B>\nauto f(A a) -> decltype(a) { return a; }\n"), ["f"])
        self.assertEqual(self.names("int A::g(int b = 1) const noexcept override { return b; }\n"), ["A::g"])
        constructor = "A::A(int b) noexcept : c_{b}, d_(b) { e(); }\n"
        self.assertEqual(self.names(constructor + "int h() { return 1; }\n"), ["A::A", "h"])
        self.assertEqual(self.names("A::A() : c_{1} {\n}\n"), ["A::A"])
        self.assertEqual(self.names("bool operator==(const A& a, const A& b) { return true; }\n"), ["operator=="])
        self.assertEqual(self.names('extern "C" {\nint f(void) { return 0; }\n}\n'), ["f"])
        self.assertEqual(self.names("TEST(Suite, Name) { if (x) { y(); } }\n"), ["TEST"])

    def test_the_length_of_a_constructor_counts_its_initialisers(self):
        text = "A::A()\n    : b_{1},\n" + "      c_{2},\n" * 70 + "      d_{3} {\n}\n"
        self.assertEqual(rules_broken("a.cpp", text), ["function-length"])

    def test_braces_that_are_no_braces(self):
        body = '  char c = \'{\'; // {\n  auto s = "{"; /* { */ auto r = R"(})"; int n = 1\'000;\n'
        self.assertEqual(self.names("int f() {\n" + body + "}\nint g() { return 1; }\n"), ["f", "g"])
        self.assertEqual(self.names("#define OPEN {\nint f() { return 1; }\n"), ["f"])


class Handlers(unittest.TestCase):
    FILE_MARK = "// A queue.\n// Context: handler\n\n"

    def test_what_is_banned(self):
        for call in (
            "p = malloc(3);",
            "auto* p = new int;",
            "delete p;",
            'printf("x");',
            'fprintf(stderr, "x");',
            "std::mutex m;",
            "std::lock_guard g(m);",
            "throw 1;",
            "usleep(3);",
            "std::this_thread::sleep_for(t);",
            "v.emplace_back(3);",
            "std::vector<int> v(3);",
            "std::string s(text);",
            'std::cerr << "x";',
            'x = getenv("X");',
        ):
            self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + f"void f() {{ {call} }}\n"), ["banned-call"], call)

    def test_what_is_not(self):
        for call in (
            "pool.free(p);",
            "pool->free(p);",
            "new (place) A;",
            "A(const A&) = delete;",
            "list.push_back(p);",
            "f(const std::string& s, std::vector<int>& v);",
            "// malloc(3)",
            'say("malloc(3) new throw");',
            "futex_wait(word);",
            "renew();",
        ):
            self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + f"void f() {{\n{call}\n}}\n"), [], call)

    def test_a_mark_above_a_function_counts_for_this_function(self):
        marked = "// Rings.\n// Context: handler\nvoid f() {\n  throw 1;\n}\n"
        free = "// Context: app\nvoid g() {\n  throw 1;\n}\n"
        findings = list(rules.check_file("a.cpp", "#include <x>\n" + marked + free))
        self.assertEqual([(finding.rule, finding.line) for finding in findings], [("banned-call", 5)])

    def test_a_function_of_the_application_in_a_marked_file(self):
        for mark in ("// Context: app.", "// App context. Grows the table."):
            self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + mark + "\nvoid f() { throw 1; }\n"), [])
        unmarked = "// App context.\nvoid f() {}\nvoid g() { throw 1; }\n"
        self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + unmarked), ["banned-call"])

    def test_a_mark_with_an_exception_marks_nothing(self):
        text = "// Context: handler, except the constructor.\nvoid f() { throw 1; }\n"
        self.assertEqual(rules_broken("a.cpp", text), [])

    def test_a_mark_inside_a_class(self):
        functions = "  // Context: handler\n  void f() { throw 1; }\n  void g() { throw 1; }\n"
        text = "int x;\nclass A {\n public:\n" + functions + "};\n"
        self.assertEqual([finding.line for finding in rules.check_file("a.cpp", text)], [5])

    def test_an_allowed_line_says_why(self):
        allowed = "void f() { throw 1; }  // style: allow banned-call, because the process ends here\n"
        self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + allowed), [])
        self.assertEqual(rules_broken("a.cpp", self.FILE_MARK + allowed.split(", because")[0] + "\n"), ["banned-call"])


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def test_each_layer_has_a_map(self):
        self.assertEqual([f.rule for f in tree.check_layer_readmes(["src/base/a.cpp"])], ["readme"])
        self.assertEqual(list(tree.check_layer_readmes(["src/base/a.cpp", "src/base/README.md"])), [])

    def test_each_lock_free_header_has_a_model(self):
        header = "src/base/inbox.hpp"
        self.write(header, "template <class Atoms = RealAtoms>\nclass Inbox {};\n")
        self.assertEqual(list(tree.check_models(self.root, [header])), [])
        self.write(tree.MODELS, "| `base/pool.hpp` | pool_test |\n")
        paths = [header, tree.MODELS]
        self.assertEqual([f.rule for f in tree.check_models(self.root, paths)], ["model"])
        self.write(tree.MODELS, "| `base/inbox.hpp` | inbox_test |\n")
        self.assertEqual(list(tree.check_models(self.root, paths)), [])

    def test_links_of_documents(self):
        links = "[b](../b.md#part) [web](https://example.org) [here](#part)\n"
        self.write("docs/a.md", links + "```\n[x](nowhere.md)\n```\n")
        self.assertEqual([f.rule for f in tree.check_links(self.root, ["docs/a.md"])], ["link"])
        self.write("b.md", "# part\n")
        self.assertEqual(list(tree.check_links(self.root, ["docs/a.md"])), [])

    def test_public_headers_compile_alone(self):
        self.write("include/good.h", "#include <stddef.h>\nsize_t good(void);\n")
        self.write("include/vif/good.hpp", "#pragma once\n#include <string>\nstd::string good();\n")
        folders = [self.root / "include"]
        self.assertEqual(list(tree.check_public_headers(folders, "cc", "c++")), [])
        self.write("include/bad.h", "size_t bad(void);\n")
        self.write("include/vif/bad.hpp", "std::string bad();\n")
        self.write("include/cxx_only.h", "class A;\n")
        found = [Path(f.path).name for f in tree.check_public_headers(folders, "cc", "c++")]
        self.assertEqual(sorted(found), ["bad.h", "bad.h", "bad.hpp", "cxx_only.h"])

    def test_files_without_git(self):
        for path in ("src/base/a.cpp", "build/b.cpp", "build-asan/c.cpp", ".venv/d.py", "docs/e.md", "docs/f.png"):
            self.write(path, "x\n")
        self.assertEqual(tree.project_files(self.root), ["docs/e.md", "src/base/a.cpp"])


class Exemptions(unittest.TestCase):
    FINDING = rules.Finding("file-length", "src/a.cpp", 1, "700 lines")

    def apply(self, text, findings):
        exemptions, bad_lines = tree.read_exemptions(text)
        return [f.rule for f in tree.apply_exemptions(findings, exemptions, TODAY) + bad_lines]

    def test_an_exemption_holds_until_its_date(self):
        self.assertEqual(self.apply("file-length src/a.cpp 2030-06-15 a table\n", [self.FINDING]), [])
        self.assertEqual(
            self.apply("file-length src/a.cpp 2030-06-14 a table\n", [self.FINDING]), ["file-length", "exemption"]
        )

    def test_it_holds_for_its_rule_and_file_only(self):
        self.assertIn("file-length", self.apply("tab src/a.cpp 2031-01-01 a table\n", [self.FINDING]))
        self.assertIn("file-length", self.apply("file-length src/b.cpp 2031-01-01 a table\n", [self.FINDING]))

    def test_an_exemption_that_nothing_needs_is_refused(self):
        self.assertEqual(self.apply("file-length src/a.cpp 2031-01-01 a table\n", []), ["exemption"])

    def test_a_line_without_a_date_or_reason_is_refused(self):
        self.assertEqual(self.apply("file-length src/a.cpp soon a table\n", []), ["exemption"])
        self.assertEqual(self.apply("file-length src/a.cpp 2031-01-01\n", []), ["exemption"])
        self.assertEqual(self.apply("# a comment\n\n", []), [])


if __name__ == "__main__":
    unittest.main()
