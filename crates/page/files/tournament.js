// The games of a file: one that was opened in the browser, or one that `quintet serve` follows.
//
//   const tournament = new Tournament(name, games, file)     games: the answer to the action `games`; file: one of the
//                                                            server, or left out
//   tournament.readFile(engine, blob)   reads a file; the promise is fulfilled when it is read and summed up
//   tournament.follow(engine)           follows the file of the server until close()
//   tournament.close()
//
//   tournament.file         as given, or null
//   tournament.entries      what records.js says of each game, with `number`, from 1, and load(): its record
//   tournament.wrong        [{ number, problem }]: the lines that are left out
//   tournament.summary      the results (ArenaResults), or null
//   tournament.summed       why these are not the results of all games, or ""
//   tournament.engines      the names of all engines
//   tournament.conditions   { program, openings, seed, resign, draw } as text, those that are known, or null
//   tournament.settings     the settings of the engines, by their names
//   tournament.lines        the games and rulesets
//   tournament.faults       by the name of an engine: { count, first }: the games that it lost by a fault
//   tournament.unpaired, tournament.agreed    numbers of games: without the other one of their pair; ended early
//   tournament.playing      the games being played (PlayingGame), with what records.js says of them
//   tournament.isRunning    whether an arena writes the file; null if that is not known
//   tournament.isReading    whether more of the file follows at once
//   tournament.isSumming    whether its results are being computed
//   tournament.error        why the file can't be read, or null
//
// The event "news" has the detail { added, isNew }: the number of games that were added, and whether all are new.

import { Cancelled } from "./errors.js";
import { entryOf, linesOf, readLine } from "./records.js";

/** The longest line that the engine takes, with some room. */
const MOST_SUMMED = (4 << 20) - 1024;
/** The wrong records that are left out of the results, one after the other. */
const MOST_WRONG = 20;
/** The characters of the records of a followed file that are kept. */
const MOST_KEPT = 256 << 20;
/** The milliseconds after which a long file is shown as far as it is read. */
const SHOW_AFTER = 250;

export const isFault = (end) => ["illegal", "time", "crash"].includes(end);

export class Tournament extends EventTarget {
  #games;
  #stream = null;
  #isClosed = false;
  #unpaired = new Set();
  #kept = [];
  #keptSize = 0;
  #names = new Map();

  constructor(name, games, file = null) {
    super();
    this.name = name;
    this.file = file;
    this.#games = games;
    this.#clear();
  }

  #clear() {
    this.entries = [];
    this.wrong = [];
    this.summary = null;
    this.summed = "";
    this.engines = new Set();
    this.conditions = null;
    this.settings = new Map();
    this.lines = new Set();
    this.faults = new Map();
    this.agreed = 0;
    this.playing = [];
    this.isRunning = null;
    this.isReading = true;
    this.isSumming = false;
    this.error = null;
    this.#unpaired.clear();
    this.#kept = [];
    this.#keptSize = 0;
  }

  get unpaired() {
    return this.#unpaired.size;
  }

  close() {
    this.#isClosed = true;
    this.#stream?.cancel();
  }

  // ---- a file of the browser

  async readFile(engine, blob) {
    const summed = [];
    let [size, shown, added, isFull] = [0, performance.now(), 0, false];
    try {
      for await (const { number, start, end, text, problem } of linesOf(blob)) {
        if (this.#isClosed) return;
        try {
          if (problem) throw new Error(problem);
          const { record, ...entry } = entryOf(readLine(text), this.#games);
          this.#learn(record.arena);
          this.#add({ ...entry, number, load: async () => readLine(await blob.slice(start, end).text()) });
          added += 1;
          const bare = entry.points === null || !record.arena || isFull ? null : withoutThoughts(text);
          size += bare === null ? 0 : bytes(bare) + 1;
          isFull ||= size > MOST_SUMMED;
          if (bare !== null && !isFull) summed.push({ number, bare });
        } catch (error) {
          this.wrong.push({ number, problem: error.message });
        }
        if (performance.now() - shown < SHOW_AFTER) continue;
        this.#tell(added, false);
        [shown, added] = [performance.now(), 0];
        await new Promise((resolve) => setTimeout(resolve));
      }
    } catch (error) {
      this.error = `The file can’t be read: ${error.message}`;
    }
    this.isReading = false;
    this.isSumming = summed.length > 0;
    this.#tell(added, false);
    if (this.isSumming) await this.#sumUp(engine, summed, isFull);
    this.isSumming = false;
    this.#tell(0, false);
  }

  /** Lets the engine sum up records, all but those that it finds wrong. */
  async #sumUp(engine, summed, isFull) {
    const wrong = [];
    let error = "";
    while (summed.length > 0 && wrong.length <= MOST_WRONG && !this.#isClosed) {
      try {
        ({ summary: this.summary } = await engine.ask(`{"action":"tournament","records":[${summed.map(({ bare }) => bare).join(",")}]}`));
        break;
      } catch (problem) {
        // The engine counts records; people count lines.
        const lineOf = (record) => summed[record - 1].number;
        const [, record, what] = /^record (\d+): (.*)$/s.exec(problem.message) ?? [];
        const said = (text) => text.replace(/\bin record (\d+)\b/g, (all, other) => (summed[other - 1] ? `in line ${lineOf(other)}` : all));
        error = record === undefined ? problem.message : `line ${lineOf(record)}: ${said(what)}`;
        if (record === undefined) break;
        wrong.push({ number: lineOf(record), problem: said(what) });
        summed.splice(record - 1, 1);
      }
    }
    if (!this.summary) {
      this.summed = `The results can’t be summed up: ${error}`;
      return;
    }
    this.wrong.push(...wrong);
    this.wrong.sort((a, b) => a.number - b.number);
    const out = new Set(wrong.map(({ number }) => number));
    if (out.size > 0) this.#rebuild(this.entries.filter(({ number }) => !out.has(number)));
    const played = this.entries.filter(({ points }) => points !== null).length;
    if (isFull && summed.length < played) {
      this.summed = `These are the results of the first ${summed.length.toLocaleString("en")} games, up to 4 MiB of the file. With quintet serve FILE they are those of all games.`;
    }
  }

  #rebuild(entries) {
    const { wrong, summary, summed, conditions, settings } = this;
    this.#clear();
    Object.assign(this, { wrong, summary, summed, conditions, settings, isReading: false });
    for (const entry of entries) this.#add(entry);
    this.#tell(0, true);
  }

  // ---- a file of the server

  async follow(engine) {
    this.#stream = engine.stream({ action: "watch", file: this.file }, (news) => this.#take(news));
    try {
      await this.#stream.answer;
      // Null if nobody knew.
      this.isRunning &&= false;
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.error = error.message;
    }
    this.isReading = false;
    this.#tell(0, false);
  }

  #take({ from_start, records, has_more, playing, is_running, error, summary, load = (record) => this.#keep(record) }) {
    const isNew = from_start && this.entries.length > 0;
    if (from_start) this.#clear();
    for (const [index, record] of records.entries()) {
      const number = this.entries.length + this.wrong.length + 1;
      try {
        const { record: _, ...entry } = entryOf(record, this.#games);
        this.#learn(record.arena);
        this.#add({ ...entry, number, load: load(record, index) });
      } catch (problem) {
        this.wrong.push({ number, problem: problem.message });
      }
    }
    this.playing = playing.flatMap((game) => {
      try {
        return [entryOf(game, this.#games)];
      } catch {
        return [];
      }
    });
    Object.assign(this, { isRunning: is_running, isReading: has_more, error, summary });
    this.#tell(records.length, isNew);
  }

  /** Keeps a record as text, which takes less memory, and gives up the oldest ones when there are too many. */
  #keep(record) {
    const kept = { text: JSON.stringify(record) };
    this.#kept.push(kept);
    this.#keptSize += kept.text.length;
    while (this.#keptSize > MOST_KEPT) {
      const oldest = this.#kept.shift();
      this.#keptSize -= oldest.text.length;
      oldest.text = null;
    }
    return async () => {
      if (kept.text === null) throw new Error("This game is too long ago: the page keeps the last 256 MiB of games.");
      return JSON.parse(kept.text);
    };
  }

  // ---- both

  /** Takes what a record says of its tournament. */
  #learn(arena) {
    const { engines, ...rest } = arena ?? {};
    for (const [name, text] of Object.entries(engines ?? {})) this.settings.set(name, String(text));
    // A seed may be too large for the numbers of this language.
    const text = (it) => (typeof it === "number" && !Number.isSafeInteger(it) ? `about ${it}` : String(it));
    this.conditions ??= arena ? Object.fromEntries(Object.entries(rest).map(([name, it]) => [name, text(it ?? "")])) : null;
  }

  #add(entry) {
    const { line, engines, end } = entry;
    if (engines) {
      // Many records share few names.
      entry.engines = engines.map((name) => this.#names.get(name) ?? (this.#names.set(name, name), name));
      for (const name of engines) this.engines.add(name);
      if (entry.key !== null && !this.#unpaired.delete(swapped(entry.key))) this.#unpaired.add(entry.key);
      if (isFault(end)) {
        const loser = entry.engines[entry.points === 0 ? 0 : 1];
        const known = this.faults.get(loser) ?? { count: 0, first: entry.fault };
        this.faults.set(loser, { ...known, count: known.count + 1 });
      }
      if (end === "adjudication") this.agreed += 1;
    }
    this.lines.add(line);
    this.entries.push(entry);
  }

  #tell(added, isNew) {
    if (!this.#isClosed) this.dispatchEvent(new CustomEvent("news", { detail: { added, isNew } }));
  }
}

/** The key of the game with the engines in the other seats. */
function swapped(key) {
  const [game, rules, pair, [a, b]] = JSON.parse(key);
  return JSON.stringify([game, rules, pair, [b, a]]);
}

/** What the results depend on, as text. Seeds may be too large for the numbers of this language. */
function withoutThoughts(text) {
  const { thoughts, ...record } = JSON.parse(text.replace(/"seed"\s*:\s*(\d+)/g, '"seed":"$1"'));
  return JSON.stringify(record).replace(/"seed":"(\d+)"/g, '"seed":$1');
}

const bytes = (text) => new Blob([text]).size;
