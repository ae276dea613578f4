"""A learner's file to a report."""
