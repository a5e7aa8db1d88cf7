"""Who answered, as metrics tell it."""

from __future__ import annotations

from pathlib import Path

from stages.evaluation.running.identities import identity_metrics, write_identity
from stages.project.model_kinds import TransformersModel, identity


def test_an_adjustment_of_attention_is_told(tmp_path: Path) -> None:
    model = TransformersModel.model_validate(
        {
            "kind": "transformers",
            "id": "org/chat",
            "revision": "0" * 40,
            "attention_adjustment": {"strength": 2, "layers": [3, 1]},
        }
    )
    write_identity(tmp_path, identity(model))
    assert identity_metrics(tmp_path) == {
        "contestant.id": "org/chat",
        "contestant.revision": "0" * 40,
        "contestant.numerics": "bfloat16",
        "contestant.attention_adjustment.strength": 2.0,
        "contestant.attention_adjustment.layers": "[1,3]",
    }
