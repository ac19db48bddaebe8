// The mode Analyze. shell.js describes modes.

import { element } from "/assets/board.js";

export class Analyze {
  id = "analyze";
  title = "Analyze";
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
