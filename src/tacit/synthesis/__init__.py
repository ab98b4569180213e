"""Synthetic rows: made of noisy tables of pairs of columns, and of nothing else.

    made = tacit.synthesis.Synthesizer(domain, tacit.Central(1.0, 1e-9), people=45_000).fit(
        frame, ledger="people.db", name="census")
    rows = made.sample(45_000)

One release of the contrasts of all pairs (`tacit.queries.marginals`), then post-processing: pairs
are denoised (`pairs`), a mixture is fitted to them (`mixture`), and rows are drawn from it.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
