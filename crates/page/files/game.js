// A game as a tree of variations.
//
//   const game = new Game(engine, line, { position, moves, ply })
//                                    line: the game and ruleset as the action `games` lists them;
//                                    position: where it starts (null: its start); moves: tokens of the main line;
//                                    ply: where to be at first, if not at its end
//   await game.ready                 the first position is loaded; rejects with the engine's words if it is wrong
//   game.line, game.position         as given
//   game.root, game.current          nodes
//   await game.play(token, step)     plays a move at the current node: goes to the node, and adds it if it is new;
//                                    `step`: what the engine has told of it, if it has
//   await game.append(node, tokens)  adds moves after a node as its main line, and goes along if it is the current one;
//                                    returns the last one. This can't be undone
//   await game.goto(node)            makes a node the current one
//   await game.walk(node, tokens)    goes along moves after a node, and adds those that are new
//   await game.back(), forward(), start(), end(), sibling(±1)
//   await game.remove(node)          deletes a node and what follows
//   await game.promote(node)         makes its branch the first one where it leaves the main line
//   await game.prune()               deletes all but the line to the current node
//   await game.undo()                takes back the last change of the tree (a new move, remove, promote, prune)
//   game.path(node)                  the nodes from the root, which is left out, to a node
//   game.moves(node)                 their tokens
//   game.mainLine()                  the nodes of the main line after the root
//   game.query(node)                 {game, rules, position, moves} for a line to the engine
//   await game.step(node)            the step of a node with `effects`, loaded if need be
//   game.save(), Game.load(engine, line, saved)   the tree as JSON
//   Game.placeOf(saved)      { position, moves } of its current node
//
// A node: { token (null at the root), parent, children (the first one is the main line), ply,
//           step (a ShownStep of the engine, null until loaded; with `effects` once it was current),
//           analysis (null, or whatever Analyze keeps here),
//           remark, drawn (a person's comment, and marks of board.js that a person has drawn) }
//
// Events: "change" with detail { from, to, tree }: the current node was `from` and is `to` now (they may be the same),
//         and `tree` says whether nodes were added, moved or deleted. "note": something about a node changed (analysis).
//
// Every step is the engine's: this module knows no rules.

/** The number of changes of the tree that can be undone. */
const UNDO = 200;

export class Game extends EventTarget {
  #engine;
  #undo = [];
  /** The nodes that are about to be deleted. */
  #removing = new Set();
  /** Counts the wishes to be elsewhere; only the last one is followed. */
  #wish = 0;

  constructor(engine, line, { position = null, moves = [], ply = moves.length } = {}) {
    super();
    this.#engine = engine;
    this.line = line;
    this.position = position;
    this.root = node(null, null);
    this.current = this.root;
    let last = this.root;
    for (const token of moves) last = child(last, token);
    this.ready = this.#open([this.root, ...this.path(last)][ply] ?? last);
  }

  async #open(at) {
    await this.#loadMainLine();
    await this.step(at);
    this.current = at;
  }

  /** Steps of the main line say who moved. */
  async #loadMainLine() {
    const last = this.mainLine().at(-1) ?? this.root;
    if (!last.step) await this.step(last);
  }

  static load(engine, line, saved) {
    const game = new Game(engine, line, { position: saved.position });
    let current = game.root;
    const grow = (parent, children) => {
      for (const [token, isCurrent, rest, own] of children) {
        const made = Object.assign(child(parent, token), own);
        if (isCurrent) current = made;
        grow(made, rest);
      }
    };
    Object.assign(game.root, saved.own);
    grow(game.root, saved.children);
    game.ready = game.#open(current);
    return game;
  }

  /** Where a saved tree is: the position that it starts from and the moves to the current node. */
  static placeOf({ position, children } = { position: null, children: [] }) {
    const find = (list) => {
      for (const [token, isCurrent, rest] of list) {
        const below = isCurrent ? [] : find(rest);
        if (below) return [token, ...below];
      }
      return null;
    };
    return { position, moves: find(children) ?? [] };
  }

  save() {
    const own = ({ remark, drawn }) => (remark || drawn.length > 0 ? { remark, drawn } : undefined);
    const list = (parent) => parent.children.map((it) => [it.token, it === this.current, list(it), own(it)]);
    return { position: this.position, children: list(this.root), own: own(this.root) };
  }

  path(at) {
    const path = [];
    for (let it = at; it.parent; it = it.parent) path.push(it);
    return path.reverse();
  }

  moves(at) {
    return this.path(at).map((it) => it.token);
  }

  mainLine() {
    return [...descend(this.root)];
  }

  query(at) {
    return this.#query(this.position, this.path(at));
  }

  #query(position, nodes) {
    const { game, rules } = this.line;
    return { game, rules, moves: nodes.map(({ token }) => token), ...(position === null ? {} : { position }) };
  }

  async step(at) {
    if (at.step?.effects) return at.step;
    // From the last position before it that is known. Another word for a move is played from the start: what is wrong
    // with it is told with its number.
    const nodes = [at];
    const isKnown = ({ step }, next) => step?.legal.includes(next?.token);
    while (nodes[0].parent && !isKnown(...nodes)) nodes.unshift(nodes[0].parent);
    const position = nodes[0].parent ? nodes[0].step.position : this.position;
    const line = this.#query(position, nodes.slice(1));
    const { steps } = await this.#engine.ask({ action: "replay", ...line, pictures: true });
    nodes.forEach((it, index) => (it.step ??= steps[index]));
    return (at.step = steps.at(-1));
  }

  async goto(at) {
    const wish = ++this.#wish;
    await this.step(at);
    if (wish === this.#wish && at !== this.current) this.#arrive(at, false);
  }

  async play(token, step = null) {
    const parent = this.current;
    const known = parent.children.find((it) => it.token === token);
    if (known) return this.goto(known);
    const wish = ++this.#wish;
    const made = node(token, parent);
    made.step = step;
    await this.step(made);
    // Meanwhile the same move may have been added, or its parent deleted.
    if (wish !== this.#wish || !this.#holds(parent)) return;
    parent.children.push(made);
    this.#remember(() => detach(made), parent);
    this.#arrive(made, true);
  }

  async walk(at, tokens) {
    const known = [at];
    for (const token of tokens) {
      const next = known.at(-1).children.find((it) => it.token === token);
      if (!next) break;
      known.push(next);
    }
    let last = known.at(-1);
    await this.goto(last);
    for (const token of tokens.slice(known.length - 1)) {
      // Meanwhile one may have gone elsewhere.
      if (this.current !== last) return;
      await this.play(token);
      last = last.children.find((it) => it.token === token);
    }
  }

  async append(at, tokens) {
    let last = at;
    for (const token of tokens) {
      const known = last.children.find((it) => it.token === token);
      if (known) detach(known);
      const made = known ?? node(token, last);
      last.children.unshift(made);
      last = made;
    }
    if (last === at) return at;
    const wish = this.#wish;
    await this.step(last);
    const goesAlong = this.current === at && wish === this.#wish;
    this.#arrive(goesAlong ? last : this.current, true);
    return last;
  }

  back() {
    return this.goto(this.current.parent ?? this.root);
  }

  forward() {
    return this.goto(this.current.children[0] ?? this.current);
  }

  start() {
    return this.goto(this.root);
  }

  end() {
    return this.goto([...descend(this.current)].at(-1) ?? this.current);
  }

  sibling(by) {
    const siblings = this.current.parent?.children ?? [this.current];
    return this.goto(siblings[siblings.indexOf(this.current) + by] ?? this.current);
  }

  async remove(at) {
    const { parent } = at;
    // A second wish is the same one.
    if (!parent || this.#removing.has(at)) return;
    const inside = [this.root, ...this.path(this.current)].includes(at);
    this.#removing.add(at);
    try {
      if (inside) await this.step(parent);
    } finally {
      this.#removing.delete(at);
    }
    // Meanwhile what is before it may have been deleted.
    if (!this.#holds(at)) return;
    const index = parent.children.indexOf(at);
    this.#remember(() => parent.children.splice(index, 0, at), this.current);
    detach(at);
    await this.#loadMainLine();
    this.#wish += 1;
    this.#arrive(inside ? parent : this.current, true);
  }

  async promote(at) {
    for (let it = at; it.parent; it = it.parent) {
      const { parent } = it;
      const { children } = parent;
      const index = children.indexOf(it);
      if (index === 0) continue;
      const before = [...children];
      this.#remember(() => (parent.children = before), this.current);
      children.splice(index, 1);
      children.unshift(it);
      await this.#loadMainLine();
      this.#arrive(this.current, true);
      return;
    }
  }

  async prune() {
    const kept = new Map();
    for (let it = this.current; it.parent; it = it.parent) {
      kept.set(it.parent, [...it.parent.children]);
      it.parent.children = [it];
    }
    kept.set(this.current, this.current.children);
    this.current.children = [];
    this.#remember(() => kept.forEach((children, parent) => (parent.children = children)), this.current);
    this.#arrive(this.current, true);
  }

  get canUndo() {
    return this.#undo.length > 0;
  }

  async undo() {
    const last = this.#undo.pop();
    if (!last) return;
    await this.step(last.at);
    last.change();
    await this.#loadMainLine();
    this.#wish += 1;
    this.#arrive(last.at, true);
  }

  /** Tells that something about a node changed. */
  note(at) {
    this.dispatchEvent(new CustomEvent("note", { detail: { node: at } }));
  }

  #holds(at) {
    for (let it = at; it.parent; it = it.parent) if (!it.parent.children.includes(it)) return false;
    return true;
  }

  /** Keeps how to take a change back, and where one was before it. */
  #remember(change, at) {
    this.#undo.push({ change, at });
    if (this.#undo.length > UNDO) this.#undo.shift();
  }

  #arrive(to, tree) {
    const from = this.current;
    this.current = to;
    this.dispatchEvent(new CustomEvent("change", { detail: { from, to, tree } }));
  }
}

function node(token, parent) {
  return { token, parent, children: [], ply: parent ? parent.ply + 1 : 0, step: null, analysis: null, remark: "", drawn: [] };
}

function child(parent, token) {
  const made = node(token, parent);
  parent.children.push(made);
  return made;
}

function detach(at) {
  const { children } = at.parent;
  const index = children.indexOf(at);
  if (index >= 0) children.splice(index, 1);
}

function* descend(from) {
  for (let it = from.children[0]; it; it = it.children[0]) yield it;
}
