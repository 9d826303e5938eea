#!/usr/bin/env python3
"""vif demo: see vifbench/demo.py."""

import sys

from vifbench.demo import main

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], __file__))
    except KeyboardInterrupt:
        sys.exit(130)
