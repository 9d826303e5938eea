#!/usr/bin/env python3
"""vif bench: see vifbench/cli.py."""

import sys

from vifbench.cli import main

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], __file__))
    except KeyboardInterrupt:
        sys.exit(130)
