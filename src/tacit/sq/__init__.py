"""Statistical queries: learners who ask for expectations only, and everybody who can answer them.

A statistical query is a bounded function of one record, and any number within a tolerance of its
expectation is an answer (Kearns 1998). A learner that lives on such answers never sees a record, so
whoever can estimate a mean can run it:

    rule = tacit.sq.QueryLearning(tacit.sq.KeptLiterals(20, 0.0275), tacit.Local(1.0), 150_000)
    print(rule.plan)                                  # what is promised, before anything is asked
    state = rule.of((bits, labels), "people.db", "patients").state
    rule.learner.rule(state)

| learner | asks, of one person | rounds |
| --- | --- | --- |
| `KeptLiterals` | which of three a bit and the label are | one for each bit |
| `LowDegree` | the label times every parity of few bits | one |
| `GrownTree` | the leaf they are in, with every bit and the label | one for each level, and one |
| `CategoryTables`, `CategoryTablesInTurn` | the cells they are in, by class | one; one a feature |
| `MomentTables`, `MomentTablesInTurn` | their numbers and squares, by class | one; one a feature |
| `ParityInTurn` | the label times one parity's sign | one for each of all parities |
| `Halfspace` | their row, signed, if the current plane is wrong about them | as many as wanted |
| `SmoothBoosting` | every bit, signed, by how wrong the current vote is about them | the same |

The same learner runs under every trust model, and under `WorstWithin`, which answers as wrongly as
a tolerance allows and so tells whether a theorem about it holds. `people_for` says how many people
make which tolerance. `ParityAdversary` answers so that hardly any parity is lost.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
