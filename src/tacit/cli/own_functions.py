"""What `tacit device` may be allowed to run, by name and version, and the data that it runs on.

These are in the program that a device's operator has installed; a server can name them and no
others. A folder of data has images and labels, each in a file of NumPy's.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int, PyTree

from tacit.cli.servers import DESCENT
from tacit.data.dataset import DataError
from tacit.federated.classifying import person_loss
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps
from tacit.live.function import Function
from tacit.models.networks import Softmax

# The most images that one device's owner has, and their sides.
MOST, SIDE = 200, 8
CLASSES = 10

Images = Float[np.ndarray, "some side side"]
Labels = Int[np.ndarray, " some"]


def digits_learner(rate: float) -> Training:
    """A linear model of digits; devices send gradients, and the server takes steps of this rate."""
    model = Softmax(SIDE * SIDE, CLASSES, centre=0.3)
    return Training(model, person_loss, GradientSteps(1, 1.0), DESCENT, 0, rate)


def digits() -> Function:
    """The gradient of that model on one person's images."""
    nobody = np.zeros((0, SIDE, SIDE), np.float32), np.zeros(0, np.int32)
    return Function("digits", 1, digits_learner(1.0), person_of(*nobody))


FUNCTIONS: dict[str, Callable[[], Function]] = {"digits@1": digits}


def allowed(names: Sequence[str]) -> list[Function]:
    """The functions of these names.

    Raises:
      ValueError: if one of them is not known here.
    """
    unknown = [name for name in names if name not in FUNCTIONS]
    if unknown or not names:
        known = ", ".join(FUNCTIONS)
        raise ValueError(f"--allow must name functions that are installed here: {known}")
    return [FUNCTIONS[name]() for name in dict.fromkeys(names)]


def person_of(images: Images, labels: Labels) -> PyTree:
    """One person's data, as functions take them."""
    places = [(0, MOST - len(images))]
    held = np.pad(images, [*places, (0, 0), (0, 0)]).astype(np.float32)
    return (held, np.pad(labels, places).astype(np.int32)), np.arange(MOST) < len(images)


def write(folder: Path, images: Images, labels: Labels) -> None:
    """Puts one person's data in a folder."""
    folder.mkdir(parents=True)
    np.save(folder / "images.npy", images.astype(np.float32))
    np.save(folder / "labels.npy", labels.astype(np.int32))


def read(folder: Path) -> PyTree:
    """One person's data, from a folder.

    Raises:
      DataError: if it is not one; the sentence says what it has to hold, not what it does.
    """
    try:
        images, labels = (np.load(folder / f"{name}.npy") for name in ("images", "labels"))
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"{folder} must hold images.npy and labels.npy, arrays of numbers"
        ) from error
    if not (_are_images(images) and _are_labels(labels) and len(images) == len(labels)):
        raise DataError(
            f"{folder} must hold 1 to {MOST} images of {SIDE} by {SIDE} values from 0 to 1, and as "
            f"many labels from 0 to {CLASSES - 1}"
        )
    return person_of(images, labels)


def _are_images(found: Any) -> bool:
    shaped = found.ndim == 3 and 1 <= len(found) <= MOST and found.shape[1:] == (SIDE, SIDE)
    return shaped and found.dtype.kind == "f" and bool(((found >= 0) & (found <= 1)).all())


def _are_labels(found: Any) -> bool:
    shaped = found.ndim == 1 and found.dtype.kind in "iu"
    return shaped and bool(((found >= 0) & (found < CLASSES)).all())
