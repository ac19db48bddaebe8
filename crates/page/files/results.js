// The results of a tournament as tables, in the words of `quintet arena`.
//
//   showResults(element, tournament)     replaces what is in an element
//   table(caption, headings, rows)       a table; a heading is [text, class]
//   bar({ wins, draws, losses })         a drawing of these

import { element } from "./board.js";
import { FARTHEST, counted, interval, nameOf, percent, signed, tally, visible } from "./text.js";

export function showResults(place, tournament) {
  const { summary } = tournament;
  const results = (summary?.results ?? []).filter(({ games }) => games > 0);
  if (results.length === 0) {
    place.replaceChildren(...(tournament.summed ? [element("p", { class: "reason wrong" }, visible(tournament.summed))] : []));
    return;
  }
  const made = [matches(results), ...notes(tournament, results).map((text) => element("p", { class: "quiet" }, text))];
  for (const { game, rules, ratings } of summary.ratings ?? []) {
    const own = results.filter((it) => it.game === game && it.rules === rules);
    if (ratings.length > 2) made.push(...rated(`${game} (${rules})`, ratings, own), crossed(`${game} (${rules})`, ratings, own));
  }
  if (summary.overall && new Set(results.map(({ game, rules }) => `${game} ${rules}`)).size > 1) made.push(...rated("all games, pooled", summary.overall, results));
  place.replaceChildren(...made);
}

export function table(caption, headings, rows) {
  const head = headings.map(([text, kind]) => (text === "" ? element("td", { class: kind }) : element("th", { scope: "col", class: kind }, text)));
  // On narrow screens, cells are shown with their headings.
  const cell = (content, index) => element(index === 0 ? "th" : "td", { class: headings[index][1], "data-label": headings[index][0], ...(index === 0 ? { scope: "row" } : {}) }, ...[content].flat());
  return element("table", { class: "results" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))));
}

/** An Elo difference: the estimate is open if every pair was won, or lost, with both games. */
function openElo({ elo, pairs }) {
  if (!elo) return null;
  const [low, mid, high] = elo;
  const others = pairs.slice(1, -1).some((count) => count > 0);
  if (!others && pairs[0] === 0) return [low, Infinity, high];
  if (!others && pairs.at(-1) === 0) return [low, -Infinity, high];
  return [low, mid, high];
}

function matches(results) {
  const hasGames = new Set(results.map(({ game, rules }) => `${game} ${rules}`)).size > 1;
  const elos = results.map(openElo);
  const draw = ruler(elos);
  const headings = [
    ...(hasGames ? [["game", "name"]] : []),
    ["engine", "name"], ["against", "name"], ["games", "figure"], ["result", "figure tally"], ["score", "figure"],
    ["Elo", "figure"], ["95 %", "figure"], ["", "drawn"], ["LOS", "figure optional"],
  ];
  const rows = results.map((it, index) => [
    ...(hasGames ? [`${it.game} (${it.rules})`] : []),
    nameOf(it.a),
    nameOf(it.b),
    it.games.toLocaleString("en"),
    [bar(it), tally(it)],
    percent(it.score),
    ...eloCells(elos[index]),
    draw(elos[index]),
    percent(it.los),
  ]);
  const [{ game, rules }] = results;
  return table(hasGames ? "Results" : `Results, ${game} (${rules})`, headings, rows);
}

const eloCells = (elo) => (elo ? [signed(elo[1]), interval(elo)] : ["–", "–"]);

function rated(title, ratings, results) {
  const all = ratings.filter(({ games }) => games > 0);
  if (all.length < 2) return [];
  const elos = all.map((it) => bounded(it, all, results));
  const draw = ruler(elos);
  const headings = [[title, "name"], ["games", "figure"], ["score", "figure"], ["Elo", "figure"], ["95 %", "figure"], ["", "drawn"]];
  const rows = all.map(({ engine, games, score }, index) => [nameOf(engine), games.toLocaleString("en"), percent(score), ...eloCells(elos[index]), draw(elos[index])]);
  const groups = new Set(all.map(({ group }) => group)).size;
  const note = groups === 1
    ? "The mean of the ratings is 0."
    : `The mean of the ratings is 0 in each of ${groups} groups of engines. The groups have not met: their ratings can’t be compared.`;
  return [table(`Ratings, ${title}`, headings, rows), element("p", { class: "quiet" }, note)];
}

/** The points of each engine against each other one. */
function crossed(title, ratings, results) {
  const cell = (row, column) => {
    const it = results.find(({ a, b }) => (a === row && b === column) || (a === column && b === row));
    if (!it || row === column) return "–";
    const half = 2 * (it.a === row ? it.wins : it.losses) + it.draws;
    return `${half === 1 ? "" : Math.floor(half / 2)}${half % 2 === 1 ? "½" : ""} / ${it.wins + it.draws + it.losses}`;
  };
  const headings = [["engine", "name inline"], ...ratings.map((_, index) => [`${index + 1}`, "figure"])];
  const rows = ratings.map(({ engine }, index) => [[`${index + 1}. `, nameOf(engine)], ...ratings.map((other) => cell(engine, other.engine))]);
  return table(`Cross table, ${title}`, headings, rows);
}

/** A rating, open where the results do not bound it: below, if points of this engine do not lead to all of its group. */
function bounded({ engine, group, elo: [low, mid, high] }, all, results) {
  const members = all.filter((it) => it.group === group).length;
  const points = ({ pairs }) => pairs.reduce((sum, count, half) => sum + count * half, 0);
  const games = ({ pairs }) => pairs.reduce((sum, count) => sum + count, 0) * (pairs.length - 1);
  const reached = (isWinner) => {
    const seen = new Set([engine]);
    for (const from of seen) {
      for (const it of results) {
        if (it.a !== from && it.b !== from) continue;
        const isA = it.a === from;
        const own = isA ? points(it) : games(it) - points(it);
        if ((isWinner ? own : games(it) - own) > 0) seen.add(isA ? it.b : it.a);
      }
    }
    return seen.size >= members;
  };
  return [reached(true) ? low : -Infinity, mid, reached(false) ? high : Infinity];
}

export function bar({ wins, draws, losses }) {
  const games = Math.max(1, wins + draws + losses);
  const part = (kind, from, count) => element("svg:rect", { class: kind, x: (100 * from) / games, width: (100 * count) / games, height: 8 });
  return element("svg:svg", { class: "shares", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    part("wins", 0, wins), part("draws", wins, draws), part("losses", wins + draws, losses));
}

/** Draws intervals of Elo on one scale. */
function ruler(elos) {
  const ends = elos.flatMap((elo) => elo ?? []).filter((it) => Math.abs(it) <= FARTHEST).map(Math.abs);
  // An end that is open needs room for its arrow.
  const isOpen = elos.some((elo) => elo && elo.some((it) => Math.abs(it) > FARTHEST));
  const most = Math.max(50, ...ends) * (isOpen ? 1.35 : 1.08);
  const [half, middle] = [60, 8];
  const x = (elo) => (half * Math.min(1, Math.max(-1, elo / most))).toFixed(1);
  return (elo) => {
    const drawing = element("svg:svg", { class: "interval", viewBox: `${-half - 5} 0 ${2 * half + 10} 16`, "aria-hidden": "true" }, element("svg:line", { class: "zero", x1: 0, x2: 0, y1: 0, y2: 16 }));
    if (!elo) return drawing;
    const [low, mid, high] = elo;
    drawing.append(element("svg:line", { class: "range", x1: x(low), x2: x(high), y1: middle, y2: middle }));
    // An end has a bar, and an arrow if it is no bound.
    const end = (elo, isBound, out) => element("svg:path", { class: "range", d: isBound ? `M${x(elo)} 4V12` : `M${x(elo) - 4 * out} 4L${x(elo)} 8L${x(elo) - 4 * out} 12` });
    drawing.append(end(low, low >= -FARTHEST, -1), end(high, high <= FARTHEST, 1));
    if (Math.abs(mid) <= most) drawing.append(element("svg:circle", { class: "estimate", cx: x(mid), cy: middle, r: 4 }));
    return drawing;
  };
}

/** What the table does not show. */
function notes({ unpaired, faults, agreed, isReading, summed }, results) {
  const made = summed && !isReading ? [visible(summed)] : [];
  const identical = results.reduce((sum, it) => sum + it.identical, 0);
  if (identical > 0) {
    const same = identical === 1 ? "is the same as an earlier one" : "are the same as earlier ones";
    made.push(`${counted(identical, "game")} ${same}, move by move: pairs of two such games count in results, score and Elo, but make no interval smaller.`);
  }
  if (unpaired > 0) {
    const [of, it] = unpaired === 1 ? ["is the only one of its pair", "it"] : ["are the only ones of their pairs", "them"];
    made.push(`${counted(unpaired, "game")} ${of} so far: Elo, LOS and tests leave ${it} out, results and score count ${it}.`);
  }
  for (const [name, { count, first }] of faults) {
    made.push(element("span", {}, nameOf(name), ` lost ${counted(count, "game")} by an illegal move, no answer in time, or a crash${first ? `; the first: ${visible(first)}` : ""}.`));
  }
  if (agreed > 0) made.push(`${counted(agreed, "game")} ended early: both engines agreed on the result.`);
  const byGame = Map.groupBy(results, ({ game, rules }) => `${game} (${rules})`);
  for (const [name, all] of byGame) {
    if (areSplitEvenly(all)) made.push(`${name}: all pairs are split evenly: the openings decide, not the engines.`);
  }
  return made;
}

/** Whether all pairs were split evenly, and most not by draws. Fewer than five that differ may be chance. */
function areSplitEvenly(results) {
  const middle = (pairs) => (pairs.length - 1) / 2;
  if (results.some(({ pairs }) => pairs.some((count, half) => half !== middle(pairs) && count > 0))) return false;
  const isDecided = ({ wins, draws, losses }) => 4 * Math.min(wins, losses) > wins + draws + losses;
  return results.filter(isDecided).reduce((sum, { pairs, repeated }) => sum + pairs[middle(pairs)] - repeated, 0) >= 5;
}
