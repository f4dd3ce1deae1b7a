"""The study of training and search with exact models; `python -m benchmarks.exact_study`."""
