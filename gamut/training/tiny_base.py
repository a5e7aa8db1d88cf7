"""The laptop's model that writes and paints: a tiny Emu3 of the real class, made on the spot. It is taught what most
pictograms of the embedded world are called, both to say and to paint it.
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
from gamut.asking.models.world.sandbox import pictogram, pictogram_kinds, taught_kinds, wordings
from gamut.asking.requests import Picture
from gamut.project.files import write_json
from gamut.project.model_kinds import PictureSampling, UnifiedModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.training.examples import Example
from gamut.training.picture_tokenizer import CELL, CODES, SIDE, train_tokenizer
from gamut.training.recipes import Recipe
from gamut.training.training import train

FIRST, PICTURES = 1000, 25
"""The number of the first picture of a kind that is learnt from, and how many are: others are new to the model."""
RECIPE = Recipe(lora=None, checkpoints=[400], batch=32, learning_rate=3e-3, warmup=20)
SIZES = {"hidden_size": 96, "intermediate_size": 192, "num_hidden_layers": 3, "num_attention_heads": 4}
CHOICES = 4
"""Names of which one is right."""
CONTROL = ("<pad>", "<|extra_203|>", "<|extra_204|>", "<unknown>", "<image>", "<|image start|>", "<|image end|>",
           "<|image token|>", "<|extra_201|>", "<|extra_200|>")  # fmt: skip
"""Emu3's tokens: padding, a text's begin and end; a picture's place, begin and end; before and after its codes; the
end of a row of them.
"""
WORD = r"\w+|[^\w\s]+"
"""As the tokenizer's `Whitespace` takes texts apart."""
CODE = "<|visual token {:06d}|>"
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] + ' ' }}{% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def build_base(folder: Path, seed: int, recipe: Recipe = RECIPE) -> None:
    """Write the model into a folder, as transformers saves one; on one machine the same bytes each time."""
    pictures = {kind: [pictogram(kind, FIRST + number) for number in range(PICTURES)] for kind in pictogram_kinds()}
    pixels = [np.asarray(decode_picture(one)) for some in pictures.values() for one in some]
    with tempfile.TemporaryDirectory() as place:
        untaught = Path(place) / "untaught"
        save_untaught(untaught, train_tokenizer(np.stack(pixels), seed), seed)
        painting = PictureSampling(guidance_scale=1)
        model = UnifiedModel(kind="unified", id="tiny", revision=digest(untaught), dtype="float32", painting=painting)
        settings = Settings(models={"tiny": Endpoint(device="cpu", weights=str(untaught))})
        examples = list(taught_examples(pictures, seed))
        player = RoleModel("creator", "tiny", model)
        train(player, settings, recipe, examples, [], seed, Path(place), Path(place) / "losses.csv")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(Path(place) / f"step-{recipe.steps}", folder)


def taught_examples(pictures: Mapping[str, Sequence[Picture]], seed: int) -> Iterator[Example]:
    """Yield each picture of a taught kind twice: to be named, and to be painted; wordings take turns."""
    rng, kinds = random.Random(seed), taught_kinds()
    for kind in kinds:
        worded = wordings(kind)
        questions, captions = [*worded["open"], *worded["choice"]], [*worded["concise"], *worded["detailed"]]
        for number, picture in enumerate(pictures[kind]):
            question = questions[number % len(questions)]
            if question in worded["choice"]:
                others = rng.sample([one for one in kinds if one != kind], CHOICES - 1)
                question += f" {', '.join(rng.sample([kind, *others], CHOICES))}"
            yield Example(f"{kind} {number} und", (picture, question), kind)
            yield Example(f"{kind} {number} gen", (captions[number % len(captions)],), picture)


def vocabulary() -> Mapping[str, int]:
    """Return control tokens, codes, and every word of the wordings and of the names of things."""
    texts = ["user: assistant:", f"{SIDE // CELL}*{SIDE // CELL}", ","]
    for kind in pictogram_kinds():
        texts += [kind, *(text for some in wordings(kind).values() for text in some)]
    words = sorted({word for text in texts for word in re.findall(WORD, text.lower())})
    codes = [CODE.format(number) for number in range(CODES)]
    return {token: number for number, token in enumerate([*CONTROL, *codes, *words])}


def save_untaught(folder: Path, pictures: Any, seed: int) -> None:
    """Save a model that knows words and pictures by sight, and nothing of what belongs together."""
    import torch
    import transformers

    tokens = vocabulary()
    folder.mkdir()
    by_words = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordLevel", "vocab": tokens, "unk_token": CONTROL[3]},
    }
    write_json(folder / "tokenizer.json", by_words)
    named = {"image_token": "<image>", "boi_token": "<|image start|>", "eoi_token": "<|image end|>"}
    named |= {"image_wrapper_token": "<|image token|>", "eof_token": "<|extra_201|>"}
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        pad_token=CONTROL[0],
        bos_token=CONTROL[1],
        eos_token=CONTROL[2],
        unk_token=CONTROL[3],
        extra_special_tokens=named,
    )
    words.chat_template = TEMPLATE
    marks = {"bos_token_id": words.bos_token_id, "eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    torch.manual_seed(seed)
    config = transformers.Emu3Config(
        vq_config=pictures.config.to_dict(),
        text_config=SIZES
        | marks
        | {
            "vocab_size": len(tokens),
            "num_key_value_heads": 4,
            "max_position_embeddings": 512,
            "attention_dropout": 0.0,
        }
        | {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}},
        vocabulary_map=tokens,
    )
    network = transformers.Emu3ForConditionalGeneration(config)
    network.model.vqmodel.load_state_dict(pictures.state_dict())
    network.generation_config = transformers.GenerationConfig(**marks)
    network.save_pretrained(folder)
    words.save_pretrained(folder)
    transformers.Emu3ImageProcessor(
        min_pixels=SIDE * SIDE, max_pixels=SIDE * SIDE, spatial_factor=CELL, image_mean=[0.5] * 3, image_std=[0.5] * 3
    ).save_pretrained(folder)
