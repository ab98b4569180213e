"""A wide residual network of 16 layers, four times as wide, here and in PyTorch.

Group normalisation stands where batch normalisation was, which would mix examples: 2,748,890
parameters for 32x32 colour images.

References: Zagoruyko and Komodakis, "Wide residual networks", BMVC 2016. De, Berrada, Hayes, Smith
and Balle, "Unlocking high-accuracy differentially private image classification through scale",
2022 (with sixteen groups).
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import random

from tacit.models.convolution import Convolution
from tacit.models.layers import Dense, GroupNorm

GROUPS, START, DEPTH = 16, 16, 2
WIDTHS_AND_STRIDES = (64, 1), (128, 2), (256, 2)


class Residual(eqx.Module):
    """Two convolutions, each after a normalisation, beside a shortcut."""

    before: GroupNorm
    between: GroupNorm
    first: Convolution
    second: Convolution
    shortcut: Convolution | None

    def __init__(self, channels: int, width: int, stride: int, key):
        keys = random.split(key, 3)
        self.before, self.between = GroupNorm(channels, GROUPS), GroupNorm(width, GROUPS)
        self.first = _square(channels, width, 3, stride, keys[0])
        self.second = _square(width, width, 3, 1, keys[1])
        same = channels == width
        self.shortcut = None if same else _square(channels, width, 1, stride, keys[2])

    def __call__(self, image):
        seen = jax.nn.relu(self.before(image))
        kept = image if self.shortcut is None else self.shortcut(seen)
        return kept + self.second(jax.nn.relu(self.between(self.first(seen))))


class WideResNet(eqx.Module):
    """One convolution, six residual blocks, and a classifier of the mean pixel."""

    start: Convolution
    blocks: list[Residual]
    last: GroupNorm
    output: Dense

    def __init__(self, key):
        keys = iter(random.split(key, 2 + DEPTH * len(WIDTHS_AND_STRIDES)))
        self.start = _square(3, START, 3, 1, next(keys))
        self.blocks = [Residual(*sizes, next(keys)) for sizes in _sizes()]
        self.last = GroupNorm(WIDTHS_AND_STRIDES[-1][0], GROUPS)
        self.output = Dense(WIDTHS_AND_STRIDES[-1][0], 10, next(keys))

    def __call__(self, image):
        features = self.start(image)
        for block in self.blocks:
            features = block(features)
        return self.output(jnp.mean(jax.nn.relu(self.last(features)), axis=(0, 1)))


def in_torch() -> Any:
    """The same network in PyTorch."""
    from torch import nn

    class Beside(nn.Module):
        def __init__(self, channels: int, width: int, stride: int):
            super().__init__()
            self.before, self.between = nn.GroupNorm(GROUPS, channels), nn.GroupNorm(GROUPS, width)
            self.first = nn.Conv2d(channels, width, 3, stride, padding=1)
            self.second = nn.Conv2d(width, width, 3, padding=1)
            same = channels == width
            self.shortcut = None if same else nn.Conv2d(channels, width, 1, stride)

        def forward(self, image):
            seen = nn.functional.relu(self.before(image))
            kept = image if self.shortcut is None else self.shortcut(seen)
            return kept + self.second(nn.functional.relu(self.between(self.first(seen))))

    width = WIDTHS_AND_STRIDES[-1][0]
    return nn.Sequential(
        nn.Conv2d(3, START, 3, padding=1), *(Beside(*sizes) for sizes in _sizes()),
        nn.GroupNorm(GROUPS, width), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(width, 10),
    )  # fmt: skip


def _sizes() -> list[tuple[int, int, int]]:
    """Of every block: channels, width and stride."""
    found, channels = [], START
    for width, stride in WIDTHS_AND_STRIDES:
        for place in range(DEPTH):
            found.append((channels, width, 1 if place else stride))
            channels = width
    return found


def _square(channels: int, filters: int, size: int, stride: int, key) -> Convolution:
    around = size // 2
    return Convolution(channels, filters, (size, size), key, (stride, stride), (around, around))
