"""PAC learning: the rule of a public class that labels most people right, by one private choice.

    tree = tacit.pac.learn(bits, labels, DecisionTree(dim=40, depth=2), trust=tacit.Central(1.0, 0),
                           ledger="people.db", name="patients")
    print(tree)                    # the tests and labels, in words
    tree.predict(others)

Classes of concepts are in `tacit.question`; what each is answered by, and how many people that
takes (`realisable_people`, `agnostic_people`), is known before anything is asked.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
