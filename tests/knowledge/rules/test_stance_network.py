import json

import numpy as np
import pytest

from knowledge.rules.stance_network import CLASSES, CUT, Examples, network, train


@pytest.fixture(scope="module")
def trained():
    """Three clouds of points, one for each class, in four dimensions."""
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], 60)
    rows = rng.normal(0, 0.4, (180, 4)) + np.eye(4)[labels] * 3
    examples = Examples(rows, labels, np.ones(180))
    return examples, train(examples, features=("a", "b", "c", "d"), embedder="some@1", data="x", seed=3)


class TestTrain:
    def test_tells_the_classes_apart(self, trained):
        examples, made = trained
        assert (made.probabilities(examples.rows).argmax(axis=1) == examples.labels).mean() > 0.97

    def test_gives_the_same_network_for_the_same_seed(self, trained):
        examples, made = trained
        again = train(examples, features=made.features, embedder="some@1", data="x", seed=3)
        other = train(examples, features=made.features, embedder="some@1", data="x", seed=4)
        assert (again.into == made.into).all()
        assert (other.into != made.into).any()

    def test_stands_a_feature_that_never_varies(self):
        rows = np.c_[np.zeros(6), [0.0, 0.1, 1.0, 1.1, 2.0, 2.1]]
        made = train(
            Examples(rows, np.array([0, 0, 1, 1, 2, 2]), np.ones(6)), features=("a", "b"), embedder="", data="", seed=1
        )
        assert np.isfinite(made.probabilities(rows)).all()


class TestNetwork:
    def test_gives_probabilities(self, trained):
        examples, made = trained
        given = made.probabilities(examples.rows)
        assert given.shape == (180, len(CLASSES))
        assert given.sum(axis=1) == pytest.approx(np.ones(180))

    def test_is_not_pushed_to_certainty_by_what_it_has_never_seen(self, trained):
        _, made = trained
        far, farther = made.mean + made.spread * CUT * [[1, 1, 1, 1], [1e6, 1e6, 1e6, 1e6]]
        assert (made.probabilities(far[None]) == made.probabilities(farther[None])).all()

    def test_comes_back_from_json_as_it_went(self, trained):
        examples, made = trained
        back = network(json.loads(json.dumps(made.as_json())))
        assert (back.features, back.embedder, back.data) == (made.features, made.embedder, made.data)
        assert back.probabilities(examples.rows) == pytest.approx(made.probabilities(examples.rows), abs=5e-4)

    @pytest.mark.parametrize(
        "change",
        [
            {"features": ["a", "b"]},
            {"into": [[1.0]]},
            {"out_bias": [0.0, 0.0]},
            {"mean": [1.0, 2.0, "x", 4.0]},
            {"mean": [1.0, 2.0, float("nan"), 4.0]},
        ],
    )
    def test_refuses_weights_that_do_not_fit(self, trained, change):
        with pytest.raises(ValueError):
            network(trained[1].as_json() | change)

    def test_refuses_what_is_no_network(self):
        with pytest.raises(KeyError):
            network({})
