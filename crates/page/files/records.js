// Files of JSON lines: game records of `quintet arena --out`, and lines for `quintet replay`.
//
//   for await (const { number, start, end, text, problem } of linesOf(blob)) …
//       the lines that are not empty, from number 1, with their bytes in the blob; without text if there is a problem
//   readLine(text)               the object of a line; throws what is wrong
//   entryOf(record, games)       what a list needs to know of a record; throws what is wrong with it:
//       { line        the game and ruleset, as the action `games` lists them
//         record      …
//         engines     the engine of each of the two sides; null if the record does not tell
//         points      the half points of the first side, 0, 1 or 2; null if it does not tell
//         end, fault  why the game ended; null and undefined if it does not tell
//         opening     its start and the moves that were given, as text
//         key         the same for a game that is being played and its record; null if no arena played it }
//
// Whether moves are legal is for the engine to say.

const CHUNK = 4 << 20;
/** The longest line that quintet reads. */
const LONGEST = 16 << 20;
const NEWLINE = 10;

export async function* linesOf(blob) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [rest, start, number, isTooLong] = [new Uint8Array(0), 0, 0, false];
  const line = (bytes, end, isLast) => {
    number += 1;
    const place = { number, start, end, text: null };
    if (isTooLong || bytes.length > LONGEST) return { ...place, problem: "the line is longer than 16 MiB" };
    let text;
    try {
      text = decoder.decode(bytes);
    } catch {
      return { ...place, problem: isLast ? "the line is torn" : "the line is not UTF-8" };
    }
    if (text.trim() === "") return null;
    // A program that was stopped may have left half a line.
    if (isLast && text.trimStart().startsWith("{") && !isJson(text)) return { ...place, problem: "the line is torn" };
    return { ...place, text };
  };
  for (let from = 0; from < blob.size; from += CHUNK) {
    const chunk = new Uint8Array(await blob.slice(from, from + CHUNK).arrayBuffer());
    let begin = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, begin)) {
      const found = line(joined(rest, chunk.subarray(begin, at)), from + at, false);
      if (found) yield found;
      [rest, begin, isTooLong] = [new Uint8Array(0), at + 1, false];
      start = from + begin;
    }
    rest = isTooLong ? rest : joined(rest, chunk.subarray(begin));
    if (rest.length > LONGEST) [rest, isTooLong] = [new Uint8Array(0), true];
  }
  if (start >= blob.size) return;
  const last = line(rest, blob.size, true);
  if (last) yield last;
}

function joined(a, b) {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function readLine(text) {
  let record;
  try {
    record = JSON.parse(text);
  } catch {
    throw new Error("this is not JSON");
  }
  if (!isObject(record)) throw new Error("this is not a JSON object");
  return record;
}

const isObject = (it) => typeof it === "object" && it !== null && !Array.isArray(it);
const isText = (it) => typeof it === "string";

export function entryOf(record, games) {
  const { game, rules = null, position = null, moves, opening = [], thoughts = [], seats, scores, pair, end = null, fault } = record;
  if (!isText(game)) throw new Error("there is no field “game”");
  const all = games.filter((it) => it.game === game);
  if (all.length === 0) throw new Error(`there is no game “${game.slice(0, 60)}” here`);
  const line = rules === null ? all[0] : all.find((it) => it.rules === rules || (rules === "standard" && it.standard));
  if (!line) throw new Error(`${game} has no ruleset “${String(rules).slice(0, 60)}”`);
  const isList = (it) => Array.isArray(it) && it.every(isText);
  if (!isList(moves)) throw new Error("“moves” is not a list of moves");
  if (!isList(opening)) throw new Error("“opening” is not a list of moves");
  if (position !== null && !isText(position)) throw new Error("“position” is not text");
  if (thoughts !== null && !(Array.isArray(thoughts) && thoughts.every((it) => it === null || isObject(it)))) throw new Error("“thoughts” is not a list");
  if (fault !== undefined && fault !== null && !isText(fault)) throw new Error("“fault” is not text");
  const known = { line, record, engines: null, points: null, end, fault: fault ?? undefined, plies: moves.length, opening: [...(position === null ? [] : [`[${position}]`]), ...opening].join(" "), key: null };
  if (seats === undefined) return known;
  if (!line.sides.includes(2)) throw new Error("a game of one player has no opponents to show");
  const engines = playedBy(record, line);
  const score = isObject(scores) ? scores[line.roles[line.sides.indexOf(1)]] : undefined;
  // Who gets more has won.
  const points = Number.isInteger(score) && score >= 0 && score <= 100 ? 1 + Math.sign(score - 50) : undefined;
  if (scores !== undefined && points === undefined) throw new Error("“scores” does not say how the game ended");
  return { ...known, engines, points: points ?? null, key: pair === undefined ? null : JSON.stringify([line.game, line.rules, pair, engines]) };
}

/** The engines of the two sides. */
function playedBy({ seats }, { roles, sides }) {
  return [1, 2].map((side) => {
    const engine = isObject(seats) ? seats[roles[sides.indexOf(side)]] : undefined;
    if (!isText(engine)) throw new Error(`“seats” does not say who plays ${roles[sides.indexOf(side)]}`);
    return engine;
  });
}
