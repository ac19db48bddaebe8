// The mode Positions. shell.js describes modes.

import { element } from "/assets/board.js";

export class Positions {
  id = "positions";
  title = "Positions";
  keys = [];

  constructor(shell) {
    this.shell = shell;
  }

  mount(panel) {
    panel.append(element("p", { class: "quiet" }, "Not there yet."));
  }

  unmount() {}

  status() {
    const { step, names } = this.shell;
    return { task: step.terminal ? "The game is over." : `${names.role(step.to_move)} to move` };
  }
}
