"""Fits the network that weighs the moves of Gomoku under `ggp`, in PyTorch, and writes it for the engine.

    python gomoku_policy.py FOLDER... --out ggp.policy

It learns the visits of the single positions that `quintet train gomoku --rules ggp --out FOLDER` searched.
"""

import argparse
import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import quintet

SIZE, CHANNELS, LAYERS = 11, 32, 4
SHAPES = 10
CLOSED_TWO, CLOSED_THREE, OPEN_TWO, OPEN_THREE, FOUR, OPEN_FOUR, LINE = 3, 4, 5, 6, 7, 8, 9
LEADS_TO = {OPEN_THREE: OPEN_FOUR, CLOSED_THREE: FOUR, OPEN_TWO: OPEN_THREE, CLOSED_TWO: CLOSED_THREE}
# The numbers of a cell in its line: the shapes of the color to move and of the other, or a stone of either.
OWN_STONE = SHAPES * SHAPES
INPUTS = OWN_STONE + 2

Cells = tuple[int, ...]


@functools.cache
def making(line: Cells, shape: int) -> frozenset[int]:
    """The cells of a line, empty (0), own (1) or the opponent's (2), where an own stone makes a shape."""

    def after(n: int) -> Cells:
        return (*line[:n], 1, *line[n + 1 :])

    def group(n: int) -> int:
        text = "".join(map(str, after(n)))
        return len(text[:n]) - len(text[:n].rstrip("1")) + len(text[n:]) - len(text[n:].lstrip("1"))

    empty = [n for n, cell in enumerate(line) if cell == 0]
    if shape == LINE:
        return frozenset(n for n in empty if group(n) == 5)
    if shape in (FOUR, OPEN_FOUR):
        return frozenset(n for n in empty if len(making(after(n), LINE)) >= shape - FOUR + 1)
    before = making(line, LEADS_TO[shape])
    return frozenset(n for n in empty if making(after(n), LEADS_TO[shape]) - before)


@functools.cache
def best_shapes(line: Cells) -> list[int]:
    """The best shape that an own stone makes on each cell of a line; 0 for none."""
    made = [(shape, making(line, shape)) for shape in (*LEADS_TO, FOUR, OPEN_FOUR, LINE)]
    return [max((shape for shape, cells in made if n in cells), default=0) for n in range(len(line))]


def lines() -> Iterator[tuple[int, list[int]]]:
    """The direction, 0 to 3, and the cells of each line in which there may be shapes."""
    on_board = range(SIZE)
    for direction, (dx, dy) in enumerate([(1, 0), (0, 1), (1, 1), (1, -1)]):
        for start in range(SIZE * SIZE):
            x, y = start % SIZE, start // SIZE
            if x - dx in on_board and y - dy in on_board:
                continue
            steps = ((x + n * dx, y + n * dy) for n in on_board)
            cells = [x + SIZE * y for x, y in steps if x in on_board and y in on_board]
            if len(cells) >= 5:
                yield direction, cells


LINES = list(lines())


def inputs(stones: list[int]) -> np.ndarray:
    """The numbers of all cells in their four lines; stones are own (1) or the opponent's (2)."""
    found = np.zeros((4, SIZE * SIZE), np.uint8)
    for direction, cells in LINES:
        own = tuple(stones[cell] for cell in cells)
        other = tuple(3 - stone if stone else 0 for stone in own)
        pairs = zip(best_shapes(own), best_shapes(other), strict=True)
        found[direction, cells] = [SHAPES * mine + others for mine, others in pairs]
    for cell, stone in enumerate(stones):
        if stone:
            found[:, cell] = OWN_STONE + stone - 1
    return found.reshape(4, SIZE, SIZE)


def stones_of(board: str, own: str) -> list[int]:
    """The stones on a board from a1 on, as `inputs` takes them, for the color to move."""
    for count in range(SIZE, 0, -1):
        board = board.replace(str(count), "." * count)
    cells = "".join(reversed(board.split("/")))
    return [0 if cell == "." else 1 if cell == own else 2 for cell in cells]


def searches(folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The inputs of single positions that are not lost, and the shares of visits of their cells."""
    game = quintet.Game("gomoku", "ggp")
    for text in (folder / "games-001.jsonl").open():
        line = json.loads(text)
        if line["score"] is not None:
            continue
        search = line["searches"][0]
        if len(search["visits"]) < 2 or search["value"] == 0:
            continue
        position = game.position(moves=line["moves"][: line["random"]])
        board, color, player, step = position.string.split()
        if step != "-":
            continue
        visits = np.zeros(SIZE * SIZE, np.float32)
        for move, count in search["visits"]:
            visits[ord(move[0]) - ord("a") + SIZE * (int(move[1:]) - 1)] = count
        own = color if player == "1" else {"b": "w", "w": "b"}[color]
        yield inputs(stones_of(board, own)), visits / visits.sum()


class Policy(nn.Module):
    """The network of `gomoku/knowledge/policy.rs`, which finds the logarithms of the weights of all cells."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes = nn.Parameter(torch.randn(INPUTS, CHANNELS) * 0.1)
        self.bias = nn.Parameter(torch.zeros(CHANNELS))
        self.depthwise = nn.ModuleList(
            nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, groups=CHANNELS, bias=False) for _ in range(LAYERS)
        )
        self.pointwise = nn.ModuleList(nn.Conv2d(CHANNELS, CHANNELS, 1) for _ in range(LAYERS))
        self.pooled = nn.Linear(CHANNELS, CHANNELS)
        self.output = nn.Linear(CHANNELS, 1, bias=False)
        nn.init.zeros_(self.output.weight)
        self.linear = nn.Parameter(torch.zeros(INPUTS))

    def forward(self, inputs: Tensor) -> Tensor:
        x = functional.relu(self.shapes[inputs].sum(1) + self.bias).permute(0, 3, 1, 2)
        for layer, (depthwise, pointwise) in enumerate(zip(self.depthwise, self.pointwise, strict=True)):
            x = functional.relu(x + pointwise(depthwise(x)))
            if layer == LAYERS // 2:
                x = functional.relu(x + self.pooled(x.mean((2, 3)))[:, :, None, None])
        return self.output(x.permute(0, 2, 3, 1)).flatten(1) + self.linear[inputs].sum(1).flatten(1)

    def weights(self, temperature: float) -> Iterator[np.ndarray]:
        """All weights in the order of the file, the last for logarithms to the base 2 times `temperature`."""
        yield from (self.shapes[:OWN_STONE], 4 * self.shapes[OWN_STONE:], self.bias)
        for depthwise, pointwise in zip(self.depthwise, self.pointwise, strict=True):
            yield depthwise.weight[:, 0].permute(1, 2, 0)
            yield from (pointwise.weight[:, :, 0, 0].T, pointwise.bias)
        yield from (self.pooled.weight.T, self.pooled.bias)
        yield from (it * (temperature / np.log(2)) for it in (self.output.weight, self.linear[:OWN_STONE]))


def fit(
    inputs: Tensor, visits: Tensor, held_out: int, epochs: int, rate: float, say: Callable[[str], None]
) -> Policy:
    """Fits a network to all positions but the last ones, turned and mirrored at random."""
    torch.manual_seed(1)
    policy, batch, count = Policy(), 256, len(visits) - held_out
    optimizer = torch.optim.Adam(policy.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * (count // batch))

    def logs(at: Tensor | slice, flips: int = 0) -> tuple[Tensor, Tensor]:
        x, y = inputs[at].long(), visits[at].reshape(-1, SIZE, SIZE)
        axes = [axis for axis in (-1, -2) if flips & -axis]
        x, y = x.flip(axes), y.flip(axes)
        if flips & 4:
            x, y = x.transpose(-1, -2), y.transpose(-1, -2)
        logs = policy(x).masked_fill((x[:, 0] >= OWN_STONE).flatten(1), -1e9)
        return functional.log_softmax(logs, 1), y.flatten(1)

    for epoch in range(epochs):
        for at in torch.randperm(count)[: count // batch * batch].split(batch):
            found, wanted = logs(at, int(torch.randint(8, ())))
            loss = -(wanted * found).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            parts = map(logs, torch.arange(count, len(visits)).split(batch))
            found, wanted = (torch.cat(it) for it in zip(*parts, strict=True))
        divergence = (wanted * (wanted.clamp(min=1e-9).log() - found)).sum(1).mean()
        hits = (found.argmax(1) == wanted.argmax(1)).float().mean()
        say(f"epoch {epoch + 1}: divergence {divergence:.3f}, most visited move {hits:.1%}")
    return policy


def main() -> None:
    """Runs the command line."""
    as_is = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_is)
    parser.add_argument("folders", metavar="FOLDER", nargs="+", type=Path, help="a folder of `quintet train`")
    parser.add_argument("--out", required=True, type=Path, help="the file for the network")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.005, help="the learning rate of Adam at the start")
    parser.add_argument("--held-out", type=int, default=3_000, help="positions that are not fitted")
    parser.add_argument("--temperature", type=float, default=0.5, help="multiplies the logarithms")
    options = parser.parse_args()
    pairs = [pair for folder in options.folders for pair in searches(folder)]
    order = np.random.default_rng(1).permutation(len(pairs))
    found, visits = (torch.from_numpy(np.stack([pairs[at][part] for at in order])) for part in (0, 1))
    print(f"{len(pairs):,} positions", flush=True)
    say = functools.partial(print, flush=True)
    policy = fit(found, visits, options.held_out, options.epochs, options.rate, say)
    with torch.no_grad():
        weights = policy.weights(options.temperature)
        parts = [np.rint(1024 * part.numpy()).astype(int).ravel() for part in weights]
    made_by = f"made by python/examples/gomoku_policy.py, {len(pairs):,} positions"
    lines = [made_by, str(LAYERS), *(" ".join(map(str, row)) for row in parts)]
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
