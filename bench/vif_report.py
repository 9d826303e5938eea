#!/usr/bin/env python3
"""vif report: see vifbench/report.py."""

import sys

from vifbench.report import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __file__))
