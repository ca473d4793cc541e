"""Measuring systems on worlds that know their answers."""
