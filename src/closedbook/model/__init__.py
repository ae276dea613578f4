"""What a bank is, as types."""
