"""Variables of chat templates, such as a switch for thinking. One that a template does not have changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stages.project.errors import UserError


def check_variables(name: str, slug: str, variables: Iterable[str], template: str) -> None:
    """Raise UserError for the first of `chat_template_kwargs` that a chat template does not speak of."""
    for variable in variables:
        if not re.search(rf"\b{re.escape(variable)}\b", template):
            mend = f"mend models.{slug}.chat_template_kwargs in params.yaml"
            raise UserError(f"{name}: {variable} is no variable of its chat template: {mend}")
