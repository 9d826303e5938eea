"""Drivers of the benchmarks: run programs on Vif and its peers, merge, show and report."""
