// Blunders, in games of four moves by turns.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

// Older versions of Node.js take a file for a module only by its name.
const read = (name) => readFileSync(new URL(`../../crates/page/files/${name}.js`, import.meta.url), "utf8");
const source = read("grades") + read("blunders").replace(/^import .*$/m, "");
const { blunders } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

const GRADES = [{ sign: "?!", loss: 10 }, { sign: "?", loss: 20 }, { sign: "??", loss: 30 }];

const value = (it) => (it === null ? null : { value: it, proven: null });
const won = { value: 60, proven: 100 };
const found = (thoughts, result = null) =>
  [...blunders([1, 2, 1, 2], thoughts.map((it) => (typeof it === "object" && it !== null ? it : value(it))), result, GRADES)].map(([index, { before, after, by, grade }]) => [index, before, after, by, grade.sign]);

test("a fall is one in the eyes of one engine, and has a grade", () => {
  // The engines disagree all the time, but neither changes its mind by much.
  assert.deepEqual(found([70, 80, 61, 71]), []);
  // The first side sees by its second move that its first was bad.
  assert.deepEqual(found([80, null, 50, null]), [[0, 80, 50, 1, "??"]]);
  assert.deepEqual(found([80, null, 50.1, null]), [[0, 80, 50.1, 1, "?"]]);
  assert.deepEqual(found([80, null, 70, null]), [[0, 80, 70, 1, "?!"]]);
  // The second side sees how the other's second move helped it.
  assert.deepEqual(found([null, 20, null, 60]), [[2, 80, 40, 2, "??"]]);
  // Of both opinions the larger fall is told.
  assert.deepEqual(found([20, 90, 95, 88]), [[1, 80, 5, 1, "??"]]);
});

test("proven values and results are opinions, and a side that was proven to lose can't blunder", () => {
  assert.deepEqual(found([won, null, 65, null]), [[0, 100, 65, 1, "??"]]);
  assert.deepEqual(found([null, null, 50, 70], 100), [[3, 70, 0, 2, "??"]]);
  assert.deepEqual(found([null, null, 50, 70]), []);
  assert.deepEqual(found([null, null, won, 70], 100), []);
});

test("of several moves of a side, the last is the blunder in the eyes of the other one", () => {
  const fell = blunders([1, 2, 2, 1], [80, null, null, 20].map(value), null, GRADES);
  assert.deepEqual([...fell], [[0, { before: 80, after: 20, by: 1, grade: GRADES[2] }]]);
  const rose = blunders([2, 1, 1, 2], [20, null, null, 70].map(value), null, GRADES);
  assert.deepEqual([...rose], [[2, { before: 80, after: 30, by: 2, grade: GRADES[2] }]]);
  assert.deepEqual([...blunders([], [], 100, GRADES)], []);
});
