"""The agent stages: each a function that returns a named runnable from one record to the next."""
