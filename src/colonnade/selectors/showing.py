"""How fitted selectors look in notebooks."""

from __future__ import annotations

from typing import Any

__all__ = ["Shown"]


class Shown:
    """Shows the choice below the diagram that scikit-learn shows of an estimator."""

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram and, once fitted, the choice below it."""
        return str(super()._repr_html_inner()) + self._chosen_html()  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._chosen_html()
        return bundle

    def _chosen_html(self) -> str:
        found = getattr(self, "selection_", None)
        return "" if found is None else found._repr_html_()
