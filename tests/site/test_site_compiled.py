"""Templates are compiled once per process, whatever folder they lie in; a changed one is another."""

from jinja2 import Environment, FileSystemLoader

from truerate.site.render import Compiled


class Counting(Environment):
    """Tells which templates it had to compile."""

    def compile(self, source, name=None, *more, **named):
        self.met.append(name)
        return super().compile(source, name, *more, **named)


def told(folder, kept: Compiled, **values) -> tuple[str, list[str]]:
    environment = Counting(loader=FileSystemLoader(folder), bytecode_cache=kept)
    environment.met = []
    environment.globals |= values
    return environment.get_template("page.j2").render(), environment.met


def test_code_is_kept_by_name_and_text_and_reads_its_own_surroundings(tmp_path):
    kept = Compiled()
    for name, page in {
        "a": "{% import 'm.j2' as m %}{{ m.said() }}!",
        "b": "{% import 'm.j2' as m %}{{ m.said() }}!",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.j2").write_text(page)
        (tmp_path / name / "m.j2").write_text("{% macro said() %}{{ who }}{% endmacro %}")
    assert told(tmp_path / "a", kept, who="one") == ("one!", ["page.j2", "m.j2"])
    assert told(tmp_path / "b", kept, who="two") == ("two!", [])
    (tmp_path / "a/m.j2").write_text("{% macro said() %}not {{ who }}{% endmacro %}")
    assert told(tmp_path / "a", kept, who="one") == ("not one!", ["m.j2"])
    assert told(tmp_path / "b", kept, who="two") == ("two!", [])
