"""Where chunks of jobs run: this process, processes of ours, a cluster."""
