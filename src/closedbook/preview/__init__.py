"""What ``cards preview`` is made of: the bank as pages, a server of one machine, a watch."""
