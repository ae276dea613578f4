# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 0/1, saved-tensors 0/1, grad-output-untouched 0/1, needs-input-grad 0/1, freed 0/1, hooks 0/1
# Another Function of the unit was handed in as a plain class.
class Square:
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
