"""What a fit is foreseen to do, in words: with the numbers that are foreseen, and why so."""

import math

import pytest

import tacit
from tacit.estimators import PCA, GaussianMixture, KMeans, TruncatedSVD
from tacit.estimators.clusterings import Ways

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL, PURE, FREE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0), tacit.NonPrivate()
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE))
CUT = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE), radius=0.5)
PEOPLE = 5_000


def about(number: float) -> str:
    return f"{float(f'{number:.3g}'):,.15g}"


def directions(trust, features=6, **own):
    model = PCA(trust, bounds=(0.0, 100.0), **({"n_components": 2} | own))
    return model.plan(features, PEOPLE)


def test_directions_are_told_with_what_is_lost_and_what_noise_makes():
    """In the data's units: the share, its angle, the largest variance of noise, and all of it."""
    made = directions(PURE)
    angle = math.degrees(math.asin(made.foreseen**0.5))

    assert f"{made.foreseen:.2g} of a direction is foreseen to be lost" in made.foreseen_in_words
    assert f"(sin² of the angle to it, {angle:.2g}°)" in made.foreseen_in_words
    assert "half of whose squares lie evenly along 2 directions" in made.foreseen_in_words
    assert "have 15,000 in all" in made.foreseen_in_words
    square = 50.0**2 * 6 * made.plan.server.facts.noise / PEOPLE
    noise = 2.3548 * square * (7 / 2) ** 0.5
    assert f"a variance of about {about(noise)} along some direction" in made.foreseen_in_words
    assert "how far out people are" in made.unknown
    assert (
        f"squares are a tenth of these {100 * made.foreseen:.2g}, a hundredth "
        in made.foreseen_in_words
    )
    counted = TruncatedSVD(PURE, radius=2.0, n_components=1).plan(6, PEOPLE)
    assert (
        "noise alone makes a mean square of" in counted.foreseen_in_words
        and "have 4 in all" in counted.foreseen_in_words
    )


def test_what_is_not_foreseen_is_said_so():
    """Of a share, of all directions, and of reports whose noise depends on the data."""
    share, every, cut = (
        directions(trust, n_components=wanted)
        for trust, wanted in ((CENTRAL, 0.9), (CENTRAL, None), (CUT, 2))
    )
    assert share.foreseen is every.foreseen is cut.foreseen is None
    assert share.unknown == "which share of a direction is lost, and how many directions are kept"
    assert every.unknown == cut.unknown == "which share of a direction is lost"
    assert share.foreseen_in_words.startswith("noise alone makes a variance of about")
    assert cut.foreseen_in_words.startswith(
        "not known before: what is cut off these reports depends"
    )
    assert "error     not known before" in str(cut)


def test_that_nothing_is_learnt_is_said_so():
    """Of directions, centres and components, where noise is larger than what is looked for."""
    faint = tacit.Central(1e-3, 1e-6)
    clusters = KMeans(faint, bounds=(0.0, 1.0), n_clusters=3).plan(20, 200)
    mixture = GaussianMixture(faint, bounds=(0.0, 1.0), n_components=3).plan(2, 200)
    lost = directions(faint)

    assert (
        lost.foreseen == 1
        and "(sin² of the angle to it, 90°), so that nothing is" in lost.foreseen_in_words
    )
    assert "so that nothing is learnt" in clusters.foreseen_in_words
    assert mixture.foreseen > 1 and "so that hardly anything is learnt" in mixture.foreseen_in_words
    for each in (directions(CENTRAL), directions(FREE)):
        assert "nothing is learnt" not in each.foreseen_in_words
    assert "there is no noise" in directions(FREE).foreseen_in_words


@pytest.mark.parametrize(
    "trust, features, wanted, way",
    [
        (CENTRAL, 6, 2, "one matrix of all squares and products: there is room for it"),
        (CENTRAL, 6, 0.5, "one matrix of all squares and products: rounds find a declared number"),
        (CENTRAL, 4_100, 2, "a sum has room for 16,777,216 numbers, and a matrix has 16,818,201"),
        (tacit.Local(4.0), 370, 2, "a report has room for 65,536 numbers, and a matrix has 69,006"),
        (tacit.Local(4.0, upload=90), 6, 2, "a matrix is not put into reports of 90 bytes"),
        (FEDERATED, 6, 2, "one matrix of all squares and products: rounds would lose"),
        (
            CUT,
            6,
            2,
            "one matrix of all squares and products: there is room for it, and noise is not",
        ),
        (
            tacit.Federated(100.0, tacit.Central(0.5, 1e-6, REPLACE)),
            300,
            2,
            "as a matrix would lose 2.1 times as much",
        ),
    ],
)
def test_the_way_to_directions_is_told_and_why(trust, features, wanted, way):
    """Room, a declared number, or what is foreseen of the other way."""
    made = PCA(trust, bounds=(0.0, 1.0), n_components=wanted).plan(features, 100_000)

    assert way in made.way
    assert made.way.startswith("one matrix") == ("squares" in str(made.plan))


def test_clusters_are_told_with_all_ways_there_are():
    """How far off by each, in the data's units, and why one is none."""
    few = KMeans(PURE, bounds=(-3.0, 1.0), n_clusters=4).plan(2, PEOPLE)
    ways, unit = Ways.of(PURE, PEOPLE, (0.5**0.5,) * 2, 4), 8**0.5
    grid = " x ".join(map(str, ways.cells.cells.grid))

    assert few.foreseen == pytest.approx(unit * ways.cells.error**0.5)
    assert (
        f"a centre is foreseen to be off by {about(few.foreseen)} or less" in few.foreseen_in_words
    )
    assert f"would be {about(unit / 12**0.5)} from the nearest centre" in few.foreseen_in_words
    rounds, search = (about(unit * each.error**0.5) for each in (ways.rounds, ways.search))
    assert f"people are counted once in {grid} of them" in few.way
    assert few.way.endswith(f"would be off by more: rounds {rounds}, a search {search}")
    many = KMeans(CENTRAL, bounds=(-3.0, 1.0), n_clusters=4).plan(20, PEOPLE)
    assert many.way.startswith("a search: rounds ask about 16 places")
    assert "there are no cells, as no grid has enough and at most 16,384" in many.way
    sent = KMeans(FEDERATED, bounds=(-3.0, 1.0), n_clusters=4).plan(2, PEOPLE)
    assert "there are no cells, as devices send vectors; there is no search, as" in sent.way
    moves = sent.plan.sums.rounds - 1
    assert f"then centres move {moves} times, of 1, 2, 3, 5 and 8 what is foreseen" in sent.way


def test_a_loss_to_second_order_is_the_least_where_it_is_large():
    """Where it is small there is no more to say; where nothing is learnt nothing is foreseen."""
    large = []
    for people in (60, 600, 1_000, 300_000):
        plan = GaussianMixture(CENTRAL, bounds=(-1.0, 1.0), n_components=3).plan(6, people)
        large.append(0.2 <= plan.foreseen < 1)
        assert large[-1] == ("of so much noise that is the least" in plan.foreseen_in_words)

    assert any(large) and not (large[0] or large[-1])


def test_rounds_of_mixtures_are_told_with_their_shares():
    """Of a promise where everybody is asked each time; of people where each is asked once."""
    for trust, features, start, shared in (
        (CENTRAL, 2, "a start, in which people are counted in", "the start has 20% of the promise"),
        (CENTRAL, 12, "a start of 6 that move centres, as cells would", "equal shares of the rest"),
        (
            FEDERATED,
            2,
            "a start of 6 that move centres, as devices",
            "each person is in one of them",
        ),
    ):
        made = GaussianMixture(trust, bounds=(-1.0, 1.0), n_components=3).plan(features, PEOPLE)
        starts = 1 if "counted in" in start else 6
        moves = made.plan.sums.rounds - starts
        assert start in made.way and shared in made.way
        assert f"then {moves} that move components, of 2, 3, 5 and 8 what is" in made.way
        assert f"foreseen to be {made.foreseen:.2g} nats less" in made.foreseen_in_words
        assert "of 3 components of like sizes that are told apart" in made.foreseen_in_words


def test_more_rounds_cost_nothing_where_there_is_no_noise():
    """None of the numbers that are tried is why there are so many."""
    mixture = GaussianMixture(FREE, bounds=(-1.0, 1.0), n_components=3).plan(2, PEOPLE)
    assert "then 30 that move components, as there is no noise" in mixture.way
