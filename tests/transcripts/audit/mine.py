"""Means of numbers between 0 and 1, of about a hundred people."""

import numpy as np


def total(data, seed):
    """With noise for an epsilon of one."""
    return np.clip(data, 0, 1).sum() + np.random.default_rng(seed).laplace()


def quieter(data, seed):
    """With two-thirds of that noise."""
    return np.clip(data, 0, 1).sum() + np.random.default_rng(seed).laplace(scale=2 / 3)


def unclipped(data, seed):
    """With the noise, and people as they are."""
    return data.sum() + np.random.default_rng(seed).laplace()


def column_totals(data, seed):
    """Of as many columns as there are, each with noise for an epsilon of one."""
    noise = np.random.default_rng(seed).laplace(size=data.shape[1])
    return np.clip(data, 0, 1).sum(axis=0) + noise


def plain(data, seed):
    """Without any noise."""
    return np.clip(data, 0, 1).sum(axis=0)


def halves():
    """Neighbours who say nothing."""
    return np.full(100, 0.5), np.full(101, 0.5)
