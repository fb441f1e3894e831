"""How many to choose of each class."""

from __future__ import annotations

import numpy as np

from ...foundation.typing import Indices, Mask

__all__ = ["quotas"]


def quotas(codes: Indices, size: int, first: Indices, allowed: Mask) -> dict[int, int]:
    """Return how many to choose of each class: in proportion, at least one, rounded fairly.

    Each class gets one or what must be chosen of it; whoever is furthest below its share gets
    the next, as long as it has candidates.

    Parameters
    ----------
    codes : ndarray of int
        The class of each point.
    size : int
        How many to choose.
    first : ndarray of int
        What must be chosen.
    allowed : ndarray of bool
        What may be chosen in addition.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1, 2], [70, 25, 5])
    >>> quotas(codes, 10, np.array([], int), np.ones(100, bool))
    {0: 7, 1: 2, 2: 1}
    """
    members = np.bincount(codes).astype(float)
    classes = np.flatnonzero(members)
    have = np.bincount(codes[first], minlength=len(members))
    room = have + np.bincount(codes[allowed], minlength=len(members))
    empty = classes[room[classes] == 0]
    if len(empty):
        raise ValueError(
            f"exclude leaves no candidate in class {empty[0]} of stratify, and each class needs "
            "one; exclude fewer, or leave stratify out"
        )
    counts = np.zeros(len(members), dtype=np.intp)
    counts[classes] = np.maximum(have[classes], 1)
    if counts.sum() > size:
        raise ValueError(
            f"n_select={size} but stratify has {len(classes)} classes, and at least one of each "
            f"is chosen; choose n_select at least {counts.sum()}"
        )
    share = members / members.sum() * size
    while counts.sum() < size:
        lacking = np.where(counts < room, share - counts, -np.inf)
        counts[int(np.argmax(lacking))] += 1
    return {int(code): int(counts[code]) for code in classes}
