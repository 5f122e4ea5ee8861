"""Disturbs the real tool at each of its system calls, and looks from outside at what is left."""
