"""The exact strings that published detectors were trained on. They are facts of a format: a blank or a line
break more gives other numbers.

`{document}` (or a part of it), `{claim}`, `{question}`, `{n}` (passages) and `{eos}` (the tokenizer's end of a
text) are filled in by `filled`. What is filled in is never read again for fields, so that a text may hold
braces. Nothing is fenced: no published model was trained on fences. Special tokens in what is filled in are
read as their signs where the tokenizer is at hand (`scorers.Tokens.plain`).
"""

import re
from collections.abc import Mapping

FIELD = re.compile(r"\{(document|claim|question|n|eos)\}")

# KRLabsOrg/LettuceDetect, prompts/{qa,summary}_prompt_en.txt: no line break behind `output:`
LETTUCE_QUESTION = (
    "Briefly answer the following question:\n{question}\n"
    "Bear in mind that your response should be strictly based on the following {n} passages:\n"
    "{document}\n"
    "In case the passages do not contain the necessary information to answer the question, please reply with: "
    '"Unable to answer based on given passages."\noutput:'
)
LETTUCE_SUMMARY = "Summarize the following text:\n{document}\noutput:"
LETTUCE_PASSAGE = "passage {n}: {document}"
# the same project's second generation: its data set builders, and the plain example of its card
LETTUCE_2_QUESTION = "User request: {question}\n\n{document}"
BARE = "{document}"
CLAIM = "{claim}"
QUESTION_ALONE = "{question}"  # s-nlp/PsiloQA: its encoders never see a passage

MINICHECK = "{document}{eos}{claim}"  # Liyan06/MiniCheck, minicheck/inference.py
MINICHECK_T5 = "predict: {document}{eos}{claim}"
FACTCG = (  # derenlei/FactCG, factcg/utils.py: a blank at the end
    '{document}\n\nChoose your answer: based on the paragraph above can we conclude that "{claim}"?\n\n'
    "OPTIONS:\n- Yes\n- No\nI think the answer is "
)
HHEM = (  # vectara/HCMBench, pipeline/evaluation/hhem.py: `<pad>` is text that becomes a token
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {document}\n\nHypothesis: {claim}"
)
TRUE_NLI = "premise: {document} hypothesis: {claim}"  # cards of TrueTeacher and of TRUE

BESPOKE_SYSTEM = (
    "Determine whether the provided claim is consistent with the corresponding document. Consistency in this "
    "context implies that all information presented in the claim is substantiated by the document. If not, it "
    "should be considered inconsistent. Please assess the claim's consistency with the document by responding "
    'with either "Yes" or "No".'
)
BESPOKE = "Document: {document}\nClaim: {claim}"
LYNX = (  # card of PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct
    "Given the following QUESTION, DOCUMENT and ANSWER you must analyze the provided answer and determine whether "
    "it is faithful to the contents of the DOCUMENT. The ANSWER must not offer new information beyond the context "
    "provided in the DOCUMENT. The ANSWER also must not contradict information provided in the DOCUMENT. Output "
    'your final verdict by strictly following this format: "PASS" if the answer is faithful to the DOCUMENT and '
    '"FAIL" if the answer is not faithful to the DOCUMENT. Show your reasoning.\n\n'
    "--\nQUESTION (THIS DOES NOT COUNT AS BACKGROUND INFORMATION):\n{question}\n\n"
    "--\nDOCUMENT:\n{document}\n\n"
    "--\nANSWER:\n{claim}\n\n"
    "--\n\n"
    'Your output should be in JSON FORMAT with the keys "REASONING" and "SCORE":\n'
    '{"REASONING": <your reasoning as bullet points>, "SCORE": <your final score>}'
)
FAVA = (  # abhika-m/FAVA: a blank at the end
    "Read the following references:\n{document}\nPlease identify all the errors in the following text using the "
    "information in the references provided and suggest edits if necessary:\n[Text] {claim}\n[Edited] "
)


def filled(template: str, **values: object) -> str:
    """A template with its fields filled in, each once; a field that no value is given for is empty."""
    fields: Mapping[str, object] = values
    return FIELD.sub(lambda field: str(fields.get(field[1], "")), template)


def fields_of(template: str) -> set[str]:
    """The fields that a template has."""
    return set(FIELD.findall(template))
