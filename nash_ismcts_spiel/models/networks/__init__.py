"""P, V, Vc and H as torch networks: what they see, what they are, and how a search asks them."""
