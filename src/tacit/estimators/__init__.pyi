from .categorical_nb import CategoricalNB
from .cross_validation import cross_val_score
from .decision_tree import DecisionTreeClassifier
from .declared import outside
from .gaussian_mixture import GaussianMixture
from .gaussian_nb import GaussianNB
from .kmeans import KMeans
from .lasso import Lasso
from .linear_regression import LinearRegression
from .linear_svc import LinearSVC
from .logistic_regression import LogisticRegression
from .neural_classifier import NeuralClassifier
from .pca import PCA
from .ridge import Ridge
from .rule_list import RuleListClassifier
from .sgd_classifier import SGDClassifier
from .svc import SVC
from .truncated_svd import TruncatedSVD

__all__ = [
    "PCA",
    "SVC",
    "CategoricalNB",
    "DecisionTreeClassifier",
    "GaussianMixture",
    "GaussianNB",
    "KMeans",
    "Lasso",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "NeuralClassifier",
    "Ridge",
    "RuleListClassifier",
    "SGDClassifier",
    "TruncatedSVD",
    "cross_val_score",
    "outside",
]
