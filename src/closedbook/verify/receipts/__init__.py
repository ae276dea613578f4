"""What is kept of checks that held, so that only what changed runs again."""
