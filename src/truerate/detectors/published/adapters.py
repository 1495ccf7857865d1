"""Who the published detectors are: one entry for checkpoints that are asked and read alike. Facts, read in the
projects' own code or on their cards; what was in neither is None, and has to be given in params.yaml.

Polarity is the commonest mistake, so it stands in each entry: `supported_class` is the class that means supported, but
in kind tokens, where it is the one that means hallucinated.
"""

from truerate.core.errors import TruerateError, listed, meant
from truerate.detectors.published import templates as t
from truerate.detectors.published.adapter import WINDOWLESS, Adapter
from truerate.detectors.published.chunks import Chunker

OWN = "truerate"  # detectors that `train` and `publish` of ours wrote
RAGTRUTH = "RAGTruth"
REMOTE = "its network is code that comes with the weights, which is never run here"

TOKENS = (  # KRLabsOrg/LettuceDetect: class 1 = hallucinated
    Adapter(
        "lettucedetect",
        "tokens",
        ids=tuple(f"KRLabsOrg/lettucedect-{size}-modernbert-en-v1" for size in ("base", "large")),
        shapes=("modernbert",),
        template=t.LETTUCE_QUESTION,
        without_question=t.LETTUCE_SUMMARY,
        passage=t.LETTUCE_PASSAGE,
        window=4096,
        licence="mit",
        trained_on=RAGTRUTH,
    ),
    Adapter(
        "tinylettuce",
        "tokens",
        ids=tuple(f"KRLabsOrg/tinylettuce-ettin-{size}-en" for size in ("17m", "32m", "68m")),
        shapes=("modernbert",),
        template=t.LETTUCE_QUESTION,
        without_question=t.LETTUCE_SUMMARY,
        passage=t.LETTUCE_PASSAGE,
        window=8192,
        licence="mit",
        trained_on=RAGTRUTH,
    ),
    Adapter(
        "lettucedetect-2",
        "tokens",
        ids=("KRLabsOrg/lettucedect-v2-mmbert-base",),
        shapes=("modernbert",),
        template=t.LETTUCE_2_QUESTION,
        without_question=t.BARE,
        window=8192,
        trained_on=f"{RAGTRUTH}, PsiloQA, code",
    ),
    Adapter(
        "lettucedetect-eurobert",
        "tokens",
        ids=tuple(
            f"KRLabsOrg/lettucedect-{size}-eurobert-{lang}-v1"
            for size in ("210m", "610m")
            for lang in ("de", "fr", "es", "it", "pl", "cn")
        ),
        refused=REMOTE,
    ),
    Adapter("euroeval-mmbert", "tokens", shapes=("modernbert",), template=None, trained_on=RAGTRUTH),
    Adapter(
        "newmindai-modernbert",
        "tokens",
        ids=("newmindai/ModernBERT-tr-uncased-stsb-HD",),
        shapes=("modernbert",),
        template=None,
        licence="mit",
        trained_on=RAGTRUTH,
    ),
    Adapter("psiloqa", "tokens", template=t.QUESTION_ALONE, window=8192, trained_on="PsiloQA"),
)

CLASSES = (  # supported = class 1, but entailment = class 0 in AlignScore and VitaminC
    Adapter(
        "minicheck-roberta",
        "classes",
        ids=("lytang/MiniCheck-RoBERTa-Large",),
        shapes=("roberta",),
        template=t.MINICHECK,
        window=512,
        chunker=Chunker("minicheck", 400),
        licence="mit",
    ),
    Adapter(
        "minicheck-deberta",
        "classes",
        ids=("lytang/MiniCheck-DeBERTa-v3-Large",),
        shapes=("deberta-v2",),
        template=t.MINICHECK,
        window=2048,
        chunker=Chunker("minicheck", 400),
        licence="mit",
    ),
    Adapter(
        "factcg",
        "classes",
        ids=("yaxili96/FactCG-DeBERTa-v3-Large",),
        shapes=("deberta-v2",),
        template=t.FACTCG,
        window=2048,
        chunker=Chunker("factcg", 550),
        licence="mit",
    ),
    Adapter(
        "alignscore",
        "align",
        shapes=("roberta",),
        is_pair=True,
        supported_class=0,
        window=512,
        chunker=Chunker("alignscore", 350),
        claim="sentence",
        over="mean",
        threshold=None,
        licence="mit",
    ),
    *(
        Adapter(
            f"summac-{name}",
            "classes",
            ids=(weights,),
            shapes=(shape,),
            is_pair=True,
            supported_class=supported,
            against=against,
            window=500,
            chunker=Chunker("sentences", 10),
            claim="sentence",
            over="mean",
            threshold=None,
        )
        for name, weights, shape, supported, against in (
            ("vitc", "tals/albert-xlarge-vitaminc-mnli", "albert", 0, 1),
            ("mnli", "roberta-large-mnli", "roberta", 2, 0),
            ("mnli-base", "microsoft/deberta-base-mnli", "deberta", 2, 0),
            ("anli", "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", "roberta", 0, 2),
        )
    ),
    Adapter(
        "hhem-2.1-open",
        "encoder",
        ids=("vectara/hallucination_evaluation_model",),
        shapes=("HHEMv2Config", "HHEMv2ForSequenceClassification", "T5ForTokenClassification"),
        template=t.HHEM,
        window=WINDOWLESS,
        is_above=False,
        licence="apache-2.0",
        base="google/flan-t5-base",
    ),
    Adapter(
        "minicheck-flan-t5",
        "decoder",
        ids=("lytang/MiniCheck-Flan-T5-Large",),
        shapes=("t5",),
        template=t.MINICHECK_T5,
        word_ids=(3, 209),
        window=2048,
        chunker=Chunker("minicheck-t5", 500),
        licence="mit",
    ),
    *(
        Adapter(
            name,
            "decoder",
            ids=(weights,),
            shapes=("t5",),
            template=t.TRUE_NLI,
            word_ids=(209,),  # T5's piece of 1
            window=2048,
            licence=licence,
        )
        for name, weights, licence in (
            ("trueteacher", "google/t5_11b_trueteacher_and_anli", "cc-by-nc-4.0"),
            ("true", "google/t5_xxl_true_nli_mixture", None),
        )
    ),
)

JUDGES = (
    Adapter(
        "bespoke-minicheck",
        "judge",
        ids=("bespokelabs/Bespoke-MiniCheck-7B",),
        template=t.BESPOKE,
        system=t.BESPOKE_SYSTEM,
        n_written=1,
        window=32_768,
        claim="sentence",
        reader="yes-is-supported",
        licence="cc-by-nc-4.0",
    ),
    Adapter(
        "granite-guardian-3.3",
        "judge",
        ids=("ibm-granite/granite-guardian-3.3-8b",),
        template=t.CLAIM,
        layout="documents",
        n_written=64,
        window=32_768,
        reader="score-tag",
        licence="apache-2.0",
    ),
    Adapter(
        "granite-guardian-4.1",
        "judge",
        ids=("ibm-granite/granite-guardian-4.1-8b",),
        refused="its second turn must be word for word, and we do not have it; use granite-guardian-3.3",
    ),
    Adapter(
        "lynx",
        "judge",
        ids=tuple(
            f"PatronusAI/{name}"
            for name in (
                "Llama-3-Patronus-Lynx-8B-Instruct",
                "Llama-3-Patronus-Lynx-8B-Instruct-v1.1",
                "Patronus-Lynx-8B-Instruct-v1.1",
            )
        ),
        template=t.LYNX,
        window=8000,
        reader="pass-or-fail",
        n_written=600,
        licence="cc-by-nc-4.0",
        trained_on=RAGTRUTH,
    ),
    Adapter(
        "lynx-70b",
        "judge",
        ids=tuple(f"PatronusAI/Llama-3-Patronus-Lynx-70B-Instruct{part}" for part in ("", "-v1.1")),
        template=t.LYNX,
        window=8000,
        reader="pass-or-fail",
        n_written=600,
        licence="llama3",
        trained_on=RAGTRUTH,
    ),
    Adapter(
        "hallujudge",
        "judge",
        template=None,
        layout="plain",
        n_written=160,
        window=1280,
        reader="yes-is-hallucinated",
        trained_on="the dialogues of its own paper",
    ),
    *(
        Adapter(
            name,
            "judge",
            ids=ids,
            template=None,
            n_written=512,
            window=window,
            reader="listed-spans",
            trained_on=sets,
        )
        for name, ids, window, sets in (
            (
                "lettucedetect-2-qwen",
                ("KRLabsOrg/lettucedect-v2-qwen-2b",),
                None,
                f"{RAGTRUTH}, PsiloQA, code",
            ),
            ("ragtruth-llama", (), 4096, RAGTRUTH),
            (
                "osiris",
                tuple(f"judgmentlabs/Qwen2.5-Osiris-{n}B-Instruct" for n in ("0.5", "1.5", "3", "7")),
                None,
                "MuSiQue",
            ),
        )
    ),
    Adapter(
        "fava",
        "judge",
        ids=("fava-uw/fava-model",),
        shapes=("llama",),
        template=t.FAVA,
        layout="plain",
        n_written=1024,
        window=4096,
        reader="fava-tags",
    ),
    Adapter(
        "anah-2",
        "judge",
        ids=("opencompass/anah-v2",),
        refused="it is asked in three turns, which we have not",
    ),
)

ADAPTERS = {
    adapter.name: adapter
    for adapter in (*TOKENS, *CLASSES, *JUDGES, Adapter(OWN, "own", window=WINDOWLESS, licence="its card's"))
}
BY_ID = {name: adapter for adapter in ADAPTERS.values() for name in adapter.ids}


def adapter_of(named: str | None, weights: str | None, *, is_own: bool, where: str) -> Adapter:
    """The adapter that is named, or the one that knows the weights. Raises TruerateError where there is none."""
    if named is not None:
        if named not in ADAPTERS:
            raise TruerateError(
                f"{where}: no adapter {named!r}{meant(named, ADAPTERS)}; there: {listed(ADAPTERS)}"
            )
        return ADAPTERS[named]
    if is_own:
        return ADAPTERS[OWN]
    if weights in BY_ID:
        return BY_ID[weights]
    raise TruerateError(f"{where}: no adapter knows {weights!r}; name one as `adapter`: {listed(ADAPTERS)}")
