"""Features by public rules: what a person's data becomes before anybody learns from it.

    from tacit.features import ScatteringFeatures
    rows = ScatteringFeatures(28, 28)(images)

Nothing here is estimated from people, so it costs nobody anything. Rows for a classifier to learn
from have a declared norm.

| from | to | names |
| --- | --- | --- |
| columns of a table | a vector of bounded norm | `Encoding`, of `Bins`, `Categories` and `Scaled` |
| rows of numbers | a Gaussian kernel's features | `RandomFourier` |
| grey pictures | rows for a linear classifier | `ScatteringFeatures` |
| pictures in colour | the same | `ColourFeatures`, `PatchDirections` |
| pictures | parts of these | `Scattering`, `Patches` |
| public rows | a map that makes them white | `Whitening`, `PrincipalWhitening` |
| pictures | pictures | `centre_crops`, `random_crop`, `standardised` |
| random numbers | pictures that show nobody | `dead_leaves`, a module |
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
