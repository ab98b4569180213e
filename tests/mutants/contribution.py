"""Shapes: what a term is cut to, and how far a sum of them moves."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "contribution/shape.py",
        "contribution/test_vectors.py",
        (
            "total.terms(jnp.where(mask, terms, 0.0)).sum()",
            "total.terms(terms).sum()",
            "who is not in the cohort is summed",
            "the_sum_is_of_those_present_in_any_pieces",
        ),
    ),
    *of(
        "contribution/numbers.py",
        "contribution/test_numbers.py",
        (
            "jnp.isfinite(terms), jnp.clip(terms, self.lower, self.upper), nearest_zero)",
            "jnp.isfinite(terms), terms, nearest_zero)",
            "numbers are not clipped",
            "interval_edge_cases_of_the_docstring",
        ),
        (
            "jnp.where(jnp.isfinite(terms), jnp.clip(terms, self.lower, self.upper), nearest_zero)",
            "jnp.clip(terms, self.lower, self.upper)",
            "NaN reaches the sum",
            "interval_edge_cases_of_the_docstring",
        ),
        (
            "return max(abs(self.lower), abs(self.upper))",
            "return abs(self.upper)",
            "the bound of the upper end alone",
            "interval_sensitivity_is_the_brute_force_one",
        ),
        (
            "return self.upper - self.lower",
            "return self.bound",
            "a replaced number moves as one that joins",
            "interval_sensitivity_is_the_brute_force_one",
        ),
        (
            "_float32(x, math.inf)",
            "_float32(x, -math.inf)",
            "a bound is rounded outwards",
            "an_intervals_bounds_are_float32_numbers_inside_those_given",
        ),
        (
            "jnp.clip(jnp.round(terms.astype(jnp.float32) / self.step), self.least, self.most)",
            "jnp.round(terms.astype(jnp.float32) / self.step)",
            "steps are not clipped",
            "grid_edge_cases_of_the_docstring",
        ),
        (
            "return self.step * (self.most - self.least)",
            "return self.step * self.most",
            "a replaced number moves as if from zero",
            "grid_sensitivity_is_the_brute_force_one_exactly",
        ),
        (
            "return self.step * max(abs(self.least), abs(self.most))",
            "return self.step * abs(self.most)",
            "the bound of the upper end alone",
            "grid_sensitivity_is_the_brute_force_one_exactly",
        ),
        (
            "jnp.where(present, jnp.round(terms / self.step), 0.0)",
            "jnp.round(terms / self.step)",
            "who is not in the cohort is summed",
            "the_sum_is_of_those_present_in_any_pieces",
        ),
    ),
    *of(
        "contribution/vectors.py",
        "contribution/test_vectors.py",
        (
            "jnp.minimum(1.0, radius / jnp.maximum(norms, 1e-30))",
            "jnp.maximum(1.0, radius / jnp.maximum(norms, 1e-30))",
            "long vectors stay, short ones are stretched",
            "projected_norm_is_at_most_the_radius",
        ),
        (
            "return jnp.where(jnp.isfinite(norms), terms * shrink, 0.0)",
            "return terms * shrink",
            "NaN reaches the sum",
            "edge_cases_of_the_docstrings",
        ),
        (
            "return relation.people_moved * length",
            "return length",
            "replacing moves as far as joining",
            "sensitivities_are_the_brute_force_ones",
        ),
        (
            "jnp.sqrt(jnp.sum(jnp.square(terms.astype(jnp.float32)), axis=-1, keepdims=True))",
            "jnp.max(jnp.abs(terms.astype(jnp.float32)), axis=-1, keepdims=True)",
            "the wrong norm is bounded",
            "projected_norm_is_at_most_the_radius",
        ),
        (
            "norms = jnp.sum(jnp.abs(terms.astype(jnp.float32)), axis=-1, keepdims=True)",
            "norms = _euclidean(terms)",
            "the L2 norm of an L1 ball is bounded",
            "projected_norm_is_at_most_the_radius",
            "edge_cases_of_the_docstrings",
        ),
        (
            "return jnp.where(usable, terms / norms, 0.0)",
            "return jnp.where(usable, terms, 0.0)",
            "a direction keeps its length",
            "edge_cases_of_the_docstrings",
        ),
        (
            "return math.sqrt(self.dim) * self.side.sensitivity(relation)",
            "return self.side.sensitivity(relation)",
            "the L2 distance of one coordinate of a cube",
            "sensitivities_are_the_brute_force_ones",
        ),
        (
            "return self.dim * self.side.sensitivity(relation)",
            "return self.sensitivity(relation)",
            "the L2 distance of a cube for the L1",
            "sensitivities_are_the_brute_force_ones",
        ),
        (
            "return _both_ways(self.side.upper - self.side.lower, relation)",
            "return self.side.upper - self.side.lower",
            "scores of a replaced person move apart once",
            "the_spread_of_a_cube_is_the_brute_force_one",
        ),
    ),
    *of(
        "contribution/categories.py",
        "contribution/test_categories.py",
        (
            "return float(relation.people_moved)",
            "return 1.0",
            "who changes category leaves one and joins none",
            "sensitivities_are_the_brute_force_ones_exactly",
        ),
        (
            "known = (terms >= 0) & (terms < self.categories)",
            "known = terms < self.categories",
            "a category below zero counts from the end",
            "one_hot_edge_cases_of_the_docstring",
        ),
        (
            "jnp.where(present & (terms >= 0), terms, self.categories)",
            "jnp.where(terms >= 0, terms, self.categories)",
            "who is not in the cohort is counted",
            "the_sum_is_of_those_present_in_any_pieces",
        ),
        (
            "jnp.clip(jnp.nan_to_num(terms.astype(jnp.float32)), 0, self.linf)",
            "jnp.maximum(jnp.nan_to_num(terms.astype(jnp.float32)), 0)",
            "records of one category are not limited",
            "counts_edge_cases_of_the_docstring",
        ),
        (
            "[:, : self.l0]",
            "[:, : 2 * self.l0]",
            "records in twice the categories are kept",
            "counts_edge_cases_of_the_docstring",
        ),
        (
            "changed = relation.people_moved * self.l0",
            "changed = self.l0",
            "a replaced person's records lie where the old ones lay",
            "sensitivities_are_the_brute_force_ones_exactly",
        ),
        (
            "return self.linf * math.sqrt(self._places(relation))",
            "return math.sqrt(self.linf * self._places(relation))",
            "the L2 distance of records in places of their own",
            "sensitivities_are_the_brute_force_ones_exactly",
        ),
        (
            "return float(relation.people_moved * self.linf)",
            "return float(self.linf)",
            "scores of a replaced person move apart once",
            "sensitivities_are_the_brute_force_ones_exactly",
        ),
    ),
    *of(
        "contribution/product.py",
        "contribution/test_product.py",
        (
            "return math.hypot(*(part.sensitivity(relation) for part in self.parts))",
            "return max(part.sensitivity(relation) for part in self.parts)",
            "parts move one at a time",
            "sensitivities_are_the_brute_force_ones",
        ),
        (
            "return math.fsum(part.l1_sensitivity(relation) for part in self.parts)",
            "return max(part.l1_sensitivity(relation) for part in self.parts)",
            "parts move one at a time",
            "sensitivities_are_the_brute_force_ones",
        ),
        (
            "1 - 1e-9 <= math.fsum(shares) <= 1",
            "1 - 1e-9 <= math.fsum(shares)",
            "shares of more than the budget",
            "shares_that_are_none_are_refused",
        ),
        (
            "members = [part.project(own) for part, own in self.split(terms)]",
            "members = [own for _, own in self.split(terms)]",
            "parts are not brought into their shapes",
            "a_slice_is_brought_into_its_own_part",
        ),
    ),
)
