"""Times gradients of densities by PyTorch (torch.func.vmap over grad) on one thread. Input and output are those of jax_side.py."""

import json
import sys
import time

import torch
from densities import densities

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class names:
    exp, log, log1p, zeros_like, logaddexp = torch.exp, torch.log, torch.log1p, torch.zeros_like, torch.logaddexp
    sum = staticmethod(lambda x, axis=None: torch.sum(x) if axis is None else torch.sum(x, axis))
    max = staticmethod(torch.amax)


name, _, folder = sys.argv[1:]
data = {k: torch.tensor(v, dtype=torch.float64) for k, v in json.load(open(f"{folder}/{name}.json")).items()}
dim, make = densities(names)[name]
work = torch.func.vmap(torch.func.grad_and_value(make(data)))
x = 0.1 * torch.randn(8, dim)
for line in sys.stdin:
    start = time.process_time()
    for _ in range(int(line)):
        work(x)
    print(time.process_time() - start, flush=True)
