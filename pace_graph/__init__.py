"""pace-graph: finds, in what is known about a person, the facts that speak against a request."""

__version__ = "0.1.0"
