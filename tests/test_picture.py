"""Pictures: the same figure is the same bytes, in the format of its name."""

import io

import pytest
from matplotlib.figure import Figure

from tacit import picture


def figure() -> Figure:
    made = Figure()
    made.subplots().plot([1, 2], [2, 1], label="a line")
    made.legend()
    return made


def test_an_svg_is_the_same_whenever_it_is_drawn(tmp_path, monkeypatch):
    """No date, no random names; words are text, that a search finds."""
    texts = []
    for when in ("0", "1000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", when)
        picture.save(figure(), tmp_path / f"{when}.svg")
        texts.append((tmp_path / f"{when}.svg").read_text())

    assert texts[0] == texts[1] and ">a line<" in texts[0]


def test_a_picture_that_cannot_be_drawn_leaves_the_one_before(tmp_path, monkeypatch):
    """It is replaced whole."""
    path = tmp_path / "it.svg"
    path.write_text("before")
    made = figure()

    def fails(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(made, "savefig", fails)
    with pytest.raises(OSError, match="no space"):
        picture.save(made, path)

    assert path.read_text() == "before" and [path] == list(tmp_path.iterdir())


def test_what_has_no_name_is_an_svg():
    """For a page that holds its pictures."""
    text = io.StringIO()
    picture.save(figure(), text)

    assert "<svg" in text.getvalue()


@pytest.mark.parametrize("name, begins", [("it.png", b"\x89PNG"), ("it.pdf", b"%PDF")])
def test_other_endings_are_other_formats(tmp_path, name, begins):
    """Of those that have no date to leave out, and of those that have."""
    picture.save(figure(), tmp_path / name)

    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_name_in_text_names_its_format(tmp_path):
    """As a path does: a PNG is no SVG by another name."""
    picture.save(Figure(), str(tmp_path / "a.png"))

    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
