"""How large a class of concepts may be."""

from typing import Any

from tacit.argument import counted, got, is_whole

# A choice: tables of 1,024 bits' pairs, one for each label, are 256 MiB then (`leaf_weights`).
MOST_LABELS = 32


def refuse_bits(concept: Any, most: int) -> None:
    """Raises a ValueError unless a person has two bits, or more up to as many."""
    refuse_size(concept, "dim", 2, most)


def refuse_size(concept: Any, name: str, least: int, most: int) -> None:
    """Raises a ValueError unless this field is a whole number of the range; it is an int then."""
    value = counted(getattr(concept, name))
    object.__setattr__(concept, name, value)
    if not (is_whole(value) and least <= value <= most):
        raise ValueError(
            f"{name} must be a whole number from {least} to {most:,}, got {got(value)}"
        )
