# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# ctx is called self, inputs are unpacked with a star, an error is raised and caught.
import torch


class UsageError(ValueError):
    """Wrong sizes."""


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(x, w, b=None):
        try:
            if x.shape[1] != w.shape[1]:
                raise UsageError(f"{x.shape} does not fit {w.shape}")
            y = x.mm(w.t())
        except RuntimeError as error:
            raise UsageError(str(error)) from error
        else:
            return y if b is None else torch.addmm(b, x, w.t())

    @staticmethod
    def setup_context(self, arguments, y):
        *matrices, b = arguments
        self.save_for_backward(*matrices)
        self.set_materialize_grads(False)

    @staticmethod
    def backward(self, dy):
        if dy is None:
            return None, None, None
        x, w = self.saved_tensors
        dx, dw, db = None, None, None
        if self.needs_input_grad[0]: dx = dy.mm(w)
        if self.needs_input_grad[1]: dw = x.t().mm(dy).t()
        if self.needs_input_grad[2]: db = torch.ones(1, dy.shape[0], dtype=dy.dtype).mm(dy)[0]
        return dx, dw, db
