// A line that is pointed at: it is shown on the board, and not played.
//
//   const pointed = new Pointed(shell, lines)     lines: lines.js
//   pointed.show(node, tokens, count, { onlyMarks })     shows the first `count` of the moves that follow a node; with
//                          onlyMarks, only if that leaves the picture as it is
//   pointed.clear()
//   pointed.line           null, or what is shown: { tokens, marks, picture }, as the methods of a mode have them

export class Pointed {
  #shell;
  #lines;
  /** What was asked for last, as long as nothing else is wanted. */
  #wanted = null;
  line = null;

  constructor(shell, lines) {
    this.#shell = shell;
    this.#lines = lines;
  }

  show(node, tokens, count, { onlyMarks = false } = {}) {
    const shown = tokens.slice(0, Math.max(count, 1));
    const { game, rules } = this.#shell.line;
    const wanted = this.#lines.steps({ game, rules, position: node.step.position }, shown);
    this.#wanted = wanted;
    this.#shell.try(wanted.then((steps) => {
      if (this.#wanted !== wanted) return;
      const { marks, picture } = this.#lines.shown(steps, count);
      if (onlyMarks && picture) return;
      this.line = { tokens: tokens.slice(0, count), marks: { ...marks, last: [] }, picture };
      this.#shell.show();
    }));
  }

  clear() {
    const wasShown = this.line !== null;
    [this.#wanted, this.line] = [null, null];
    if (wasShown) this.#shell.show();
  }
}
