"""mFAVA (Islam et al. 2025): how much language models hallucinate across languages."""
