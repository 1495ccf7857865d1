#!/usr/bin/env bash
# Knowledge is looked up by words, with bm25s or scikit-learn's TF-IDF, in Bengali, Hindi and Tamil. Words there stand between blanks.
# One would guess that words are found at the blanks, as in English or Russian; at worst rare words are missed.
# Both cut with \w of Python's re, to which vowel signs are no letters, and drop pieces of one letter: the Bengali sentence has no
# word left, and "he is in Delhi" and "he is in Pune" are the same in Hindi (similarity 1). The tokenizers library finds whole words.
# Why it matters: a detector of these languages compares what is left of the words, or nothing. Seen with the versions below,
# November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check bm25s==0.3.16 scikit-learn==1.9.1 scipy==1.17.1 tokenizers==0.23.3 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

import bm25s
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from tokenizers.pre_tokenizers import Whitespace

for name in ("bm25s", "scikit-learn", "tokenizers"):
    print(name, version(name))
SENTENCES = {
    "Russian": "он не живёт в Москве",
    "Hindi": "वह दिल्ली में नहीं है",  # he is not in Delhi
    "Tamil": "இது உண்மை இல்லை",  # this is not true
    "Bengali": "সে ঢাকায় থাকে না",  # he does not live in Dhaka
}
analyse = TfidfVectorizer().build_analyzer()
seen = {}
for language, text in SENTENCES.items():
    (retrieved,) = bm25s.tokenize(text, stopwords=None, return_ids=False, show_progress=False)
    whole = [word for word, _ in Whitespace().pre_tokenize_str(text)]
    seen[language] = sum(word in text.split() for word in retrieved), sum(word in text.split() for word in whole), len(text.split())
    print(f"{language:8} {text}\n  bm25s {retrieved}\n  scikit-learn {analyse(text)}\n  tokenizers {whole}")
    assert retrieved == analyse(text), "changed: the two differ"
delhi, pune = "वह दिल्ली में है", "वह पुणे में है"  # he is in Delhi, he is in Pune
vectors = TfidfVectorizer().fit_transform([delhi, pune])
similarity = float(cosine_similarity(vectors)[0, 1])
print(f"TF-IDF similarity of {delhi!r} ({analyse(delhi)}) and {pune!r} ({analyse(pune)}): {similarity:.2f}")
print("whole words by bm25s, by tokenizers, in all:", seen)
assert seen["Bengali"] == (0, 4, 4) and seen["Tamil"] == (0, 3, 3) and seen["Hindi"] == (1, 5, 5), "changed: words"
assert similarity > 0.999, "changed: similarity"
PY
