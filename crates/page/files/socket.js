// The conversation with the engine: JSON lines over a WebSocket.
//
//   const engine = new Engine(url);            connects, and again whenever the connection is lost
//   engine.connected                           whether it is connected now
//   engine.isRecording                         false: recording.js has games, but does not search
//   engine.addEventListener("state", …)        when that changes
//   await engine.ask(line)                     sends a line and returns its last answer
//   const search = engine.stream(line, onPartial)
//   await search.answer                        the same, and calls onPartial(answer) for each partial answer, and for
//                                              all answers but the last to a line with analyze_plies
//   search.stop()                              ends the search: its answer is what has been found
//   search.cancel()                            ends it and rejects `answer` with Cancelled; no more partial answers
//
// Lines have no id: this module gives them one. A line may also be the text of an object that has a field. An answer
// with an error is thrown as an EngineError of errors.js, whose message is the engine's own. Lines that are asked while
// there is no connection are sent when there is one. If the connection is lost while a line has no answer yet, the line
// is sent again, because no line changes anything at the other end; but not if the other end refused what it was sent.

import { Cancelled, EngineError } from "./errors.js";

/** Milliseconds before the first attempt to connect again, and the most between two of them. */
const [FIRST_DELAY, LONGEST_DELAY] = [300, 4000];
/** The bytes of the longest line that the other end reads. */
const LONGEST_LINE = 4 << 20;
/** The codes with which it closes after what it does not read: against its rules, and too long. */
const REFUSED = [1008, 1009];

export class Engine extends EventTarget {
  #url;
  #socket = null;
  #delay = FIRST_DELAY;
  #next = 1;
  /** What waits for an answer, by the id. */
  #waiting = new Map();
  connected = false;
  isRecording = false;

  constructor(url) {
    super();
    this.#url = url;
    this.#connect();
  }

  ask(line) {
    return this.stream(line).answer;
  }

  stream(line, onPartial = () => {}) {
    const id = this.#next++;
    let settle;
    const answer = new Promise((resolve, reject) => (settle = { resolve, reject }));
    const text = typeof line === "string" ? `{"id":${id},${line.slice(1)}` : JSON.stringify({ id, ...line });
    if (new Blob([text]).size > LONGEST_LINE) settle.reject(new EngineError("This is more than the engine reads at once (4 MiB)."));
    else {
      this.#waiting.set(id, { text, onPartial, plies: line.analyze_plies, open: new Set(line.analyze_plies), isStopped: false, ...settle });
      if (this.connected) this.#socket.send(text);
    }
    return {
      answer,
      stop: () => {
        const waits = this.#waiting.get(id);
        if (!waits) return;
        waits.isStopped = true;
        this.#terminate(id);
      },
      cancel: () => {
        if (!this.#waiting.delete(id)) return;
        this.#terminate(id);
        settle.reject(new Cancelled("cancelled"));
      },
    };
  }

  #terminate(id) {
    if (this.connected) this.#socket.send(JSON.stringify({ id: 0, action: "terminate", terminate_id: id }));
  }

  #connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#delay = FIRST_DELAY;
      this.connected = true;
      for (const [id, waits] of this.#waiting) {
        waits.open = new Set(waits.plies);
        socket.send(waits.text);
        if (waits.isStopped) this.#terminate(id);
      }
      this.dispatchEvent(new Event("state"));
    });
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
    socket.addEventListener("close", ({ code, reason }) => {
      const was = this.connected;
      this.connected = false;
      if (REFUSED.includes(code)) this.#refuseAll(reason);
      if (was) this.dispatchEvent(new Event("state"));
      setTimeout(() => this.#connect(), this.#delay);
      this.#delay = Math.min(2 * this.#delay, LONGEST_DELAY);
    });
  }

  /** What waits would be refused again. */
  #refuseAll(reason) {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(new EngineError(`The engine closed the connection${reason ? `: ${reason}` : ""}.`));
  }

  #receive(answer) {
    const waits = this.#waiting.get(answer.id);
    if (!waits) return;
    waits.open.delete(answer.partial ? undefined : answer.ply);
    if (answer.partial || (waits.open.size > 0 && answer.error === undefined)) {
      waits.onPartial(answer);
      return;
    }
    this.#waiting.delete(answer.id);
    if (answer.error === undefined) waits.resolve(answer);
    else waits.reject(new EngineError(answer.error));
  }
}
