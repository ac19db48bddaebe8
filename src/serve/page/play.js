// The mode Play.
import { element } from "/assets/board.js";
import { prompt } from "/assets/words.js";
export class Play {
  id = "play";
  title = "Play";
  keys = [];
  constructor(shell) {
    this.shell = shell;
  }
  mount(panel) {
    panel.append(element("p", { class: "quiet" }, "…"));
  }
  unmount() {}
  status() {
    const { step, names, line, clicks } = this.shell;
    if (step.terminal) return { task: "The game is over." };
    const side = names.sideOf(step.to_move);
    const { task, note } = prompt({ line, step, moves: clicks.moves, byRole: clicks.byRole, name: names, team: names.team(side), other: names.team(3 - side) });
    return { task: `${names.role(step.to_move)}: ${task}`, note };
  }
}
