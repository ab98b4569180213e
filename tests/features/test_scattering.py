"""Scattering: its definition written out in space, its contraction, and what it does to a shift."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.features.scattering import Scattering, group_normalised, wavelets

SIDE = 28
TRANSFORM = jax.jit(Scattering(SIDE, SIDE).__call__)
IMAGES = np.random.default_rng(0).uniform(size=(4, SIDE, SIDE)).astype(np.float32)


def gabor(length, deviation, frequency, angle, ratio):
    """A Gaussian times a wave, on a periodic grid, as a sum over periods in space."""
    points = np.add.outer(np.arange(-3, 4) * length, np.arange(length))
    y, x = points[:, None, :, None], points[:, None, :]
    along = np.cos(angle) * y + np.sin(angle) * x
    across = np.cos(angle) * x - np.sin(angle) * y
    bell = np.exp(-(along**2 + (ratio * across) ** 2) / (2 * deviation**2))
    whole = np.sum(bell * np.exp(1j * frequency * along), axis=(0, 1))
    return whole * ratio / (2 * np.pi * deviation**2)


def morlets(length, scale, angles):
    """The filters of one grid in space, before they are scaled: wavelets and the average."""
    found = np.zeros((scale, angles, length, length), complex)
    for j, k in np.ndindex(scale, angles):
        shape = (np.pi * k / angles, 4 / angles)
        wave = gabor(length, 0.8 * 2**j, 3 * np.pi / 4 / 2**j, *shape)
        plain = gabor(length, 0.8 * 2**j, 0.0, *shape)
        found[j, k] = wave - wave.sum() / plain.sum() * plain
    average = gabor(length, 0.8 * 2 ** (scale - 1), 0.0, 0.0, 1.0).real
    return found, average / average.sum()


def scaled(found, average):
    """The wavelets times the largest number that keeps the Littlewood-Paley sum at one."""
    energy = np.sum(np.abs(np.fft.fft2(found)) ** 2, axis=(0, 1))
    mirrored = np.roll(energy[::-1, ::-1], 1, axis=(0, 1))
    room = (1 - np.abs(np.fft.fft2(average)) ** 2).ravel()[1:]
    return found * np.sqrt(np.min(room / ((energy + mirrored) / 2).ravel()[1:]))


def convolved(image, kernel):
    """Circular convolution, pixel by pixel."""
    return sum(
        value * np.roll(kernel, place, axis=(0, 1)) for place, value in np.ndenumerate(image)
    )


def slow(image, scale, angles):
    """The transform by its definition: loops over paths, convolutions in space."""
    step = 2**scale
    padded = np.pad(image, step, mode="reflect")
    found, average = morlets(len(padded), scale, angles)
    found = scaled(found, average)

    def smooth(signal, by):
        low = gabor(len(signal), 0.8 * 2 ** (scale - 1) / by, 0.0, 0.0, 1.0).real
        kept = slice(step // by, (step + len(image)) // by, step // by)
        return convolved(signal, low / low.sum())[kept, kept]

    first = [
        [np.abs(convolved(padded, psi))[:: 2**j, :: 2**j] for psi in found[j]] for j in range(scale)
    ]
    channels = [smooth(padded, 1)]
    channels += [smooth(signal, 2**j) for j in range(scale) for signal in first[j]]
    for j in range(scale):
        coarse = scaled(*morlets(len(padded) // 2**j, scale - j, angles))
        for k in range(j + 1, scale):
            for signal in first[j]:
                for psi in coarse[k - j]:
                    second = np.abs(convolved(signal, psi))[:: 2 ** (k - j), :: 2 ** (k - j)]
                    channels.append(smooth(second, 2**k))
    return np.array(channels)


@pytest.mark.parametrize(("scale", "angles"), [(1, 3), (2, 2), (3, 2)])
def test_it_is_its_definition(scale, angles):
    """FFTs and coarser grids give what loops over pixels give."""
    image = IMAGES[0, :16, :16]
    fast = Scattering(16, 16, scale, angles)(image)

    np.testing.assert_allclose(fast, slow(image, scale, angles), rtol=0, atol=3e-6)


@pytest.mark.parametrize(
    ("size", "scale", "angles", "shape"),
    [
        ((28, 28), 2, 8, (81, 7, 7)),
        ((32, 24), 3, 4, (61, 4, 3)),
        ((8, 8), 1, 6, (7, 4, 4)),
        ((8, 8), 2, 2, (9, 2, 2)),
    ],
)
def test_shape(size, scale, angles, shape):
    """One channel for each path, one row for each 2^J pixels; leading axes are kept."""
    transform = Scattering(*size, scale, angles)

    assert transform.shape == shape
    assert jax.eval_shape(transform, jnp.zeros((5, 3, *size))).shape == (5, 3, *shape)


def test_planes_are_transformed_by_themselves():
    """A batch is its images, so nobody's features depend on somebody else."""
    together = TRANSFORM(IMAGES)
    others = IMAGES.copy()
    others[1:] = 0

    np.testing.assert_allclose(TRANSFORM(others)[0], together[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("size", [(36, 36), (18, 24), (12, 16)])
@pytest.mark.parametrize(("scale", "angles"), [(1, 4), (2, 8), (3, 5)])
def test_no_frequency_gains_energy(size, scale, angles):
    """The Littlewood-Paley sum is at most one, and is one somewhere: no smaller number would do."""
    bank = wavelets(*size, scale, angles)
    deviation = 0.8 * 2 ** (scale - 1)
    y, x = (2 * np.pi * np.fft.fftfreq(side) for side in size)
    periods = 2 * np.pi * np.arange(-2, 3)
    lines = [
        np.exp(-(deviation**2) * np.add.outer(periods, line) ** 2 / 2).sum(0) for line in (y, x)
    ]
    average = np.outer(*(line / line[0] for line in lines))
    energy = np.sum(bank.astype(float) ** 2, axis=(0, 1))
    mirrored = np.roll(energy[::-1, ::-1], 1, axis=(0, 1))
    total = average**2 + (energy + mirrored) / 2

    assert total.max() <= 1 + 1e-6
    assert np.sort(total.ravel())[-2] >= 1 - 1e-6
    assert np.abs(bank[:, :, 0, 0]).max() <= 1e-7


@pytest.mark.parametrize("size", [28, 8])
def test_two_images_come_no_further_apart(size):
    """A contraction of padded images, so a factor of three: for noise, edges and neighbours."""
    noise = IMAGES[:, :size, :size]
    steps = (noise > np.linspace(0, 1, size)).astype(np.float32)
    one = np.concatenate([noise[:2], steps[:2], noise])
    other = np.concatenate([noise[2:], 0 * steps[:2], 1.01 * noise])
    transform = jax.jit(Scattering(size, size).__call__)

    def lengths(images):
        return np.linalg.norm(images.reshape(len(images), -1), axis=1)

    apart = lengths(np.asarray(transform(one) - transform(other)))
    margins = [(0, 0), (4, 4), (4, 4)]
    assert np.all(apart <= lengths(np.pad(one - other, margins, mode="reflect")) * (1 + 1e-6))
    assert np.all(apart <= 3 * lengths(one - other))


@pytest.mark.parametrize(("pixels", "moved"), [(1, 0.15), (2, 0.26)])
def test_a_small_shift_moves_features_little(pixels, moved):
    """A patch of stripes four pixels apart, which the shift makes a quite different image."""
    window = np.hanning(SIDE)
    image = np.outer(window, window * np.sin(np.pi / 2 * np.arange(SIDE)))
    shifted = np.roll(image, pixels, axis=1)
    here, there = TRANSFORM(image), TRANSFORM(shifted)

    assert np.linalg.norm(shifted - image) >= 1.4 * np.linalg.norm(image)
    assert np.linalg.norm(there - here) <= moved * np.linalg.norm(here)


def test_a_constant_image_has_order_zero_only():
    """Wavelets have mean zero, the average has mean one."""
    features = TRANSFORM(np.full((SIDE, SIDE), 0.7, np.float32))

    np.testing.assert_allclose(features[0], 0.7, rtol=1e-6)
    np.testing.assert_allclose(features[1:], 0, atol=1e-6)


def test_a_pixel_that_is_not_finite_spoils_its_own_image_only():
    """So that person counts as zero, and nobody else does."""
    images = IMAGES.copy()
    images[2, 3, 4] = np.nan
    features = group_normalised(TRANSFORM(images), 27)
    finite = np.isfinite(np.sum(features, axis=(1, 2, 3)))

    np.testing.assert_array_equal(finite, [True, True, False, True])


def test_groups_are_standard_for_each_image():
    """Mean zero, variance one, whatever the contrast; a black image becomes zero."""
    features = TRANSFORM(IMAGES).at[1].set(0)
    normal = np.asarray(group_normalised(features, 27)).reshape(4, 27, -1)

    np.testing.assert_array_equal(normal[1], 0)
    np.testing.assert_allclose(normal.mean(axis=2), 0, atol=1e-5)
    assert np.linalg.norm(normal, axis=(1, 2)).max() <= np.sqrt(normal[0].size)
    alone = group_normalised(features[0], 27)
    np.testing.assert_allclose(alone.reshape(27, -1), normal[0], atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((30, 28), "multiples of 4 and at least 8, got 30 x 28"),
        ((28, 4), "multiples of 4 and at least 8, got 28 x 4"),
        ((28, 28, 0), "scale must be a whole number of at least 1, got 0"),
        ((28, 28, 2, 1), "angles must be a whole number of at least 2, got 1"),
        (("28", 28), "height must be a whole number of at least 1, got '28'"),
        ((28, None), "width must be a whole number of at least 1, got None"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(arguments, complaint):
    """Sides are whole numbers of samples, and as long as the reflection needs."""
    with pytest.raises(ValueError, match=complaint):
        Scattering(*arguments)


def test_other_images_and_groups_are_refused():
    """Another size, and groups that do not divide the channels."""
    with pytest.raises(ValueError, match=r"images must be 28 x 28, got shape \(28, 24\)"):
        Scattering(28, 28)(jnp.zeros((28, 24)))
    with pytest.raises(ValueError, match="groups must divide the 81 channels, got 10"):
        group_normalised(jnp.zeros((81, 7, 7)), 10)
