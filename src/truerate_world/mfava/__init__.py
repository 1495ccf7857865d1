"""The closed world for mFAVA: one small fictional wiki told in six languages, and what models make of it."""
