"""What a person sees: drawings, a search laid open, a table to play at, and the local page."""
