"""Programs that measure speed; each prints a table and, as its last line, one JSON object."""
