"""Rows of the tables with what goes without saying: a test names what it is about."""

from truerate.core.schemas import generation_row, judgement_row, sample_row


def document(name, text="", **more):
    known = {"document_id": name, "lang": "en", "title": "", "text": text, "url": None, "source": "s"}
    return known | {"licence": "CC0-1.0", "dated": None, "is_wikipedia": False} | more


def item(name, task="qa", **more):
    known = {"item_id": name, "source": "s", "task": task, "lang": "en", "group_id": name, "document_ids": []}
    return known | {"history": "", "question": "", "right_answer": None, "attributes": []} | more


def sample(name, item_id, text, is_hallucinated, **more):
    known = {"sample_id": name, "item_id": item_id, "group_id": item_id, "task": "qa", "lang": "en"}
    known |= {"text": text, "is_hallucinated": is_hallucinated, "label_source": "gold", "split": "test"}
    return sample_row(**known | more)


def generation(name, item_id, purpose, model, text, **more):
    return generation_row(
        **{"generation_id": name, "item_id": item_id, "purpose": purpose, "model": model, "text": text} | more
    )


def fact(name, item_id, text, **more):
    known = {"fact_id": name, "generation_id": "g", "item_id": item_id, "subject": "m", "sentence_index": 0}
    known |= {"sentence": "", "text": text, "is_duplicate": False, "is_title": False, "evidence": []}
    return known | more


def judgement(name, judge, target, verdict, **more):
    known = {"judgement_id": name, "judge": judge, "judge_version": "1", "target_id": target}
    return judgement_row(**known | {"verdict": verdict} | more)
