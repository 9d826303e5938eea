#!/usr/bin/env python3
"""Checks the style and the layers of the tree. CONTRIBUTING.md lists the rules; scripts/style/ holds them."""

import argparse
import datetime
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from style import rules, tree  # noqa: E402


def check_tree(root, include_folders, c_compiler, cxx_compiler, today):
    paths = tree.project_files(root)
    findings = []
    for path in paths:
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            findings.append(rules.Finding("encoding", path, 1, "not UTF-8"))
            continue
        findings += rules.check_file(path, text)
    findings += tree.check_layer_readmes(paths)
    findings += tree.check_models(root, paths)
    findings += tree.check_links(root, paths)
    include_folders = [folder for folder in include_folders if folder.is_dir()]
    findings += tree.check_public_headers(include_folders, c_compiler, cxx_compiler)
    exemption_file = root / tree.EXEMPTIONS
    exemptions, bad_lines = tree.read_exemptions(exemption_file.read_text() if exemption_file.exists() else "")
    return len(paths), tree.apply_exemptions(findings, exemptions, today) + bad_lines


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree to check")
    parser.add_argument("--build-include", type=Path, default=None, help="folder of generated public headers")
    parser.add_argument("--c-compiler", default=os.environ.get("CC", "cc"))
    parser.add_argument("--cxx-compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--warnings", action="store_true", help="print warnings too, not only errors")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    root = arguments.root.resolve()
    build_include = arguments.build_include or root / "build" / "include"
    count, findings = check_tree(
        root, [root / "include", build_include], arguments.c_compiler, arguments.cxx_compiler, datetime.date.today()
    )
    errors = [finding for finding in findings if not finding.is_warning]
    for finding in findings if arguments.warnings else errors:
        print(finding)
    print(f"style: {count} files, {len(errors)} errors, {len(findings) - len(errors)} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
