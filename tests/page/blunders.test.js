// Blunders, in games of four moves by turns.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// Older versions of Node.js take a file for a module only by its name.
const source = readFileSync(new URL("../../crates/page/files/blunders.js", import.meta.url), "utf8");
const { blunders } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

const value = (it) => (it === null ? null : { value: it, proven: null });
const won = { value: 60, proven: 100 };
const found = (thoughts, result = null) =>
  [...blunders([1, 2, 1, 2], thoughts.map((it) => (typeof it === "object" && it !== null ? it : value(it))), result)].map(([index, { before, after, by }]) => [index, before, after, by]);

test("a blunder is a fall in the eyes of one engine", () => {
  // The engines disagree all the time, but neither changes its mind by much.
  assert.deepEqual(found([90, 80, 65, 55]), []);
  // The first side sees by its second move that its first was bad.
  assert.deepEqual(found([80, null, 50, null]), [[0, 80, 50, 1]]);
  assert.deepEqual(found([80, null, 50.1, null]), []);
  // The second side sees how the other's second move helped it.
  assert.deepEqual(found([null, 20, null, 60]), [[2, 80, 40, 2]]);
  // Of both opinions the larger fall is told.
  assert.deepEqual(found([20, 90, 95, 55]), [[1, 80, 5, 1]]);
});

test("proven values and results are opinions, and a side that was proven to lose can't blunder", () => {
  assert.deepEqual(found([won, null, 65, null]), [[0, 100, 65, 1]]);
  assert.deepEqual(found([null, null, 50, 70], 100), [[3, 70, 0, 2]]);
  assert.deepEqual(found([null, null, 50, 70]), []);
  assert.deepEqual(found([null, null, won, 70], 100), []);
});

test("of several moves of a side, the last is the blunder in the eyes of the other one", () => {
  const fell = blunders([1, 2, 2, 1], [80, null, null, 20].map(value), null);
  assert.deepEqual([...fell], [[0, { before: 80, after: 20, by: 1 }]]);
  const rose = blunders([2, 1, 1, 2], [20, null, null, 70].map(value), null);
  assert.deepEqual([...rose], [[2, { before: 80, after: 30, by: 2 }]]);
  assert.deepEqual([...blunders([], [], 100)], []);
});
