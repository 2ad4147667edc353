"""BERT-base (Devlin et al. 2018) in plain torch.nn: the structure of
examples/transformer-networks.c, with weights of its own."""
import math

import torch
from torch import nn

WIDTH, HEADS, INNER, LAYERS, LENGTH = 768, 12, 3072, 12, 128


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(WIDTH // HEADS) + mask
        y = torch.matmul(torch.softmax(scores, -1), v)
        y = y.permute(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(self.output(y) + x)
        return self.norm2(self.down(nn.functional.gelu(self.up(x))) + x)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.pooler = nn.Linear(WIDTH, WIDTH)
        self.register_buffer("positions", torch.arange(LENGTH)[None])

    def forward(self, ids, kinds, mask):
        mask = (1.0 - mask[:, None, None, :].float()) * -10000.0
        x = self.norm(self.words(ids) + self.types(kinds) + self.places(self.positions))
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


def make():
    """The model, and inputs for it."""
    model = Bert().eval()
    assert sum(p.numel() for p in model.parameters()) == 109482240
    ids = torch.randint(0, 30522, (1, LENGTH))
    kinds = torch.randint(0, 2, (1, LENGTH))
    mask = torch.randint(0, 2, (1, LENGTH))
    return model, (ids, kinds, mask)
