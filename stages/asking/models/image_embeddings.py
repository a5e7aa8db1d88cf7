"""Embeddings of pictures by CLIP or a DINO, as vectors of length 1: their dot product is the cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from stages.asking.models.batches import BatchedModel
from stages.asking.models.pictures import answer_about
from stages.asking.models.torch_batches import device_of, in_batches, loaded, model_type
from stages.asking.requests import Reply, Request, packed
from stages.project.errors import UserError, nearest
from stages.project.model_kinds import TransformersModel, identity
from stages.project.settings import Endpoint

GPU_BATCH = 64
KNOWN = ("clip", "dinov2", "dinov2_with_registers", "dinov3_vit")


def open_image_embeddings(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path
) -> BatchedModel:
    """Open CLIP, DINOv2 or DINOv3, whichever `folder` holds; UserError when it is something else.

    CLIP: the projected image features, which are compared with each other in CLIP-I and with texts in CLIPScore
    (Radford et al. 2021, figure 3). DINOv2, also with registers, and DINOv3: the CLS token after the last layer norm,
    as in DINOv2's own image retrieval (Oquab et al. 2023, section 7.3).
    """
    import torch
    import transformers

    kind, device = model_type(name, folder), device_of(name, slug, endpoint)
    if kind not in KNOWN:
        raise UserError(f"{name}: {folder} is a {kind!r}, which embeds no pictures here{nearest(kind, KNOWN)}")
    network = loaded(name, folder, transformers.AutoModel.from_pretrained, model.dtype, device)
    try:
        # By Pillow on every machine: torchvision resizes to other pixels.
        if kind == "dinov3_vit":  # whose own processor knows torchvision alone; it resizes, without a crop
            look = transformers.BitImageProcessorPil.from_pretrained(
                folder, do_center_crop=False, local_files_only=True
            )
        else:
            look = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", local_files_only=True)
    except (OSError, ValueError, ImportError) as error:
        cause = " ".join(str(error).split())[:300]
        raise UserError(f"{name}: {folder} has no usable image processor ({cause})") from None

    def run(pictures: Sequence[Image.Image]) -> list[Reply]:
        pixels = look(images=list(pictures), return_tensors="pt")["pixel_values"].to(device)
        with torch.inference_mode():
            seen = network.get_image_features(pixels) if kind == "clip" else network(pixels)
        vectors = torch.nn.functional.normalize(seen.pooler_output.float(), dim=-1).cpu().numpy()
        return [Reply(packed(vector)) for vector in vectors]

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return answer_about(requests, lambda _, some: in_batches(name, slug, device, some, run), model.largest_picture)

    batch = endpoint.batch or (1 if device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(identity(model), batch, generate)
