// Text from files and about results, for people.
//
//   visible(text)           a text of unknown origin, with escapes for characters that would change how it is read
//   nameOf(text)            the same as an element, whose direction changes nothing around it
//   counted(3, "game")      3 games
//   signed(elo), interval([low, mid, high])    as in the tables of `quintet arena`
//   percent(share), tally({ wins, draws, losses })

import { element } from "./board.js";

const DECEPTIVE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export const visible = (text) => text.replace(DECEPTIVE, (it) => `\\u{${it.codePointAt(0).toString(16)}}`);

/** Names of engines may wrap after each comma, colon and equals sign, as their settings have them. */
export function nameOf(text) {
  const parts = visible(text).split(/(?<=[,:=])/);
  return element("bdi", { class: "engine", title: parts.join("") }, ...parts.flatMap((part, index) => (index > 0 ? [element("wbr", {}), part] : [part])));
}

export const counted = (count, what) => `${count.toLocaleString("en")} ${count === 1 ? what : `${what}s`}`;

/** An end of an interval that is farther from 0 than this is no bound: few games can't tell such differences apart. */
export const FARTHEST = 600;

export function signed(elo) {
  const number = Number.isFinite(elo) ? Math.round(Math.abs(elo)) : "∞";
  return `${elo < 0 && number !== 0 ? "−" : "+"}${number}`;
}

export function interval([low, , high]) {
  const [isLow, isHigh] = [low >= -FARTHEST, high <= FARTHEST];
  if (isLow && isHigh) return `${signed(low)} … ${signed(high)}`;
  if (isLow) return `≥ ${signed(low)}`;
  return isHigh ? `≤ ${signed(high)}` : "unbounded";
}

export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);

export const tally = ({ wins, draws, losses }) => `+${wins} =${draws} −${losses}`;
