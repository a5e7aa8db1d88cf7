"""The pages on which pictures are found: search with filters, and the map. Their scripts load what they need from files
beside them, for a page from disk can do no more.
"""

from __future__ import annotations

import base64
import sys
from array import array

import numpy as np
from numpy.typing import NDArray

from stages.dataset.shared.parameters import CHARACTERISTICS
from stages.report.dataset.gallery import NO_SCORE, PER_PAGE, Gathered
from stages.report.dataset.plane import STEPS, places
from stages.report.dataset.records import Gallery
from stages.report.site.folder import Folder
from stages.report.site.pages import page, script_of


def write_finding(folder: Folder, shown: Gallery, gathered: Gathered) -> None:
    """Write the search, its index, and the map."""
    names = gathered.words.write(folder)
    scores = {name: values for name, values in gathered.scores.items() if set(values) - {NO_SCORE}}
    facets = {
        "rows": gathered.count,
        "perPage": PER_PAGE,
        "noScore": NO_SCORE,
        "waves": list(gathered.waves),
        "outcomes": list(gathered.outcomes),
        "categories": list(CHARACTERISTICS),
        "wave": packed(gathered.wave),
        "outcome": packed(gathered.outcome),
        "category": packed(gathered.category),
        "scores": {name: packed(values) for name, values in scores.items()},
        "buckets": names,
    }
    folder.write("index/facets.js", script_of("facets", facets))
    values = {"gathered": gathered, "shown": shown, "categories": CHARACTERISTICS, "scores": list(scores), "root": ""}
    folder.write("search.html", page("dataset_search.html", here="search", title="Search the pictures", **values))
    plane = places(gathered.texts)
    if plane is not None:
        folder.write("index/map.js", script_of("map", {"steps": STEPS, "places": packed(plane)}))
    folder.write("map.html", page("dataset_map.html", here="map", title="A map of the prompts", plane=plane, **values))


def packed(values: array[int] | NDArray[np.uint16]) -> str:
    """Return whole numbers as their bytes, the lowest first, in base64."""
    if isinstance(values, np.ndarray):
        data = values.astype("<u2").tobytes()
    elif sys.byteorder == "big" and values.itemsize > 1:
        data = np.array(values, f"<u{values.itemsize}").tobytes()
    else:
        data = values.tobytes()
    return base64.b64encode(data).decode()
