"""The command line: thin calls into the library."""
