"""A model for laptops that writes and paints: a tiny Emu3 of the real class, trained here. It learns the names of
most pictograms of the embedded world, to say and to paint them.
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gamut.asking.models.batches import decode_picture
from gamut.asking.models.weights import digest
from gamut.asking.models.world.sandbox import pictogram, pictogram_kinds, wordings
from gamut.asking.requests import Picture
from gamut.project.files import write_json
from gamut.project.model_kinds import UnifiedModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.training.examples import Example
from gamut.training.picture_tokenizer import CELL, CODES, SIDE, train_tokenizer
from gamut.training.recipes import Recipe
from gamut.training.training import train

TAUGHT, FIRST, PICTURES, NAMED, PAINTED = 20, 1000, 25, 15, 2
"""Kinds taught; the number of a kind's first picture; its pictures, how many of them are named and how many painted."""
HOW: Mapping[str, Any] = {"lora": None, "batch": 32, "warmup": 20}
RECIPES = (Recipe(checkpoints=[300], learning_rate=3e-3, **HOW), Recipe(checkpoints=[100], learning_rate=5e-4, **HOW))
"""One after the other: at a rate that stays high, what it knows of some kinds comes and goes."""
SIZES = {"hidden_size": 96, "intermediate_size": 192, "num_hidden_layers": 3, "num_attention_heads": 4,
         "num_key_value_heads": 4, "max_position_embeddings": 512, "attention_dropout": 0.0}  # fmt: skip
TINY = {"kind": "unified", "id": "tiny", "dtype": "float32", "painting": {"guidance_scale": 1}}
CONTROL = {
    "pad_token": "<pad>", "bos_token": "<|extra_203|>", "eos_token": "<|extra_204|>", "unk_token": "<unknown>",
    "image_token": "<image>", "boi_token": "<|image start|>", "eoi_token": "<|image end|>",
    "image_wrapper_token": "<|image token|>", "eof_token": "<|extra_201|>", "eol_token": "<|extra_200|>",
}  # fmt: skip
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {% for part in message['content'] %}{{ part['text'] + ' ' "
    "if part['text'] else '<image>' }}{% endfor %}{% endfor %}{{ 'assistant:' if add_generation_prompt }}"
)


def build_base(folder: Path, seed: int) -> None:
    """Write the model into a folder, in the form of transformers; on one machine the bytes are the same each time."""
    pictures = {kind: [pictogram(kind, FIRST + number) for number in range(PICTURES)] for kind in pictogram_kinds()}
    pixels = np.stack([np.asarray(decode_picture(one)) for some in pictures.values() for one in some])
    examples = list(taught_examples(pictures, seed))
    with tempfile.TemporaryDirectory() as place:
        last = Path(place) / "untaught"
        save_untaught(last, train_tokenizer(pixels, seed), seed)
        for number, recipe in enumerate(RECIPES):
            model = UnifiedModel.model_validate(TINY | {"revision": digest(last)})
            settings = Settings(models={"tiny": Endpoint(device="cpu", weights=str(last))})
            player, to = RoleModel("creator", "tiny", model), Path(place) / str(number)
            train(player, settings, recipe, examples, [], seed, to, to / "losses.csv")
            last = to / f"step-{recipe.steps}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(last, folder)


def taught_examples(pictures: Mapping[str, Sequence[Picture]], seed: int) -> Iterator[Example]:
    """Yield the examples of each kind, fewer than a training keeps in memory."""
    rng, kinds = random.Random(seed), [*pictures][:TAUGHT]
    for kind in kinds:
        worded = wordings(kind)
        questions, captions = [*worded["open"], *worded["choice"]], [*worded["concise"], *worded["detailed"]]
        for number, picture in enumerate(pictures[kind][:NAMED]):
            question = questions[number % len(questions)]
            if question in worded["choice"]:
                others = rng.sample([one for one in kinds if one != kind], 3)
                question += f" {', '.join(rng.sample([kind, *others], 4))}"
            yield Example(f"{kind} {number} und", (picture, question), kind)
        for number, caption in enumerate(captions):  # of few pictures, so that it paints one and not parts of several
            yield Example(f"{kind} {number} gen", (caption,), pictures[kind][number % PAINTED])


def vocabulary() -> Mapping[str, int]:
    """Return control tokens, codes, and every word of the wordings and of the names of things."""
    texts = ["user: assistant:", f"{SIDE // CELL}*{SIDE // CELL}", ",", *pictogram_kinds()]
    texts += [text for kind in pictogram_kinds() for some in wordings(kind).values() for text in some]
    words = {word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text.lower())}
    codes = [f"<|visual token {number:06d}|>" for number in range(CODES)]
    return {token: number for number, token in enumerate([*CONTROL.values(), *codes, *sorted(words)])}


def save_untaught(folder: Path, pictures: Any, seed: int) -> None:
    """Save a model that knows words and pictures, but not which belong together."""
    import torch
    import transformers

    tokens = vocabulary()
    whole_words = {"type": "WordLevel", "vocab": tokens, "unk_token": CONTROL["unk_token"]}
    apart = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "added_tokens": []}
    write_json(folder / "tokenizer.json", apart | {"model": whole_words})
    words = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), **CONTROL)
    words.chat_template = TEMPLATE
    marks = {f"{name}_id": tokens[CONTROL[name]] for name in ("pad_token", "bos_token", "eos_token")}
    torch.manual_seed(seed)
    text = SIZES | marks | {"vocab_size": len(tokens), "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
    config = transformers.Emu3Config(vq_config=pictures.config.to_dict(), text_config=text, vocabulary_map=tokens)
    network = transformers.Emu3ForConditionalGeneration(config)
    network.model.vqmodel.load_state_dict(pictures.state_dict())
    network.generation_config = transformers.GenerationConfig(**marks)
    look = {"min_pixels": SIDE**2, "max_pixels": SIDE**2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    for part in (network, words, transformers.Emu3ImageProcessor(**look, spatial_factor=CELL)):
        part.save_pretrained(folder)
