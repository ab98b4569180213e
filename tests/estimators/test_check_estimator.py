"""scikit-learn's own checks.

Without a promise all of them run on the estimators that are solved at once; a compiled round costs
a second for each shape of data, so those of gradient rounds have the checks of their own parts.
With a promise all run on `Ridge`, and on `LogisticRegression` those that make one fit or two: each
builds the tables of its noise.
"""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import tacit
from tacit.estimators import (
    PCA,
    SVC,
    CategoricalNB,
    DecisionTreeClassifier,
    GaussianMixture,
    GaussianNB,
    KMeans,
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    Ridge,
    RuleListClassifier,
    SGDClassifier,
    TruncatedSVD,
)

FREE = tacit.NonPrivate()
MUCH = 20.0, 0.01
BOUNDS = (-4.0, 4.0)
THREE = {"bounds": BOUNDS, "classes": [0, 1, 2], "seed": 0}
REPLACE = tacit.Central(*MUCH, tacit.Relation.REPLACE_ONE)

PARTS = {
    "check_estimators_pickle",
    "check_dict_unchanged",
    "check_no_attributes_set_in_init",
    "check_classifiers_one_label",
    "check_regressors_train",
    "check_methods_subset_invariance",
    "check_fit2d_predict1d",
}
ONE_FIT = {
    "check_no_attributes_set_in_init",
    "check_dict_unchanged",
    "check_dtype_object",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_estimator_sparse_array",
    "check_estimators_empty_data_messages",
}
# Scores in float32 may differ in their seventh digit with the rows beside them.
FLOATS = PARTS - {"check_methods_subset_invariance"}
UNDECLARED = {
    "check_dtype_object": "its labels were never declared",
    "check_classifiers_classes": "its labels were never declared",
    "check_classifiers_train": "has scores of declared classes that its data lack",
    "check_decision_proba_consistency": "has scores of declared classes that its data lack",
}
COUNTED_BY_NOBODY = UNDECLARED | {
    "check_estimators_empty_data_messages": "learns from nobody, as how many there are is a secret",
}
LABELS = {"check_clustering": "keeps no labels_"}

ROWS = [
    (LogisticRegression(FREE), {}, None),
    (LinearSVC(FREE), {}, None),
    (SVC(FREE, pairs=16, penalty=1e-4), {}, PARTS | {"check_classifiers_train"}),
    (DecisionTreeClassifier(FREE, seed=0), {}, None),
    (RuleListClassifier(FREE, seed=0), {}, PARTS | {"check_classifiers_train"}),
    (CategoricalNB(FREE), {}, PARTS | {"check_classifiers_train"}),
    (GaussianNB(FREE), {}, PARTS | {"check_classifiers_train"}),
    (LinearRegression(FREE), {}, PARTS),
    (Lasso(FREE, rounds=100), {}, PARTS),
    (SGDClassifier(FREE, rounds=10, batch=1000), {}, PARTS | {"check_classifiers_train"}),
    (NeuralClassifier(FREE, rounds=10, batch=1000, hidden=2), {}, FLOATS),
    (PCA(FREE), {}, None),
    (TruncatedSVD(FREE), {}, PARTS),
    (KMeans(FREE, n_clusters=2), LABELS, PARTS | set(LABELS)),
    (GaussianMixture(FREE, n_components=2), {}, PARTS),
    (PCA(REPLACE, bounds=BOUNDS, seed=0), {}, PARTS),
    (Ridge(REPLACE, bounds=BOUNDS, target_bounds=BOUNDS, seed=0), {}, None),
    (LogisticRegression(tacit.Central(*MUCH), people=100, **THREE), COUNTED_BY_NOBODY, ONE_FIT),
    (DecisionTreeClassifier(REPLACE, **THREE), UNDECLARED, ONE_FIT | PARTS),
]


def checks():
    for model, expected, only in ROWS:
        asked = estimator_checks_generator(
            model, expected_failed_checks=expected, mark="xfail", xfail_strict=True
        )
        for each in asked:
            check = each.values[1] if hasattr(each, "values") else each[1]
            if only is None or check.func.__name__ in only:
                yield each


def name(value) -> str:
    return type(value).__name__ if hasattr(value, "fit") else value.func.__name__


@pytest.mark.parametrize("estimator, check", checks(), ids=name)
def test_it_is_an_estimator(estimator, check):
    """As scikit-learn understands one; what cannot be is listed above, with its reason."""
    check(estimator)
