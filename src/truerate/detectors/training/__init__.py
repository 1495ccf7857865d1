"""How networks learn, whatever they learn: rows, a loss, and settings in; the same weights out, killed or
not.
"""
