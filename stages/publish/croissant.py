"""`croissant.json`: a version in the Croissant vocabulary, version 1.0 (mlcommons.org/croissant), for other tools.

Every file of rows is named with its sha256. The record set reads them out of the repository at the version's tag, as
the Hub's own descriptions do: `mlcroissant` has no way to join single files into one set of records.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from stages.evaluation.defining import picture_shards
from stages.publish.card import About
from stages.publish.citation import address, bibtex
from stages.publish.files import File
from stages.publish.products import DEFAULT, PICTURES, Configuration, Product
from stages.tables.columns import IMAGE

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The names that Croissant 1.0 prescribes."""
FORMATS = {".parquet": "application/x-parquet", ".jsonl": "application/jsonlines", ".json": "application/json"}
REPOSITORY, ROWS, RECORDS = "repo", "rows", DEFAULT
PICTURE_FILES = "image_files"
ORIGIN_FILES = "provenance_files"
ORIGINS_ARE = "Where each picture comes from: its source with licence, its id there, its prompt. Joined by id."
PICTURES_ARE = "The pictures that items name, by the sha256 of their bytes."
UNTYPED = " Beside these fields rows have others, for which Croissant has no type: {names}. The card explains them."
NO_SHA256 = "https://github.com/mlcommons/croissant/issues/80"
"""What stands where Croissant wants a git repository's sha256, which there is none of: the Hub writes the same."""


def croissant(product: Product, about: About, files: Sequence[File]) -> str:
    """Return the description's text; `files` are those with rows and their own manifest, whose bytes it vouches for.

    The root's manifest.json names croissant.json, and so cannot be named in it. There is no `datePublished`: the same
    build gives the same bytes at any time.
    """
    publication = product.publication
    url, joined = address(publication), product.provenance
    loaded = {one.name: one.files for one in product.configurations}
    whole = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": publication.title,
        "description": about.summary,
        "license": publication.license_link or publication.license,
        "url": url,
        "version": publication.version,
        "citeAs": bibtex(publication),
        **(
            {"creator": [{"@type": "sc:Person", "name": name} for name in publication.authors]}
            if publication.authors
            else {}
        ),
        "inLanguage": list(about.languages),
        "keywords": list(about.tags),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": REPOSITORY,
                "name": REPOSITORY,
                "description": f"The repository at the tag {publication.tag}.",
                "contentUrl": f"{url}/tree/refs%2Ftags%2F{publication.tag}",
                "encodingFormat": "git+https",
                "sha256": NO_SHA256,
            },
            *(file_object(file, f"{url}/resolve/{publication.tag}") for file in files),
            file_set(ROWS, "All files of rows.", loaded[DEFAULT]),
            *([file_set(PICTURE_FILES, "All files of pictures.", loaded[PICTURES])] if product.images else []),
            *([file_set(ORIGIN_FILES, "All files of provenance.", joined.files)] if joined else []),
        ],
        "recordSet": [
            record_set(RECORDS, about.summary, product.schema, ROWS),
            *([record_set(PICTURES, PICTURES_ARE, picture_shards.SCHEMA, PICTURE_FILES)] if product.images else []),
            *([joined_by_id(joined)] if joined else []),
        ],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def file_set(name: str, what: str, files: Sequence[File]) -> dict[str, Any]:
    """Return files of one kind as a set."""
    return {
        "@type": "cr:FileSet",
        "@id": name,
        "name": name,
        "description": what,
        "containedIn": {"@id": REPOSITORY},
        "encodingFormat": format_of(files[0]),
        "includes": [file.path for file in files],
    }


def record_set(name: str, what: str, schema: pa.Schema, files: str) -> dict[str, Any]:
    """Return the rows of a set of files; columns that Croissant has no type for are named in its words alone."""
    untyped = [column.name for column in schema if not is_typed(column.type)]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": what + (UNTYPED.format(names=", ".join(untyped)) if untyped else ""),
        "field": [field(column, name, files) for column in schema if is_typed(column.type)],
    }


def joined_by_id(of: Configuration) -> dict[str, Any]:
    """Return the rows that say where pictures come from, whose ids are those of the dataset's."""
    records = record_set(of.name, ORIGINS_ARE, of.schema, ORIGIN_FILES)
    [same] = [field for field in records["field"] if field["name"] == "id"]
    same["references"] = {"field": {"@id": f"{RECORDS}/id"}}
    return records


def file_object(file: File, folder: str) -> dict[str, str]:
    """Return one file, at its address under the version's tag."""
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": f"{folder}/{file.path}",
        "contentSize": f"{file.size} B",
        "encodingFormat": format_of(file),
        "sha256": file.sha256,
    }


def format_of(file: File) -> str:
    """Return what the contents of a file are, as Croissant wants it."""
    return FORMATS[file.path[file.path.rindex(".") :]]


def field(column: pa.Field, records: str = RECORDS, files: str = ROWS) -> dict[str, Any]:
    """Return one column of the rows; a list is repeated, and what is nested in one has fields of its own."""
    source: dict[str, Any] = {"fileSet": {"@id": files}, "extract": {"column": column.name}}
    if column.type == IMAGE:
        source["transform"] = {"jsonPath": "bytes"}
    kind, repeated = element(column.type)
    said = named(f"{records}/{column.name}", column.name) | repeated
    if not is_nested(kind):
        return said | {"dataType": data_type(kind), "source": source}
    parts = []
    for part in kind:
        path = f"[*].{part.name}" if repeated else part.name
        kind_of_part, several = element(part.type)
        parts.append(
            named(f"{said['@id']}/{part.name}", part.name)
            | several
            | {"dataType": data_type(kind_of_part), "source": source | {"transform": {"jsonPath": path}}}
        )
    return said | {"subField": parts}


def named(path: str, name: str) -> dict[str, Any]:
    """Return how a field begins."""
    return {"@type": "cr:Field", "@id": path, "name": name}


def element(kind: pa.DataType) -> tuple[pa.DataType, dict[str, Any]]:
    """Return the type of a list's values, and that they are repeated; any other type as it is."""
    return (kind.value_type, {"repeated": True}) if pa.types.is_list(kind) else (kind, {})


def is_nested(kind: pa.DataType) -> bool:
    """Return whether a type has parts of their own."""
    return pa.types.is_struct(kind) and kind != IMAGE


def is_typed(kind: pa.DataType) -> bool:
    """Return whether Croissant has a type for a column: for what values of several types are, or lists of lists, it has
    none.
    """
    values, _ = element(kind)
    parts = [element(part.type)[0] for part in values] if is_nested(values) else [values]
    return bool(parts) and all(data_type(part) is not None for part in parts)


def data_type(kind: pa.DataType) -> str | None:
    """Return what Croissant calls a type, None where it has no word for it. All-null columns count as text."""
    if kind == IMAGE:
        return "sc:ImageObject"
    if pa.types.is_string(kind) or pa.types.is_null(kind):
        return "sc:Text"
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    return None
