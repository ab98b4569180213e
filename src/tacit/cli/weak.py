"""A promise that hardly protects anybody is noted, and kept: whoever asks may have chosen it.

It is judged by what is typed alone, as docs/how-to-choose.md has it, and by nobody's data.
"""

from tacit.cli import voice
from tacit.trust.central import Central

# Of what an attack finds without a promise it finds most here too (`docs/attacks.md`).
_NO_PROMISE = 20.0
# Where nobody declares how many people there are: a file of fewer is seldom asked.
_PEOPLE = 1_000


def noted_if_weak(trust: Central, people: int | None = None) -> Central:
    """The same, with a note on standard error for each of its numbers that promises little.

    Args:
      people: about how many they are, if that is declared.
    """
    if not trust.epsilon < _NO_PROMISE:
        voice.note(
            f"--epsilon {trust.epsilon:g} is hardly a promise: one person may change the odds of "
            f"what is concluded by a factor of e^{trust.epsilon:g}; of 1 that is 2.7, of 8 it is "
            "3,000"
        )
    if not trust.delta * (_PEOPLE if people is None else people) <= 1:
        voice.note(
            f"--delta {trust.delta:g} is no small chance: to publish one person in "
            f"{1 / trust.delta:,.0f} outright would keep it; choose it well below 1 over the "
            "number of people, such as 1e-6"
        )
    return trust
