"""A ``torch.autograd.Function`` run: forward, backward, gradcheck, and the facts of it."""
