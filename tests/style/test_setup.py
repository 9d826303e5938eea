#!/usr/bin/env python3
"""scripts/setup where it can install nothing: it must say so in one sentence, or go on when everything is there."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What the script itself uses, besides what it looks for.
TOOLS = ["bash", "env", "dirname", "basename", "sort", "head", "cmp", "cat"]
REQUIRED = ["cc", "c++", "cmake", "ninja", "pkg-config", "python3"]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # Another user must be able to reach the script and what it sees.
        Path(folder.name).chmod(0o755)
        self.bin = Path(folder.name) / "bin"
        self.script = Path(folder.name) / "tree" / "scripts" / "setup"
        self.bin.mkdir()
        self.script.parent.mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "setup", self.script)
        for name in TOOLS + REQUIRED:
            self.use(name, shutil.which(name))

    def use(self, name, path):
        """Puts a program on the PATH that the script sees."""
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).symlink_to(path)

    def write(self, name, script):
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text("#!/bin/sh\n" + script)
        (self.bin / name).chmod(0o755)

    def run_setup(self, *arguments, **how):
        return subprocess.run(
            [self.script, *arguments],
            env={"PATH": str(self.bin), "HOME": os.environ.get("HOME", "/")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **how,
        )

    def assert_refused(self, result, *words):
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_another_system_with_everything_goes_on(self):
        result = self.run_setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout + result.stderr, "")

    def test_another_system_without_ninja_is_told_what_to_install(self):
        (self.bin / "ninja").unlink()
        self.assert_refused(self.run_setup(), "neither Debian nor Ubuntu", "ninja-build")

    def test_an_old_cmake_is_refused(self):
        self.write("cmake", 'echo "cmake version 3.22.1"\n')
        self.assert_refused(self.run_setup(), "CMake 3.22.1 is too old", "3.25")

    def test_without_root_or_sudo_the_missing_packages_are_named(self):
        self.write("dpkg-query", "exit 1\n")
        self.write("apt-get", "exit 1\n")
        (self.bin / "ninja").unlink()
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.assert_refused(self.run_setup(**nobody), "apt-get install", "ninja-build")

    def test_a_failing_apt_is_reported(self):
        self.write("dpkg-query", "exit 1\n")
        self.write("apt-get", "exit 100\n")
        self.write("sudo", 'shift; [ "$1" = true ] || exec "$@"\n')
        self.write("true", "exit 0\n")
        result = self.run_setup()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("apt-get could not install", result.stderr)

    def test_an_unknown_option_is_refused(self):
        self.assert_refused(self.run_setup("--pythn"), "unknown option '--pythn'")


if __name__ == "__main__":
    unittest.main()
