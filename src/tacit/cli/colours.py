"""A colour for each trust model, the same in every picture."""

COLOURS = {
    "none": "#444444",
    "central": "#1b6ca8",
    "shuffled": "#7b4fa3",
    "local": "#c4572e",
    "federated": "#2e8b57",
}
