"""The write way: readers of formats, found by the entry-point group `pace_graph.loaders`, and the writer."""
