"""gamut: text-to-image reasoning datasets and benchmark leaderboards that anyone can rebuild, version and diff."""

TYPE_CHECKING = False  # `import gamut` imports nothing, not even what types need: every stage begins with it
if TYPE_CHECKING:
    from gamut.api.frames import answers, board, boards, compare, edition, judgments, release, runs, scores

__all__ = ["answers", "board", "boards", "compare", "edition", "judgments", "release", "runs", "scores"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from gamut.api import frames

    return getattr(frames, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
