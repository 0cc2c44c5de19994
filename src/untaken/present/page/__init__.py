"""The page about a study: one design, as a file of its own (`report`) and served (`explorer`)."""
