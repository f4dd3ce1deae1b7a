"""Says what to install where there is no torch; imported before torch by all that needs it.

Searching, exact training, matches and measuring do without torch, so it is an extra.
"""

from __future__ import annotations

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "networks need torch, which is not installed: pip install 'nash_ismcts_spiel[learned]'",
        name="torch",
    ) from error
