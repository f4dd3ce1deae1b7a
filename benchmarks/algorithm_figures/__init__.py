"""The figures of docs/algorithm.md, drawn from searches that are run for them."""
