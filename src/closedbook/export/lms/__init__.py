"""A realised exam to other systems."""
