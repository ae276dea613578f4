"""What the text of an attempt tells, read without running it."""
