"""The metadata of a README: what the Hub accepts in it, and what it only warns about."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*$", re.DOTALL | re.MULTILINE)
WORDS = yaml.safe_load(Path(__file__).with_name("cards.yaml").read_text("utf-8"))
LICENCES, LANGUAGES, SIZES, TASKS, COLOURS = (set(words.split()) for words in WORDS.values())
TEXTS = ("license_name", "license_link", "pretty_name", "library_name", "pipeline_tag")
LISTS = (
    "tags task_categories task_ids annotations_creators source_datasets language_creators multilinguality "
    "datasets metrics base_model"
).split()


def front_matter(text: str) -> tuple[dict | None, str | None]:
    """The metadata at the head of a card, None where there is none; and what is wrong with its YAML, None
    where nothing is.
    """
    match = FRONT.search(text)
    try:
        data = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError as error:
        return None, f"The metadata is not YAML: {' '.join(str(error).split())}"
    return (data, None) if isinstance(data, dict | None) else (None, "The metadata is not a mapping")


def faults_of(text: str, *, kind: str) -> list[str]:
    """What the Hub refuses in a card; nothing in one without metadata."""
    data, wrong = front_matter(text)
    if data is None:
        return [wrong] if wrong else []
    return [*_of_all(data), *{"space": _of_space, "dataset": _of_dataset, "model": _of_model}[kind](data)]


def warnings_of(text: str, *, kind: str) -> list[str]:
    """What the Hub only remarks on."""
    data, _ = front_matter(text)
    if data is None:
        return ["empty or missing yaml metadata in repo card"]
    tasks = listed(data.get("task_categories")) if kind == "dataset" else []
    return [f'"task_categories": {task!r} is not in the official list' for task in tasks if task not in TASKS]


def listed(value: object) -> list:
    """A value that may be given alone or as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _of_all(data: dict) -> Iterator[str]:
    """Licences, with a name where none of the Hub's fits; languages (YAML reads an unquoted `no` as false)."""
    for licence in listed(data.get("license")):
        if licence not in LICENCES:
            yield f'"license" must be one of {sorted(LICENCES)[:4]}…, not {licence!r}'
        if licence == "other" and not data.get("license_name"):
            yield '"license_name" is needed where "license" is "other"'
    for code in listed(data.get("language")):
        is_code = isinstance(code, str) and re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]+)?|code|multilingual", code)
        if not is_code or (len(code) == 2 and code not in LANGUAGES):
            yield f'"language" with value {code!r} is not valid. It must be an ISO 639-1, 639-2 or 639-3 code'
    yield from (f'"{key}" must be a string' for key in TEXTS if not isinstance(data.get(key, ""), str))
    for key in LISTS:
        if not all(isinstance(entry, str) for entry in listed(data.get(key))):
            yield f'"{key}" must be an array of strings'


def _of_space(data: dict) -> Iterator[str]:
    if data.get("sdk") not in ("static", "docker", "gradio"):
        yield f'"sdk" must be one of [gradio, docker, static], not {data.get("sdk")!r}'
    for key in ("colorFrom", "colorTo"):
        if data.get(key) not in (None, *COLOURS):
            yield f'"{key}" must be a colour of the Hub, not {data[key]!r}'


def _of_dataset(data: dict) -> Iterator[str]:
    """Classes of size; configs, named once each, at most one default, files of named splits; their features."""
    for size in listed(data.get("size_categories")):
        if size not in SIZES:
            yield f'"size_categories" must be one of {sorted(SIZES)}, not {size!r}'
    configs, infos = listed(data.get("configs")), listed(data.get("dataset_info"))
    if not all(isinstance(entry, dict) for entry in (*configs, *infos)):
        yield '"configs" and "dataset_info" must be arrays of mappings'
        return
    if sum(config.get("default") is True for config in configs) > 1:
        yield '"configs" must have at most one default'
    names = [config.get("config_name") for config in configs]
    for name, config in zip(names, configs, strict=True):
        if not isinstance(name, str) or not name or re.search(r"[<>:/\\|?*]", name):
            yield f'"config_name" {name!r} is not valid: none of < > : / \\ | ? * is allowed'
        elif names.count(name) > 1:
            yield f'"config_name" {name!r} is not unique'
        if config.get("data_files") is None and "data_dir" not in config:
            yield f'config {name!r} needs "data_files" or "data_dir"'
        for files in listed(config.get("data_files")):
            split = files.get("split") if isinstance(files, dict) else "train"
            if not isinstance(split, str) or not re.fullmatch(r"\w+(\.\w+)*", split):
                yield f'"split" {split!r} is not valid: it should match \\w+(\\.\\w+)*'
    names = [info.get("config_name") for info in infos]
    if len(infos) > 1 and (None in names or len(set(names)) < len(names)):
        yield '"dataset_info" must have one entry per config, each with its "config_name"'
    for info in infos:
        if not all(isinstance(feature.get("name"), str) for feature in info.get("features", [])):
            yield f'"features" of {info.get("config_name")!r} must be an array of mappings with a name'
        for split in listed(info.get("splits")):
            if not isinstance(split.get("num_examples"), int) or not isinstance(split.get("name"), str):
                yield f'"splits" of {info.get("config_name")!r} must be mappings with name and num_examples'


def _of_model(data: dict) -> Iterator[str]:
    for entry in listed(data.get("model-index")):
        if not isinstance(entry.get("name"), str) or not isinstance(entry.get("results"), list):
            yield '"model-index" must be an array of mappings with name and results'
