// Starts the page of a report: Watch, with the games that are in the page.
//
// The element #recording has JSON: [head, [[records, steps], …]]. Each part is JSON too, compressed and in Base64. The
// head is { file, games, grades, starts, summary }: the name of the file of games, their games and rulesets and the
// scale of grades as the action `games` lists them, the step of each start position, and the results. A block has the records of some games, and the
// steps of each.

import { EngineError } from "./errors.js";
import { Shell } from "./shell.js";
import { Watch } from "./watch.js";

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (it) => it.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const keyOf = ({ game, rules, position = null, moves }) => JSON.stringify([game, rules, position, moves]);

/** Answers as the engine of socket.js, out of what is in the page. It does not search. */
class Recording extends EventTarget {
  connected = true;
  isRecording = true;
  #head;
  #blocks;
  /** Where the steps of a game are, by its moves: { block, index }. */
  #places = new Map();
  /** The steps of the block that was read last. */
  #read = { block: null, steps: [] };

  constructor(head, blocks) {
    super();
    this.#head = head;
    this.#blocks = blocks;
  }

  ask(line) {
    return this.stream(line).answer;
  }

  stream(line, onPartial = () => {}) {
    return { answer: this.#answer(line, onPartial), stop: () => {}, cancel: () => {} };
  }

  async #answer(line, onPartial) {
    const { file, games, grades } = this.#head;
    switch (line.action) {
      case "games": return { games, grades };
      case "levels": return { levels: [] };
      case "files": return { files: [file] };
      case "watch": return this.#watch(onPartial);
      case "replay": return { steps: await this.#steps(line) };
      default: throw new EngineError("There is no engine in this page.");
    }
  }

  async #watch(onPartial) {
    const { summary } = this.#head;
    for (const [at, [text]] of this.#blocks.entries()) {
      const records = await unpacked(text);
      records.forEach((record, index) => this.#places.set(keyOf(record), { block: at, index }));
      const has_more = at + 1 < this.#blocks.length;
      const load = (_, index) => async () => (await unpacked(text))[index];
      onPartial({ from_start: at === 0, records, has_more, playing: [], is_running: null, error: null, summary, load });
    }
    return {};
  }

  async #steps(line) {
    const { games, starts } = this.#head;
    const place = this.#places.get(keyOf(line));
    if (place) {
      const { block, index } = place;
      if (this.#read.block !== block) this.#read = { block, steps: await unpacked(this.#blocks[block][1]) };
      return this.#read.steps[index];
    }
    const start = games.findIndex(({ game, rules }) => game === line.game && rules === line.rules);
    if (start >= 0 && line.moves.length === 0 && (line.position ?? null) === null) return [starts[start]];
    throw new EngineError("This position is in no game of this page.");
  }
}

const [head, blocks] = JSON.parse(document.getElementById("recording").textContent);
const shell = new Shell(new Recording(await unpacked(head), blocks), [Watch]);
await shell.start();
