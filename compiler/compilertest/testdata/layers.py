"""Evaluates layers of networks by PyTorch in double precision, for the comparison in layers_torch_test.go.

For each layer it writes the inputs x, the weights w by ppl's names, the mean of y for each row, which is the sum of
sin(k) times element k of the flattened output, the log likelihood of y = 1 under Normal(mean, 1), and its gradient with
respect to the weights.

    python3 layers.py > layers.json

Needs torch (2.15 made layers.json).
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
ROWS = 3


def image(x):
    """Converts an image [H, W, C] to the shape of PyTorch, [1, C, H, W]."""
    return x.permute(2, 0, 1)[None]


def pixels(x):
    return x[0].permute(1, 2, 0)


def conv(**options):
    """A convolution. The arguments are made contiguous, because PyTorch 2.15 returns wrong gradients of grouped convolutions
    for others, as finite differences of its own values show."""
    name = "group_conv1." if "groups" in options else "conv1."
    return lambda x, w: pixels(F.conv2d(image(x).contiguous(), w[name + "w"].permute(0, 3, 1, 2).contiguous(),
                                        w[name + "b"], **options))


def transposed(**options):
    return lambda x, w: pixels(F.conv_transpose2d(
        image(x), w["conv_transposed1.w"].permute(3, 0, 1, 2), w["conv_transposed1.b"], **options))


def recurrent(module, wide, x, w, names):
    """A recurrent layer of PyTorch with the weights of ppl's layer; names has those of wx, wh and the biases for each direction."""
    layer = module(x.shape[1], wide, batch_first=True, bidirectional=len(names) > 1)
    parameters = {}
    for (wx, wh, bx, bh), end in zip(names, ("", "_reverse")):
        zero = torch.zeros(w[wx].shape[0])
        parameters |= {"weight_ih_l0" + end: w[wx], "weight_hh_l0" + end: w[wh], "bias_ih_l0" + end: w[bx],
                       "bias_hh_l0" + end: w[bh] if bh else zero}
    return torch.func.functional_call(layer, parameters, (x[None],))[0][0]


def gates(prefix):
    return prefix + "wx", prefix + "wh", prefix + "b", None


def gru(prefix):
    return prefix + "wx", prefix + "wh", prefix + "bx", prefix + "bh"


def attention(heads, causal):
    def run(x, w):
        t, d = x.shape
        layer = nn.MultiheadAttention(d, heads, batch_first=True)
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), 1) if causal else None
        a = "attention1."
        given = {"in_proj_weight": w[a + "wx"], "in_proj_bias": w[a + "bx"], "out_proj.weight": w[a + "w"],
                 "out_proj.bias": w[a + "b"]}
        return torch.func.functional_call(layer, given, (x[None], x[None], x[None]),
                                          {"attn_mask": mask, "need_weights": False})[0][0]

    return run


def positional(x, w):
    t, d = x.shape
    at = torch.zeros(t, d)
    rate = torch.exp(-torch.log(torch.tensor(10000.0)) * torch.arange(0, d, 2) / d)
    at[:, 0::2] = torch.sin(torch.arange(t)[:, None] * rate)
    at[:, 1::2] = torch.cos(torch.arange(t)[:, None] * rate)[:, : d // 2]
    return dense(torch.sin((x + at).sum(0)), w)


def filter_norm(x, w):
    """Singh and Krishnan (CVPR 2020), equation 1, which PyTorch does not have."""
    return x / torch.sqrt((x**2).mean((0, 1)) + 1e-6) * w["filter_norm1.w"] + w["filter_norm1.b"]


def block(x, w):
    h = pixels(F.conv2d(image(x), w["Block1.a.conv1.w"].permute(0, 3, 1, 2), w["Block1.a.conv1.b"], padding=1))
    return torch.relu(x + h)


IMAGE, STEPS = (5, 4, 4), (4, 4)
CONV = {"conv1.w": (3, 3, 3, 4), "conv1.b": (3,)}
LSTM = {"lstm1.wx": (12, 4), "lstm1.wh": (12, 3), "lstm1.b": (12,)}
GRU = {"gru1.wx": (9, 4), "gru1.wh": (9, 3), "gru1.bx": (9,), "gru1.bh": (9,)}
HEADS = {"attention1.wx": (12, 4), "attention1.bx": (12,), "attention1.w": (4, 4), "attention1.b": (4,)}
DENSE = {"dense1.w": (3, 4), "dense1.b": (3,)}


def dense(x, w):
    return F.linear(x, w["dense1.w"], w["dense1.b"])


def named(prefix, shapes):
    return {prefix + name: shape for name, shape in shapes.items()}


CASES = [
    ("dense", "x -> dense(3)", (4,), DENSE, dense),
    ("relu", "x -> dense(3) -> relu", (4,), DENSE, lambda x, w: F.relu(dense(x, w))),
    ("gelu", "x -> dense(3) -> gelu", (4,), DENSE, lambda x, w: F.gelu(dense(x, w))),
    ("silu", "x -> dense(3) -> silu", (4,), DENSE, lambda x, w: F.silu(dense(x, w))),
    ("softmax", "x -> dense(3) -> softmax", (4,), DENSE, lambda x, w: F.softmax(dense(x, w), 0)),
    ("conv", "x -> conv(3, 3)", IMAGE, CONV, conv(padding=1)),
    ("conv without padding", "x -> conv(3, 3, pad = 0)", IMAGE, CONV, conv()),
    ("conv with stride", "x -> conv(3, 3, stride = 2)", IMAGE, CONV, conv(padding=1, stride=2)),
    ("conv with dilation", "x -> conv(3, 3, dilation = 2)", IMAGE, CONV, conv(padding=2, dilation=2)),
    ("conv of even size", "x -> conv(3, 2, stride = 3, pad = 1)", IMAGE,
     CONV | {"conv1.w": (3, 2, 2, 4)}, conv(padding=1, stride=3)),
    ("conv in groups", "x -> group_conv(6, 3, 2)", IMAGE, {"group_conv1.w": (6, 3, 3, 2), "group_conv1.b": (6,)},
     conv(padding=1, groups=2)),
    ("conv by channel", "x -> group_conv(4, 3, 4, stride = 2, pad = 0)", IMAGE,
     {"group_conv1.w": (4, 3, 3, 1), "group_conv1.b": (4,)}, conv(stride=2, groups=4)),
    ("transposed conv", "x -> conv_transposed(2, 3, stride = 2, pad = 1)", (3, 2, 4),
     {"conv_transposed1.w": (2, 3, 3, 4), "conv_transposed1.b": (2,)}, transposed(stride=2, padding=1)),
    ("transposed conv without stride", "x -> conv_transposed(2, 3)", (3, 2, 4),
     {"conv_transposed1.w": (2, 3, 3, 4), "conv_transposed1.b": (2,)}, transposed()),
    ("max_pool", "x -> conv(3, 3) -> max_pool(2)", IMAGE, CONV,
     lambda x, w: pixels(F.max_pool2d(image(conv(padding=1)(x, w)), 2))),
    ("max_pool with stride", "x -> conv(3, 3) -> max_pool(3, stride = 1)", IMAGE, CONV,
     lambda x, w: pixels(F.max_pool2d(image(conv(padding=1)(x, w)), 3, stride=1))),
    ("mean_pool", "x -> conv(3, 3) -> mean_pool(2)", IMAGE, CONV,
     lambda x, w: pixels(F.avg_pool2d(image(conv(padding=1)(x, w)), 2))),
    ("global_mean", "x -> conv(3, 3) -> relu -> global_mean", IMAGE, CONV,
     lambda x, w: F.relu(conv(padding=1)(x, w)).mean((0, 1))),
    ("layer_norm", "x -> layer_norm", (4,), {"layer_norm1.w": (4,), "layer_norm1.b": (4,)},
     lambda x, w: F.layer_norm(x, (4,), w["layer_norm1.w"], w["layer_norm1.b"])),
    ("group_norm", "x -> group_norm(2)", IMAGE, {"group_norm1.w": (4,), "group_norm1.b": (4,)},
     lambda x, w: pixels(F.group_norm(image(x), 2, w["group_norm1.w"], w["group_norm1.b"]))),
    ("filter_norm", "x -> filter_norm", IMAGE, {"filter_norm1.w": (4,), "filter_norm1.b": (4,)}, filter_norm),
    ("norms behind conv", "x -> conv(4, 3) -> group_norm(2) -> filter_norm", IMAGE,
     {"conv1.w": (4, 3, 3, 4), "conv1.b": (4,), "group_norm1.w": (4,), "group_norm1.b": (4,), "filter_norm1.w": (4,),
      "filter_norm1.b": (4,)},
     lambda x, w: filter_norm(pixels(F.group_norm(image(conv(padding=1)(x, w)), 2, w["group_norm1.w"],
                                                  w["group_norm1.b"])), w)),
    ("residual", "x -> Block", IMAGE, {"Block1.a.conv1.w": (4, 3, 3, 4), "Block1.a.conv1.b": (4,)},
     block),
    ("embed", "x -> embed(4, 3)", "tokens", {"embed1.w": (4, 3)}, lambda x, w: F.embedding(x.long() - 1, w["embed1.w"])),
    ("rnn", "x -> rnn(3)", STEPS, {"rnn1.wx": (3, 4), "rnn1.wh": (3, 3), "rnn1.b": (3,)},
     lambda x, w: recurrent(nn.RNN, 3, x, w, [gates("rnn1.")])),
    ("lstm", "x -> lstm(3)", STEPS, LSTM, lambda x, w: recurrent(nn.LSTM, 3, x, w, [gates("lstm1.")])),
    ("gru", "x -> gru(3)", STEPS, GRU, lambda x, w: recurrent(nn.GRU, 3, x, w, [gru("gru1.")])),
    ("bi_lstm", "x -> bi_lstm(3)", STEPS,
     named("bi_lstm1.forward.", LSTM) | named("bi_lstm1.backward.", LSTM),
     lambda x, w: recurrent(nn.LSTM, 3, x, w, [gates(f"bi_lstm1.{d}.lstm1.") for d in ("forward", "backward")])),
    ("bi_gru", "x -> bi_gru(3)", STEPS, named("bi_gru1.forward.", GRU) | named("bi_gru1.backward.", GRU),
     lambda x, w: recurrent(nn.GRU, 3, x, w, [gru(f"bi_gru1.{d}.gru1.") for d in ("forward", "backward")])),
    ("positional", "{ h = positional(x)\n return sin([d in 1..4: sum(t in 1..4: h[t, d])]) -> dense(3) }", STEPS, DENSE, positional),
    ("attention", "x -> attention(2)", STEPS, HEADS, attention(2, False)),
    ("causal attention", "x -> attention(4, causal = true)", STEPS, HEADS, attention(4, True)),
]


def main():
    out = []
    for number, (name, body, shape, weights, run) in enumerate(CASES):
        torch.manual_seed(number)
        if shape == "tokens":
            x = torch.randint(1, 5, (ROWS, 5)).double()
        else:
            x = torch.randn(ROWS, *shape).round(decimals=3)
        w = {k: (0.7 * torch.randn(s)).round(decimals=3).requires_grad_() for k, s in weights.items()}
        flat = [run(row, w).reshape(-1) for row in x]
        weight = torch.sin(torch.arange(1, len(flat[0]) + 1))
        mean = torch.stack([v @ weight for v in flat])
        loglik = torch.distributions.Normal(mean, 1).log_prob(torch.ones(ROWS)).sum()
        loglik.backward()
        out.append({"name": name, "body": body, "x": x.tolist(), "outputs": len(flat[0]), "loglik": loglik.item(),
                    "weights": {k: {"shape": list(v.shape), "values": v.reshape(-1).tolist(),
                                    "gradient": [float(f"{g:.12g}") for g in v.grad.reshape(-1)]}
                                for k, v in w.items()}})
    print("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]")


main()
