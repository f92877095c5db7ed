"""Times PyTorch on networks: torch_network.py NETWORK REPLICAS ROWS BATCH. For each number N from standard input it does N steps of SGNHT for each replica
and prints the processor time in seconds. Each replica has its own weights and its own batch of generated images. A step selects rows, computes the
gradient, and updates noise, thermostat and weights, in single precision on one thread. The networks are those of bench/models."""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(1)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.dense1, self.dense2 = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, 64), nn.Linear(64, 10)

    def forward(self, x):
        last = self.lstm(x.flatten(2))[0][:, -1]
        return self.dense2(F.relu(self.dense1(F.relu(last))))


class FilterNorm(nn.Module):
    """Filter response normalisation (Singh and Krishnan 2020) without its threshold."""

    def __init__(self, filters):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(1, filters, 1, 1)), nn.Parameter(torch.zeros(1, filters, 1, 1))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean((2, 3), keepdim=True) + 1e-6) * self.scale + self.shift


def conv(before, filters, width, stride=1):
    return nn.Conv2d(before, filters, width, stride, padding=width // 2)


class Block(nn.Module):
    def __init__(self, before, filters):
        super().__init__()
        stride = filters // before
        self.first = nn.Sequential(conv(before, filters, 3, stride), FilterNorm(filters), nn.ReLU(), conv(filters, filters, 3), FilterNorm(filters))
        self.past = nn.Identity() if stride == 1 else conv(before, filters, 1, stride)

    def forward(self, x):
        return F.relu(self.past(x) + self.first(x))


class Residual(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        layers, before = [conv(3, 16, 3), FilterNorm(16), nn.ReLU()], 16
        for filters in (16, 32, 64):
            for _ in range(blocks):
                layers.append(Block(before, filters))
                before = filters
        self.layers, self.dense = nn.Sequential(*layers), nn.Linear(64, 10)

    def forward(self, x):
        return self.dense(self.layers(x.permute(0, 3, 1, 2)).mean((2, 3)))  # channels last in memory


NETWORKS = {
    "mlp": ((28, 28, 1), lambda: nn.Sequential(nn.Flatten(), nn.Linear(784, 200), nn.ReLU(), nn.Linear(200, 10))),
    "lstm": ((28, 28, 1), Lstm),
    "resnet8": ((32, 32, 3), lambda: Residual(1).to(memory_format=torch.channels_last)),
    "resnet20": ((32, 32, 3), lambda: Residual(3).to(memory_format=torch.channels_last)),
}
name, (replicas, rows, batch) = sys.argv[1], map(int, sys.argv[2:])
shape, make = NETWORKS[name]
image, label = torch.randint(256, (rows, *shape), dtype=torch.uint8), torch.randint(10, (rows,))
H, FRICTION = 1e-5, 0.1


class Replica:
    def __init__(self):
        self.net = make()
        self.weights = list(self.net.parameters())
        self.momenta = [torch.randn_like(w) for w in self.weights]
        self.thermostat, self.dim = FRICTION, sum(w.numel() for w in self.weights)

    def step(self):
        some = torch.randint(rows, (batch,))
        loss = rows / batch * F.cross_entropy(self.net(image[some].float() / 255), label[some], reduction="sum")
        gradients = torch.autograd.grad(loss, self.weights)
        with torch.no_grad():
            kinetic = 0.0
            for w, p, g in zip(self.weights, self.momenta, gradients):
                p.mul_(1 - H * self.thermostat).sub_(g + w, alpha=H).add_(torch.randn_like(p), alpha=(2 * FRICTION * H) ** 0.5)
                w.add_(p, alpha=H)
                kinetic += float(p.square().sum())
            self.thermostat += H * (kinetic / self.dim - 1)


all_replicas = [Replica() for _ in range(replicas)]
for line in sys.stdin:
    start = time.process_time()
    for _ in range(int(line)):
        for r in all_replicas:
            r.step()
    print(time.process_time() - start, flush=True)
