from .activations import tanh
from .bookkeeping import SlowGradientWarning, per_example_gradients
from .colour_network import ColourNetwork
from .convolution import Convolution
from .layers import Attention, Dense, Embedding, GroupNorm, LayerNorm
from .losses import cross_entropy
from .networks import DigitsNetwork, Perceptron, Softmax
from .next_word import Adapted, NextWord
from .pooling import max_pool
from .recurrent import GRU, LSTM

__all__ = [
    "GRU",
    "LSTM",
    "Adapted",
    "Attention",
    "ColourNetwork",
    "Convolution",
    "Dense",
    "DigitsNetwork",
    "Embedding",
    "GroupNorm",
    "LayerNorm",
    "NextWord",
    "Perceptron",
    "SlowGradientWarning",
    "Softmax",
    "cross_entropy",
    "max_pool",
    "per_example_gradients",
    "tanh",
]
