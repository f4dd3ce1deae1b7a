"""P, V, Vc and H as torch networks: what they see, what they are, and as an evaluator for a search.
"""
