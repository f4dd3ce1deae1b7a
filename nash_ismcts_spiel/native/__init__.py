"""Compiled parts: the exact tools and the search engine, over the arrays of a game graph."""

try:
    from nash_ismcts_spiel.native import _core  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "nash_ismcts_spiel.native._core":
        raise
    raise ModuleNotFoundError(
        "the compiled part of nash_ismcts_spiel is missing: install the package (pip install .) or "
        "build it in place (python setup.py build_ext --inplace)",
        name=error.name,
    ) from error
