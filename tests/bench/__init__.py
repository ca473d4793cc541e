"""Benchmarks: run by hand, each prints a table. Timings are noisy, so no test asserts one."""
