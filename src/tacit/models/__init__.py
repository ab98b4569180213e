"""Layers whose gradients of every example come from one backward pass, and networks of them.

    from tacit.models import Dense, Softmax
    model = Softmax(784, 10)

Equinox's own layers do as well; of what is no layer of either a gradient is formed for every
example, and a `SlowGradientWarning` says so.

| part of a model | names |
| --- | --- |
| layers of vectors and words | `Dense`, `Embedding`, `LayerNorm`, `GroupNorm`, `Attention` |
| layers of pictures | `Convolution`, `max_pool` |
| layers of sequences | `LSTM`, `GRU` |
| an activation; a loss | `tanh`; `cross_entropy` |
| whole models of rows | `Softmax`, `Perceptron` |
| whole models of pictures | `DigitsNetwork`, `ColourNetwork` |
| a model of language, and what adapts one | `NextWord`, `Adapted` |

`per_example_gradients` is that backward pass.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
