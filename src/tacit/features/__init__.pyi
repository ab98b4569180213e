from . import dead_leaves
from .colour_features import ColourFeatures
from .crops import centre_crops, random_crop, standardised
from .encoding import Bins, Categories, Encoding, Scaled
from .patch_directions import PatchDirections
from .patches import Patches
from .principal_whitening import PrincipalWhitening
from .random_features import RandomFourier
from .scattering import Scattering
from .scattering_features import ScatteringFeatures
from .whitening import Whitening

__all__ = [
    "Bins",
    "Categories",
    "ColourFeatures",
    "Encoding",
    "PatchDirections",
    "Patches",
    "PrincipalWhitening",
    "RandomFourier",
    "Scaled",
    "Scattering",
    "ScatteringFeatures",
    "Whitening",
    "centre_crops",
    "dead_leaves",
    "random_crop",
    "standardised",
]
