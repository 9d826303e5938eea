"""Runs a Python example with two ranks on the built library.

usage: run_example.py BUILD_FOLDER EXAMPLE
"""

import os
import pathlib
import subprocess
import sys

build, example = (pathlib.Path(argument) for argument in sys.argv[1:3])
environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib")}
command = [build / "bin" / "mpirun", "-n", "2", sys.executable, "-B", example]
sys.exit(subprocess.run(command, env=environment).returncode)
