"""mFAVA's pages."""
