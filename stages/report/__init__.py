"""The pages that people look at: `gamut report` writes boards, items, judges, dataset and versions as static HTML."""
