"""What `truerate llm …` prints."""

import json

from llm.asked import asking
from truerate.llm import commands
from truerate.llm.ask import ask
from truerate.llm.store.responses import Store


def test_what_the_store_holds(at, capsys):
    layout = at()
    commands.stats(layout)
    commands.dead(layout)
    assert "the store is empty" in (said := capsys.readouterr().out) and "no dead letters" in said
    ask([asking("a"), asking("[[refusal]]")], layout, label="x")
    commands.stats(layout, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["identity"], row["n_replies"], row["n_dead"]) == ("stub-model", 1, 1)
    commands.stats(layout)
    commands.dead(layout)
    assert "stub-model" in (said := capsys.readouterr().out) and "refusal" in said


def test_dead_letters_are_forgotten_by_reason_and_who_holds_them_is_told_first(at, capsys):
    layout = at()
    (letter,) = ask([asking("[[refusal]]")], layout, label="x")
    told = []

    def mark(layout, keys):
        told.append((keys, commands.facts.dead_letters(Store(layout.store)).height))
        return ["some-board"] if keys else []

    commands.dead(layout, retry="length", as_json=True, mark=mark)
    commands.dead(layout, retry="refusal", mark=mark)
    commands.dead(layout, retry="refusal", mark=mark)
    first, second, third = capsys.readouterr().out.splitlines()
    assert json.loads(first) == {"n_forgotten": 0, "boards": []} and third == "no dead letters to forget"
    assert second == "1 dead letter forgotten; the next `dvc repro` asks them again, on some-board"
    assert told == [
        (set(), 1),
        ({letter.key}, 1),
        (set(), 0),
    ]  # told while the letters are still there: a kill in between loses none


def test_a_pack_goes_to_another_host(at, tmp_path, capsys, monkeypatch, stub):
    layout, file = at(), str(tmp_path / "pack.parquet")
    ask([asking("a"), asking("b")], layout, label="x")
    commands.export(layout, file)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "other.sqlite"))
    commands.import_(layout, file)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["2", "2"]
    assert all(reply.is_stored for reply in ask([asking("a"), asking("b")], layout, label="y"))
    assert stub.n_calls == 2


def test_replies_of_models_that_params_no_longer_name_go(at, capsys):
    ask([asking("a")], at(model={"identity": "m@old"}), label="x")
    ask([asking("a")], at(), label="x")
    commands.gc(at(), older_than_days=0)
    assert capsys.readouterr().out == "1 replies and dead letters dropped\n"
