"""Rows of a dataset on the Hugging Face Hub, streamed at a pinned commit.

If `datasets` cannot reach a revision, it silently loads whatever an earlier run left in its cache. To prevent this, the
commit is verified first, the cache is an empty folder, and every file to be read must be of exactly this commit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from gamut.dataset.reading.files import BESIDE, mapped_rows
from gamut.dataset.reading.folders import Folder, ending, folder_of, folder_of_names, is_archive
from gamut.dataset.reading.pictures import is_image, stem
from gamut.dataset.reading.tables import READERS, RawRowOrReason
from gamut.dataset.shared.source_blocks import ARCHIVES, HubSource
from gamut.project.errors import UserError, nearest_choice

TIMEOUT_SECONDS = 30
"""How long the Hub may take to name the commit."""


def hub_rows(source: HubSource) -> Iterator[RawRowOrReason]:
    """Yield all rows of a split, in order; UserError also if fewer come than the dataset's card promises."""
    verify_commit(source)
    with failures_in_one_line(source):
        folder, names, promised = open_split(source)
        count = 0
        for found in mapped_rows(folder, lambda: iter(names), source, label_of(source)):
            yield found
            count += 1
        expected = min(promised, source.limit or promised)
        if count < expected:
            raise failure(source, f"only {count:,} of {expected:,} rows came: run it again, or set `limit: {count}`")


def verify_commit(source: HubSource) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    with failures_in_one_line(source):
        try:
            found = HfApi().dataset_info(source.repo, revision=source.revision, timeout=TIMEOUT_SECONDS).sha
        except GatedRepoError:
            raise failure(source, "access is restricted: ask for it on its page, then run `hf auth login`") from None
        except RepositoryNotFoundError:
            raise failure(source, "it does not exist or is private: fix `repo`, or run `hf auth login`") from None
        except RevisionNotFoundError:
            raise failure(source, "no commit has this id: fix `revision`; the page of its files lists them") from None
        if found != source.revision:
            raise failure(source, f"`revision` is not a commit but a name of {found}: write the commit")


def open_split(source: HubSource) -> tuple[Folder, list[str], int]:
    """Return the repository's files, the names of the split's files, and how many rows the dataset's card promises (0
    if it does not say). `datasets` decides which files belong to a split; they are read like files on the disk.
    """
    from datasets import load_dataset_builder
    from huggingface_hub import HfFileSystem

    with tempfile.TemporaryDirectory() as empty:  # hf:// so that a local folder of that name is not taken
        name = f"hf://datasets/{source.repo}"
        builder = load_dataset_builder(name, name=source.config, revision=source.revision, cache_dir=empty)
    splits = {str(split): files for split, files in (builder.config.data_files or {}).items()}
    files = [file for split in splits.values() for file in split]
    if not files or not all(file.startswith(address(source)) for file in files):
        raise failure(source, "some files to be read are not of this commit: run it again")
    if source.split not in splits:
        raise failure(source, f"there is no split {source.split!r}{nearest_choice(source.split, splits)}")
    names = [file.removeprefix(address(source)) for file in splits[source.split]]
    if not any(ending(name) in READERS or is_image(name) or is_archive(name) for name in names):
        raise failure(source, f"no reader for {names[0]}: {', '.join((*READERS, *ARCHIVES))} and pictures are read")
    system, top = HfFileSystem(), address(source).removeprefix("hf://")
    known = [str(path).removeprefix(top) for path in system.find(top)]
    folder = folder_of_names(f"{label_of(source)}: ", known, lambda name: system.open(top + name, "rb"))
    texts = {(folder_of(name), stem(name)) for name in names if ending(name) in BESIDE}  # it may take them for tables
    names += [name for name in known if is_image(name) and (folder_of(name), stem(name)) in texts]
    names = sorted({*names}, key=lambda name: name.split("/"))
    split = (builder.info.splits or {}).get(source.split)
    return folder, names, split.num_examples if split else 0


@contextmanager
def failures_in_one_line(source: HubSource) -> Iterator[None]:
    from datasets.exceptions import DatasetsError
    from huggingface_hub import errors

    network = errors.HTTPError  # type: ignore[attr-defined]  # of httpx or httpx2, depending on the version
    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise failure(source, "offline mode does not reach the Hub: unset HF_HUB_OFFLINE") from None
    except (DatasetsError, network, OSError, ValueError, EOFError) as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise failure(source, f"{said}: fix its block, or check the network, and run it again") from None


def failure(source: HubSource, what: str) -> UserError:
    return UserError(f"{label_of(source)}: {what}")


def label_of(source: HubSource) -> str:
    return f"{source.repo} at {source.revision} (wave {source.wave!r} in params.yaml)"


def address(source: HubSource) -> str:
    return f"hf://datasets/{source.repo}@{source.revision}/"
