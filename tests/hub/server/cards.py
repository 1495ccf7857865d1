"""The metadata of a README: what the Hub accepts in it, and what it only warns about."""

import re
from collections.abc import Iterable

import yaml

from .names import KINDS
from .wire import Answer, Refusal, Request, of_json

FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^---[ \t]*$", re.DOTALL | re.MULTILINE)
LICENCES = set(
    "apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m afl-3.0 "
    "artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 "
    "cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 "
    "cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 "
    "epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2 agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc h-research "
    "intel-research lppl-1.3c ms-pl apple-ascl apple-amlr mpl-2.0 odc-by odbl openmdw-1.0 openrail++ osl-3.0 postgresql "
    "ofl-1.1 ncsa unlicense zlib pddl lgpl-lr deepfloyd-if-license fair-noncommercial-research-license llama2 llama3 llama3.1 "
    "llama3.2 llama3.3 llama4 gemma unknown other".split()
)
TWO_LETTERS = set(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es "
    "et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj "
    "kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv "
    "ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th "
    "ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
SIZES = (
    "n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "10B<n<100B", "100B<n<1T", "n>1T",
)  # fmt: skip
TASKS = set(
    "text-classification token-classification table-question-answering question-answering zero-shot-classification "
    "translation summarization feature-extraction text-generation fill-mask sentence-similarity text-ranking tabular-to-text "
    "table-to-text multiple-choice text-retrieval other".split()
)


def front_matter(text: str) -> tuple[dict | None, str | None]:
    """The metadata at the head of a card, None where there is none; and what is wrong with its YAML, None
    where nothing is.
    """
    match = FRONT.search(text)
    if not match:
        return None, None
    try:
        data = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        return None, f"The metadata is not YAML: {' '.join(str(error).split())}"
    if data is None:
        return None, None
    return (data, None) if isinstance(data, dict) else (None, "The metadata is not a mapping")


def faults_of(text: str, *, kind: str) -> list[str]:
    """What the Hub refuses in a card; nothing in one without metadata."""
    data, wrong = front_matter(text)
    if data is None:
        return [wrong] if wrong else []
    checks = [of_licence(data), of_languages(data), of_lists(data)]
    if kind == "space":
        checks += [of_space(data)]
    elif kind == "dataset":
        checks += [of_sizes(data), of_configs(data), of_dataset_info(data)]
    else:
        checks += [of_model(data)]
    return [wrong for results in checks for wrong in results]


def of_space(data: dict) -> Iterable[str]:
    """What the Hub refuses in the head of a Space: no kit, colours that it does not know, a long title."""
    if data.get("sdk") not in ("static", "docker", "gradio"):
        yield f'"sdk" must be one of [gradio, docker, static], not {data.get("sdk")!r}'
    for key in ("colorFrom", "colorTo"):
        if data.get(key) not in (None, "red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"):
            yield f'"{key}" must be a colour of the Hub, not {data[key]!r}'


def warnings_of(text: str, *, kind: str) -> list[str]:
    """What the Hub only remarks on."""
    data, _ = front_matter(text)
    if data is None:
        return ["empty or missing yaml metadata in repo card"]
    unknown = [
        task for task in listed(data.get("task_categories")) if kind == "dataset" and task not in TASKS
    ]
    return [f'"task_categories": {task!r} is not in the official list' for task in unknown]


def listed(value: object) -> list:
    """A value that may be given alone or as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def of_licence(data: dict) -> Iterable[str]:
    """Licence identifiers, and a name where none of them fits."""
    for licence in listed(data.get("license")):
        if licence not in LICENCES:
            yield f'"license" must be one of {sorted(LICENCES)[:4]}…, not {licence!r}'
        if licence == "other" and not data.get("license_name"):
            yield '"license_name" is needed where "license" is "other"'
    for key in ("license_name", "license_link"):
        if not isinstance(data.get(key, ""), str):
            yield f'"{key}" must be a string'


def of_languages(data: dict) -> Iterable[str]:
    """Language codes; YAML reads an unquoted `no` as false, which is none."""
    for code in listed(data.get("language")):
        is_code = isinstance(code, str) and re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]+)?|code|multilingual", code)
        if not is_code or (len(code) == 2 and code not in TWO_LETTERS):
            yield f'"language" with value {code!r} is not valid. It must be an ISO 639-1, 639-2 or 639-3 code, "code" or "multilingual"'


def of_lists(data: dict) -> Iterable[str]:
    """Keys that hold text or lists of text."""
    if not isinstance(data.get("pretty_name", ""), str):
        yield '"pretty_name" must be a string'
    for key in (
        "tags",
        "task_categories",
        "task_ids",
        "annotations_creators",
        "source_datasets",
        "language_creators",
        "multilinguality",
    ):
        if not all(isinstance(each, str) for each in listed(data.get(key))):
            yield f'"{key}" must be an array of strings'


def of_sizes(data: dict) -> Iterable[str]:
    """The classes of size that the Hub knows."""
    for size in listed(data.get("size_categories")):
        if size not in SIZES:
            yield f'"size_categories" must be one of {list(SIZES)}, not {size!r}'


def of_configs(data: dict) -> Iterable[str]:
    """Configs: named once each, at most one default, files of named splits."""
    configs = data.get("configs")
    if configs is None:
        return
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        yield '"configs" must be an array of mappings'
        return
    names = [config.get("config_name") for config in configs]
    if sum(config.get("default") is True for config in configs) > 1:
        yield '"configs" must have at most one default'
    for name in names:
        if not isinstance(name, str) or not name or re.search(r"[<>:/\\|?*]", name):
            yield f'"config_name" {name!r} is not valid: none of < > : / \\ | ? * is allowed'
        elif names.count(name) > 1:
            yield f'"config_name" {name!r} is not unique'
    for config in configs:
        yield from of_data_files(config)


def of_data_files(config: dict) -> Iterable[str]:
    """The files of a config: one pattern, several, or a pattern or several for each split."""
    files = config.get("data_files")
    if files is None and "data_dir" not in config:
        yield f'config {config.get("config_name")!r} needs "data_files" or "data_dir"'
    for each in listed(files):
        if isinstance(each, str):
            continue
        is_mapping = isinstance(each, dict) and set(each) <= {"split", "path"}
        if not is_mapping or not all(isinstance(path, str) for path in listed(each.get("path"))):
            yield f'"data_files" of config {config.get("config_name")!r} must be paths, or mappings of split and path'
        elif not isinstance(each.get("split"), str) or not re.fullmatch(r"\w+(\.\w+)*", each["split"]):
            yield f'"split" {each.get("split")!r} is not valid: it should match \\w+(\\.\\w+)*'


def of_dataset_info(data: dict) -> Iterable[str]:
    """Features and splits of each config, one entry per config."""
    infos = listed(data.get("dataset_info"))
    if not all(isinstance(info, dict) for info in infos):
        yield '"dataset_info" must be a mapping or an array of mappings'
        return
    names = [info.get("config_name") for info in infos]
    if len(infos) > 1 and (None in names or len(set(names)) < len(names)):
        yield '"dataset_info" must have one entry per config, each with its "config_name"'
    for info in infos:
        features = info.get("features", [])
        if not isinstance(features, list) or not all(
            isinstance(each, dict) and isinstance(each.get("name"), str) for each in features
        ):
            yield f'"features" of {info.get("config_name")!r} must be an array of mappings with a name'
        for split in listed(info.get("splits")):
            if (
                not isinstance(split, dict)
                or not isinstance(split.get("num_examples"), int)
                or not isinstance(split.get("name"), str)
            ):
                yield f'"splits" of {info.get("config_name")!r} must be mappings with name and num_examples'


def of_model(data: dict) -> Iterable[str]:
    """What only the card of a model has."""
    for key in ("library_name", "pipeline_tag"):
        if not isinstance(data.get(key, ""), str):
            yield f'"{key}" must be a string'
    for key in ("datasets", "metrics", "base_model"):
        if not all(isinstance(each, str) for each in listed(data.get(key))):
            yield f'"{key}" must be an array of strings'
    for entry in listed(data.get("model-index")):
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("name"), str)
            or not isinstance(entry.get("results"), list)
        ):
            yield '"model-index" must be an array of mappings with name and results'


def validate(site: object, request: Request) -> Answer:
    """The check that a client asks for before it commits a card: 400 with the errors, else 200 with the
    warnings.
    """
    asked = request.json()
    text, kind = asked.get("content"), asked.get("repoType", "model")
    if not isinstance(text, str) or kind not in KINDS.values():
        raise Refusal(400, "A card needs its content and the type of its repository")
    errors, warnings = faults_of(text, kind=kind), warnings_of(text, kind=kind)
    answer = {
        "errors": [{"message": each} for each in errors],
        "warnings": [{"message": each} for each in warnings],
    }
    return of_json(answer, status=400 if errors else 200)


ROUTES = [("POST", r"/api/validate-yaml", validate)]
