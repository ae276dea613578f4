"""The model to facts, verdicts and receipts."""
