"""Where attempts run: warm processes behind walls, and the sessions that are forked from them."""
