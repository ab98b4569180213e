"""What is done to people whose data a promise protects: attacks that promises are tested against.

An attack that does not succeed where nothing is promised says nothing about a promise, so each is
first tried on what is sent as it is.

| what is looked for | from | names |
| --- | --- | --- |
| everybody's secret bit | noisy sums | `SecretBits`, `SubsetSums` |
| whole records | tables of a few columns | `TableRows` |
| whether somebody is in the data | means of many attributes | `Tracing` |
| the same | what a fit says of them | `ShadowModels` |
| whose update it was | one device's report | `NamedRows`, `likeliest` |
| the picture behind an update | one device's report | `SearchedPictures`, by `Inversion` |
| the input of a dense layer | its gradient | `matched_filter`, a module |

`NearestInSquares`, `LinearProgram` and `Exhaustive` are ways from sums to bits. An attack played is
an `Outcome`; `breach`, a module, says how often it succeeds, and `most_guessed` what a promise
allows.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
