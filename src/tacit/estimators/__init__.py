"""scikit-learn estimators whose fits are private.

    model = LogisticRegression(tacit.Central(1.0, 1e-6), bounds=(0, 100), classes=[0, 1],
                               people=10_000, ledger=tacit.Ledger("people.db"))
    model.fit(X, y).receipt_

| what is learnt | estimators |
| --- | --- |
| classes, of weighted features | `LogisticRegression`, `LinearSVC`, `SGDClassifier` |
| classes by a kernel; by a network | `SVC`; `NeuralClassifier` |
| classes by counts | `CategoricalNB`, `GaussianNB` |
| classes by a rule in words | `DecisionTreeClassifier`, `RuleListClassifier` |
| numbers | `LinearRegression`, `Ridge`, `Lasso` |
| clusters; directions | `KMeans`, `GaussianMixture`; `PCA`, `TruncatedSVD` |

| parameter | what it says |
| --- | --- |
| `trust` | whom people trust, and how much: `tacit.Central(1.0, 1e-6)`; no default |
| `bounds` | (lower, upper) of the features: two numbers, or of each feature as below |
| `classes` | every label there may be, as a list or a set |
| `target_bounds` | (lower, upper) of a regression's target |
| `people` | how many people there are; None where that is public (`tacit.trust.people`) |
| `ledger` | the people's accounts, or their path; None charges nobody and adds nothing up |
| `population` | the name of these accounts: one for the same people, two for two tables of others |
| `note` | what the ledger keeps beside the question; None for the estimator and its columns |
| `seed` | for tests: the receipt then says that nothing is private |

**Bounds of each feature** are a tuple of two lists or arrays, `([0, 10], [50, 100])`, all lower
ones and all upper ones; or a list of tuples, `[(0, 50), (10, 100)]`, a pair for each feature, as
SciPy has them. What might be either, of two features, is refused.

All are declared, never read off the data (`declared`), except under `NonPrivate`: nothing is
promised there, so bounds and classes that are left out are the data's.

**Look before a fit.** All of them have `plan(features, people)`: what a fit would promise, which
way it would take and why, and how wrong it is foreseen to be, of public numbers alone. It opens no
ledger, and `fit` charges for that very plan.

**Two tables of different people need two names.** `population` is what `tacit.statistics` calls
`name`; all tables under the default, `"people"`, are charged to one account in one ledger.

**A fit that is cut off**, by Ctrl-C or a crash, stays charged, and the exception has a note that
says so. With `ledger=book.once("wages")` the same fit goes on under that name, with the same noise
and at no further charge.

**Without a ledger** every fit keeps its own promise, and nothing remembers that it was made. Of the
same people, k fits together promise at most k times the epsilon and the delta of one; to count them
is then the caller's. `plan_` and `receipt_` are of one fit, with a ledger and without.

Fitted, an estimator has `plan_`, what was promised, and `receipt_`, from which anybody can
recompute it; and what scikit-learn's own have: `classes_`, `coef_` and `intercept_` in the units of
the data and for rows within the bounds, `n_features_in_`. A fit that is refused charges nothing.
Regressions and linear classifiers have `remarks_`, of which they warn: what may not be what was
meant, as far as released and declared numbers tell (`tacit.estimators.remarked`).

| data | what happens |
| --- | --- |
| NaN or infinity | refused |
| no rows | learnt from where the number of people is a secret, and refused elsewhere |
| other labels than numbers or names | refused |
| a missing label | refused |
| text in a column, digits too | refused; objects that are numbers are read as these |
| a number outside its bounds | counts as the nearer of them; `outside` counts those |
| the same in a row to predict | as in a fit; clusters, mixtures and directions take it as it is |
| a label that was never declared | refused, without saying which |
| a declared label that nobody has | learnt like any other |
| a constant feature | like any other; where bounds are read off the data, as zero |
| fewer people than a batch | the batch is everybody |

A refusal, `score`, and cross-validation are for the curator's eyes. `cross_val_score` here is
scikit-learn's, but that all folds' fits must fit the ledger before the first is charged;
scikit-learn's own, and `GridSearchCV`, fit until the budget is out, and leave NaN for the rest. The
scores themselves are looks at the held-out people without any noise, which no ledger is charged
for. So is choosing a parameter by them. A fit that is interrupted stays charged. A fold holds fewer
people than all: where their number is public, leave `people` out, and each fit counts its own.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
