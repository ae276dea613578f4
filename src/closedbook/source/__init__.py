"""YAML text to the model, every mistake placed."""
