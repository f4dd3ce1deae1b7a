"""The study of training and search with learned models; `python -m benchmarks.learned_study`."""
