// What games, roles, moves and values are called. Sentences for people, and nothing that decides how a game goes on.
//
//   names(line)                     { team(side), role(role), sideOf(role), sides, isTeam } for a game of the action `games`
//   title(line)                     the game's short title
//   ruleset(line, games)            a ruleset's name for people; games: all that there are
//   spaced(name), inWords(text)     a role's name as people write it, and a text with such names
//   moveLabel(line, token)          a move on a button
//   moveWords(line, token)          a move in a sentence, as what to do
//   begun(words, token)             the same at the start of a sentence
//   didWords(moves)                 the same for moves that were made, by their words
//   prompt(line, step, kinds, context)    what the one to move does now: { task, note }
//   moveShown(line, token)          { text, name, drawing }: a move as text, in words for screen readers, and as a
//                                   drawing, if there is one
//   countedPlies(plies), inPlies({ plies, plies_at_most })     a number of plies, and in how many the game ends:
//                                   exactly, at most, or empty if that is not known
//   valueWords({ value, proven, plies, plies_at_most })     how good a candidate is for the one to move
//   span(ms)                        a time
//   levelName(level), strength(level, line, before)    a level's name, and its Elo in a game

import { thing } from "./board.js";

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const begun = (words, token) => (words === token ? token : capitalized(words));

/** A name of a role as people write it: `player1` is Player 1. */
export const spaced = (name) => capitalized(name.replace(/[_-]/g, " ").replace(/([a-z])(\d)/g, "$1 $2"));

export const inWords = (text) => text.replace(/\bplayer\d\b/g, spaced);

function commonStart(words) {
  let length = 0;
  while (words.every((word) => length < word.length && word[length] === words[0][length])) length += 1;
  return words[0].slice(0, length);
}

export function names(line) {
  const sides = [...new Set(line.sides)].sort();
  const rolesOf = (side) => line.roles.filter((_, index) => line.sides[index] === side);
  const team = (side) => {
    const roles = rolesOf(side);
    // A player alone has no other side.
    if (roles.length < 2) return roles.map(spaced).join("");
    return spaced(commonStart(roles)) || roles.map(spaced).join(" and ");
  };
  const sideOf = (role) => line.sides[line.roles.indexOf(role)];
  const role = (name) => {
    const roles = rolesOf(sideOf(name));
    if (roles.length === 1) return spaced(name);
    const start = commonStart(roles);
    return start ? `${spaced(start)}’s ${name.slice(start.length)}` : spaced(name);
  };
  /** The part of a team's role: `row` of xrow. */
  const part = (name) => {
    const roles = rolesOf(sideOf(name));
    return roles.length === 1 ? name : name.slice(commonStart(roles).length);
  };
  return { sides, rolesOf, team, sideOf, role, part, isTeam: (side) => rolesOf(side).length > 1 };
}

export const title = (line) => line.title.split(",")[0];

export function ruleset(line, games) {
  if (line.standard) return "usual rules";
  const others = games.filter((it) => it.game === line.game && !it.standard);
  return others.length === 1 ? "other rules" : `${line.rules} rules`;
}

const COORDINATES = { r: "Row", c: "Column", l: "Level" };

export function moveLabel(line, token) {
  if (line.game === "gomoku" && ["black", "white"].includes(token)) return `Take ${token}`;
  const [, axis, number] = /^([rcl])(\d)$/.exec(token) ?? [];
  if (line.game === "qubic" && axis) return `${COORDINATES[axis]} ${number}`;
  return token;
}

export function moveWords(line, token) {
  const glyph = line.layout?.glyphs.find((it) => it.token === token);
  if (glyph) return glyph.name;
  const [, quadrant, counter] = /^(\d)(c?)cw$/.exec(token) ?? [];
  if (line.game === "pentago" && quadrant) return `turn quadrant ${quadrant} ${counter && "counter"}clockwise`;
  const label = moveLabel(line, token);
  return label === token ? token : label.toLowerCase();
}

export function moveShown(line, token) {
  const glyph = line.layout?.glyphs.find((it) => it.token === token);
  if (!glyph) return { text: token, name: moveLabel(line, token), drawing: null };
  return { text: token, name: glyph.name, drawing: thing(line.layout, glyph.code) };
}

export function didWords(moves) {
  const did = moves.map((move) => move.replace(/^turn /, "turned ").replace(/^take /, "took "));
  return `${/^(turned|took) /.test(did[0]) ? "" : "played "}${did.join(", ")}`;
}

/** The things that moves put on the board, as names. */
function pieces(line, moves) {
  const codes = new Set(moves.flatMap(({ to }) => to.map(({ code }) => code)));
  return [...codes].map((code) => line.layout.glyphs.find((glyph) => glyph.code === code)?.name ?? "piece");
}

const a = (name) => (/^[aeiou]/i.test(name) ? `an ${name}` : `a ${name}`);

/** Sentences of single games: what to do, and why. */
const PROMPTS = {
  quarto: ({ line, moves, kind, other }) => {
    if (kind === "take" && line.rules === "ggp") return { task: `give ${other} a piece`, note: `Click a piece of the pool: ${other} has to place it.` };
    if (kind === "take") return { task: "choose a piece to place", note: "Click a piece of the pool, then a cell." };
    return { task: `place the ${pieces(line, moves).join(" ")} piece` };
  },
  qubic: ({ step, kind, byRole, name, team }) => {
    if (kind !== "open" && kind !== "place") return null;
    if (!byRole) return { task: `mark a cell for ${team}`, note: "Click it in the cube or in a level: row, column and level are chosen in one go." };
    return { task: `choose a ${name.part(step.to_move)}`, note: "The cells that are left for this turn are outlined." };
  },
  gomoku: ({ line, step, moves, kind, other }) => {
    const setUp = step.position.split(" ").at(-1);
    const first = line.rules === "ggp" ? "White then moves first." : "Player 1 then moves first.";
    const stone = kind === "place" || kind === "mixed" ? pieces(line, moves.filter(({ to }) => to.length > 0)).join(" or ") : "";
    const swap = "Swap2: Player 1 places black, white and black. Then Player 2 picks a color, or places two more stones.";
    return (
      {
        1: { task: "set-up: place a black stone", note: swap },
        2: { task: "set-up: place a white stone", note: swap },
        3: { task: "set-up: place a black stone", note: "Make it even: now Player 2 picks the color to play, or places two more stones." },
        4: { task: "take a color, or place a white stone", note: `The other color is ${other}’s. ${first} If you place a white and a black stone instead, ${other} picks.` },
        5: { task: "place a black stone", note: `Then ${other} picks a color.` },
        6: { task: "take a color", note: `The other color is ${other}’s. ${first}` },
      }[setUp] ?? { task: `place ${a(stone)}` }
    );
  },
  pentago: ({ line, moves, kind }) => {
    if (kind === "turn") return { task: "turn a quadrant", note: "Use the arrows above and below the board, or drag a quadrant." };
    return { task: `place ${a(pieces(line, moves).join(" or "))}` };
  },
  krk: ({ step }) => {
    const [left] = /\d+ moves left|the last move/.exec(step.task ?? "") ?? ["before the end"];
    const isWhite = step.to_move === "white";
    const aim = isWhite ? "checkmate before the moves run out" : "hold out until the moves run out";
    return { task: isWhite ? "move the king or the rook" : "move the king", note: `${capitalized(left)}: ${aim}.` };
  },
};

const TASKS = {
  take: "choose a piece", place: "choose a cell", move: "move a piece", turn: "turn a quadrant", open: "choose a cell", button: "choose a move", mixed: "choose a move",
};

/** What to do: `moves` are those of clicks.js; `other` is what the opponent is called. */
export function prompt(context) {
  const { line, step, moves } = context;
  const kinds = new Set(moves.map(({ kind }) => kind));
  const kind = kinds.size === 1 ? [...kinds][0] : "mixed";
  const known = line.layout && Object.hasOwn(PROMPTS, line.game) ? PROMPTS[line.game]({ ...context, kind }) : null;
  return { note: "", ...(known ?? { task: step.task ?? TASKS[kind] }) };
}

export const countedPlies = (plies) => `${plies} ${plies === 1 ? "ply" : "plies"}`;

export function inPlies({ plies, plies_at_most: most }) {
  if (plies) return ` in ${countedPlies(plies)}`;
  return most ? ` in at most ${countedPlies(most)}` : "";
}

export function valueWords(candidate) {
  const { value, proven } = candidate;
  if (proven === 100) return `a sure win${inPlies(candidate)}`;
  if (proven === 0) return `a sure loss${inPlies(candidate)}`;
  if (proven === 50) return "a sure draw";
  if (value === null) return "not tried";
  const words = [[93, "winning"], [75, "much better"], [60, "better"], [54, "a little better"], [46, "about even"], [40, "a little worse"], [25, "worse"], [7, "much worse"], [-1, "losing"]];
  return words.find(([from]) => value >= from)[1];
}

export function span(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export const levelName = (level) => capitalized(level.name);

/** The Elo of a level in a game, after `before`; empty where it was not measured. */
export function strength(level, line, before = "") {
  const measured = level.elo.find(({ game, rules }) => game === line.game && rules === line.rules);
  if (!measured) return "";
  const [isFromBelow, isFromAbove] = measured.bounded;
  const sign = isFromBelow && isFromAbove ? "" : isFromBelow ? "over " : "about ";
  return `${before}${sign}${Math.round(measured.elo[isFromAbove || !isFromBelow ? 1 : 0] / 10) * 10} Elo`;
}
