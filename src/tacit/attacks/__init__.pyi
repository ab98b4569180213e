from . import breach, matched_filter
from .decoders import Exhaustive, LinearProgram, NearestInSquares
from .dictionary import likeliest
from .inversion import Inversion
from .named_rows import NamedRows
from .one_bit import most_guessed
from .outcome import Outcome
from .searched_pictures import SearchedPictures
from .secret_bits import SecretBits
from .shadow_models import ShadowModels
from .subset_sums import SubsetSums
from .table_rows import TableRows
from .tracing import Tracing

__all__ = [
    "Exhaustive",
    "Inversion",
    "LinearProgram",
    "NamedRows",
    "NearestInSquares",
    "Outcome",
    "SearchedPictures",
    "SecretBits",
    "ShadowModels",
    "SubsetSums",
    "TableRows",
    "Tracing",
    "breach",
    "likeliest",
    "matched_filter",
    "most_guessed",
]
