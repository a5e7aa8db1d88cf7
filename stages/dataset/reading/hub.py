"""Rows of a dataset on the Hugging Face Hub, streamed at a pinned commit.

When `datasets` cannot reach a revision it silently loads whatever an earlier run has left in its cache. Not here: the
commit is verified first, the cache is an empty folder, and every file to be read must stand at that very commit.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stages.dataset.reading.columns import ROWS_AT_ONCE, FoundRow, mapped, picked, require_columns
from stages.dataset.shared.parameters import HubSource
from stages.project.errors import UserError

TIMEOUT_SECONDS = 30
"""How long the Hub may take to say which commit it has."""


def hub_rows(source: HubSource) -> Iterator[FoundRow]:
    """Yield all rows of a split, in order.

    Raises UserError when the Hub cannot be reached, when repository, commit, configuration, split or a mapped column
    is not there, and when the stream breaks off or ends before the number of rows that the dataset's card gives.
    """
    verify_commit(source)
    with told_in_one_line(source):
        stream, promised = opened(source)
        count = 0
        for row in itertools.islice(stream, source.limit):
            found = picked(source.columns, row)
            yield found._replace(image=fetched(found.image, source))
            count += 1
        expected = min(promised, source.limit or promised)
        if count < expected:
            raise failure(source, f"only {count:,} of {expected:,} rows came: run it again, or set `limit: {count}`")


def verify_commit(source: HubSource) -> None:
    """Raise UserError unless the Hub itself says that it has the pinned commit."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    with told_in_one_line(source):
        try:
            found = HfApi().dataset_info(source.repo, revision=source.revision, timeout=TIMEOUT_SECONDS).sha
        except GatedRepoError:
            raise failure(source, "its owner lets in only some: ask on its page, then `hf auth login`") from None
        except RepositoryNotFoundError:
            raise failure(source, "no such dataset, or a private one: mend `repo`, or `hf auth login`") from None
        except RevisionNotFoundError:
            raise failure(source, "no such commit: mend `revision`; the page of its files lists all commits") from None
        if found != source.revision:
            raise failure(source, f"this is not a commit, the Hub takes it for {found}: mend `revision`")


def opened(source: HubSource) -> tuple[Any, int]:
    """Return the split's rows as a stream, images undecoded, and how many the dataset's card promises (0: it does not
    say).
    """
    from datasets import load_dataset_builder
    from datasets.packaged_modules.parquet.parquet import ParquetConfig
    from pyarrow.dataset import ParquetFragmentScanOptions

    with tempfile.TemporaryDirectory() as empty:  # with hf:// no folder of that name here is taken for the dataset
        name = f"hf://datasets/{source.repo}"
        builder = load_dataset_builder(name, name=source.config, revision=source.revision, cache_dir=empty)
    files = [file for split in (builder.config.data_files or {}).values() for file in split]
    if not files or not all(file.startswith(address(source)) for file in files):
        raise failure(source, "files that do not stand at this commit would be read: run it again")
    stream = builder.as_streaming_dataset(split=source.split)
    wanted = mapped(source.columns)
    require_columns(named(source), wanted, stream.column_names or next(iter(stream), wanted))
    if isinstance(builder.config, ParquetConfig):
        # Images are large: fetch only what is needed, give a few rows at a time, keep nothing of what was read.
        builder.config.columns, builder.config.batch_size = wanted, ROWS_AT_ONCE
        builder.config.fragment_scan_options = ParquetFragmentScanOptions(pre_buffer=False)
        stream = builder.as_streaming_dataset(split=source.split)
    split = (builder.info.splits or {}).get(source.split)
    return stream.decode(False) if stream.features else stream, split.num_examples if split else 0


def fetched(image: object, source: HubSource) -> object:
    """Return an image's bytes where the row only says in which file of the repository it is; anything
    else as it came.
    """
    if isinstance(image, dict) and not image.get("bytes") and str(image.get("path")).startswith(address(source)):
        from huggingface_hub import HfFileSystem

        return HfFileSystem().read_bytes(image["path"])
    return image


@contextmanager
def told_in_one_line(source: HubSource) -> Iterator[None]:
    """Turn what the Hub's libraries raise into a UserError."""
    from datasets.exceptions import DatasetsError
    from huggingface_hub import errors

    network = errors.HTTPError  # type: ignore[attr-defined]  # of httpx or httpx2, whichever it speaks through
    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise failure(source, "the Hub is not asked in offline mode: unset HF_HUB_OFFLINE") from None
    except (DatasetsError, network, OSError, ValueError, EOFError) as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise failure(source, f"{said}: mend its block, or check the network, and run it again") from None


def failure(source: HubSource, what: str) -> UserError:
    """Return a UserError that names the source."""
    return UserError(f"{named(source)}: {what}")


def named(source: HubSource) -> str:
    """Return how messages name the source."""
    return f"{source.repo} at {source.revision} (wave {source.wave!r} in params.yaml)"


def address(source: HubSource) -> str:
    """Return what the addresses of all its files open with."""
    return f"hf://datasets/{source.repo}@{source.revision}/"
