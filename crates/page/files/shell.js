// The page around a game: the header, the board, the status line, the list of moves and the modes at its side.
//
// A mode is a class of a module of its own. The shell makes one of each and mounts one at a time:
//
//   class Mode {
//     id = "play"; title = "Play";
//     constructor(shell) {}
//     mount(panel) {}        fills the panel (an empty element) and starts
//     unmount() {}           ends its searches and timers; the shell empties the panel
//     keys = [["h", "show a hint", () => …], …]    single keys, as in KeyboardEvent.key, for the help and the page
//
//     // all of these may be left out:
//     status() {}            { task, note, said, isOver }: the sentence of the status line, a smaller one under it,
//                            what only screen readers say before it, and whether it is a result
//     mayMove() {}           whether clicks on the board play moves; true if left out
//     played(token) {}       plays a move that was clicked; without it, the shell plays it in the tree
//     marks() {}             more marks for board.js: candidates, line, unsafe, hints …
//     over(spot) {}          the pointer or the focus came to a spot where a move can be made, or left it (null)
//     spots() {}             with chose(spot): the spots that can be clicked instead of moves, as in an editor
//     chose(spot) {}
//     picture() {}           what the board shows instead of the current position
//     saved() {}             what is kept with the game; shell.extra is what was kept when it was opened
//     heading() {}           what the window is called instead of the game
//     address() {}           { name: value } for the address of the page instead of the moves; null for these
//     hasOwnGames = true     the games that it opens are no games of the person: the one that was open before comes back
//                            when it is left, but for Analyze, and links are not opened in it
//     newGame() {}           what the button New game does; without it, the game starts again in this mode
//     opened() {}            another game was opened (shell.game is another object)
//     changed({ from, to, tree })    the current node or the tree changed (game.js)
//     comment(node) {}       what the list of moves says about a move (moves.js)
//     tools() {}             buttons over the list of moves: [[text, title, act, isEnabled], …]
//   }
//
// Its styles are under body[data-mode=…], in a style sheet of its name, so that they hold in no other mode.
//
// What a mode can use:
//
//   shell.engine             socket.js, or recording.js, which does not search
//   shell.games, shell.grades     the games and rulesets, and the scale of grades.js: the answer to the action `games`
//   shell.line, shell.game   the one that is open (game.js)
//   shell.names              what its sides and roles are called (words.js)
//   shell.step               the step of the current node, with its effects
//   shell.clicks             the moves that can be made now (clicks.js)
//   shell.board              board.js; it is another object after another game was opened
//   await shell.open(line, { position, moves, saved, ply, isKept })    opens a game; errors are thrown with the engine's
//                            words; ply: where, if not at the end of the moves; isKept: false for one that does not
//                            replace the game that is kept for the next visit. Returns whether it is open: false if
//                            another one was opened meanwhile
//   shell.update({ motion }) shows everything anew: call it when the answers of the methods above have changed
//   shell.show({ motion })   only the picture, the marks and the status line; what has been selected stays so
//   shell.use(id)            goes to another mode
//   shell.modeOf(id)         another mode
//   shell.toast(text, { stays })    shows a message for some seconds, or until it is closed
//   shell.try(promise)       waits for it and shows the message of its error
//   shell.sheet(heading, ...content), closeSheet()    a dialog
//   shell.levels             the answer to the action `levels`: the weakest first
//   shell.settings           { get(key, otherwise), set(key, value) }: what is kept in this browser
//   shell.save()             keeps the open game for the next visit
//   shell.saveAddress()      puts what is shown into the address of the page
//   shell.remark(node)       lets a person write a comment on a move
//   await shell.towards(cell)     plays the moves of a turn until something is on a cell

import { Board, element, turnedPlaces } from "./board.js";
import { Clicks } from "./clicks.js";
import { letDrag } from "./drag.js";
import { Game } from "./game.js";
import { MoveList } from "./moves.js";
import { letDraw, letStep } from "./pointer.js";
import { Settings } from "./settings.js";
import { askRemark, showKeys, showRules } from "./sheets.js";
import { EngineError } from "./errors.js";
import { moveLabel, names, ruleset, spaced, title } from "./words.js";

const byId = (id) => document.getElementById(id);
const TOAST_MS = 5000;

export class Shell {
  settings;
  games = [];
  grades = [];
  game = null;
  board = null;
  clicks = null;
  mode = null;
  #modes;
  #over = null;
  #shown = null;
  #isBusy = false;
  /** Whether a move that was chosen is under way, or another game: until it is there, no move can be chosen. */
  #isPlaying = false;
  #isLoading = false;
  #isCarried = false;
  /** The control that was clicked last, as long as it has the focus. */
  #clicked = null;
  #toastTimer = 0;
  #opening = 0;
  #isKept = true;
  /** Until the first game and mode are there, the address is only read. */
  #isStarted = false;
  /** The address that the page has put there. */
  #address = null;

  constructor(engine, modes) {
    this.engine = engine;
    this.settings = new Settings(!engine.isRecording);
    this.#modes = modes.map((Mode) => new Mode(this));
    this.list = new MoveList(byId("moves"), {
      goto: (node) => this.try(this.game.goto(node)),
      menu: (node, button) => engine.isRecording || this.#menu(node, button),
      comment: (node) => this.mode?.comment?.(node) ?? null,
      hides: (node) => this.mode?.hides?.(node) ?? false,
    });
    this.#listen();
  }

  get line() {
    return this.game.line;
  }

  get step() {
    return this.game.current.step;
  }

  /** Asks for the games and the levels, and opens the game of the address, or the last one. */
  async start() {
    this.#showConnection();
    const { hash } = location;
    const asked = ["games", "levels"].map((action) => this.engine.ask({ action }));
    [{ games: this.games, grades: this.grades }, { levels: this.levels }] = await Promise.all(asked);
    for (const { layout, roles } of this.games) {
      for (const tray of layout?.trays ?? []) if (roles.includes(tray.name)) tray.name = spaced(tray.name);
    }
    this.#fillChoice();
    const first = await this.#firstMode();
    try {
      await this.#openFirst();
    } catch (error) {
      this.#refuseLink(error);
      await this.openKept(this.#lineOfLink ?? this.games.find((it) => it.standard) ?? this.games[0]);
    }
    // A mode that is chosen has a game to show.
    for (const mode of this.#modes) this.#addTab(mode);
    this.use(first);
    this.#isStarted = true;
    if (location.hash !== hash && this.#hasLink) await this.#followLink();
    else this.saveAddress();
  }

  /** The mode of the last visit; but who serves files of tournaments comes to watch them. */
  async #firstMode() {
    if (this.#wantsFile) return "watch";
    const last = this.settings.get("mode", "play");
    const [visit] = performance.getEntriesByType("navigation");
    if (this.#hasLink && this.modeOf(last)?.hasOwnGames) return "analyze";
    if (this.#hasLink || visit?.type !== "navigate") return last;
    const { files } = await this.engine.ask({ action: "files" });
    return files.length > 0 ? "watch" : last;
  }

  /** Whether the address is another one than the page itself has put there. */
  get #hasLink() {
    return location.hash.length > 1 && location.hash !== (this.#address ?? history.state?.address);
  }

  /** Whether the address leads to a file of games, or to a game of one. */
  get #wantsFile() {
    return new URLSearchParams(location.hash.slice(1)).has("file");
  }

  async #openFirst() {
    if (this.#wantsFile) this.#openHash();
    else if (this.#hasLink) return this.#openHash();
    const last = this.settings.get("last", {});
    const standard = this.games.find((it) => it.standard) ?? this.games[0];
    // The address is that of this tab, whatever was played last in another one.
    const line = this.#lineOfLink ?? this.#find(last.game, last.rules) ?? standard;
    return this.#isReplaced(line) ? this.#openHash() : this.openKept(line);
  }

  /** Whether another tab has kept its own game where this tab had kept the one of its address. */
  #isReplaced(line) {
    if (!history.state?.isKept) return false;
    try {
      const { position, moves } = Game.placeOf(this.settings.get(this.#key(line))?.tree);
      return location.hash !== `#${this.#addressOf(line, position, moves)}`;
    } catch {
      // What is kept is damaged.
      return true;
    }
  }

  #find(game, rules) {
    const all = this.games.filter((it) => it.game === game);
    return all.find((it) => it.rules === rules) ?? (rules ? undefined : all.find((it) => it.standard) ?? all[0]);
  }

  /** The game and ruleset of the address, if they are here. */
  get #lineOfLink() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const rules = wanted.get("rules");
    return this.#find(wanted.get("game"), rules === "standard" ? null : rules);
  }

  async #openHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (this.#wantsFile) {
      const [number, ply] = ["number", "ply"].map((name) => Number(wanted.get(name)));
      this.modeOf("watch").follow(wanted.get("file"), { number, ply });
      // At the start, a mode is chosen later.
      if (this.mode) this.use("watch");
      return;
    }
    if (this.mode?.hasOwnGames) this.use("analyze");
    const line = this.#lineOfLink;
    if (!line) throw new Error(`there is no game ${wanted.get("game")} ${wanted.get("rules") ?? ""}`);
    const moves = (wanted.get("moves") ?? "").split(" ").filter((token) => token !== "");
    await this.open(line, { position: wanted.get("position"), moves });
  }

  /** Opens the game of an address that was put into the window; if it is wrong, the one that is open stays. */
  async #followLink() {
    try {
      await this.#openHash();
      this.#hideToast();
    } catch (error) {
      this.#refuseLink(error);
      this.save();
    }
  }

  #refuseLink({ message }) {
    this.toast(`This link leads nowhere: ${message}`, { stays: true });
  }

  /** Opens a game as it was left. */
  async openKept(line) {
    const kept = this.settings.get(this.#key(line));
    try {
      return await this.open(line, kept ? { saved: kept.tree, extra: kept.extra } : {});
    } catch (error) {
      // What is kept may be wrong, or damaged.
      if (!kept) throw error;
      return this.open(line);
    }
  }

  async open(line, { position = null, moves = [], ply, saved, extra, isKept = true } = {}) {
    const opening = ++this.#opening;
    const game = saved ? Game.load(this.engine, line, saved) : new Game(this.engine, line, { position, moves, ply });
    this.#isLoading = true;
    this.#close();
    try {
      await game.ready;
    } catch (error) {
      if (opening !== this.#opening) return false;
      this.#isLoading = false;
      this.update();
      throw error;
    }
    if (opening !== this.#opening) return false;
    this.#isLoading = this.#isPlaying = false;
    this.game = game;
    this.#isKept = isKept;
    this.extra = extra ?? null;
    this.names = names(line);
    game.addEventListener("change", ({ detail }) => game === this.game && this.#changed(detail));
    game.addEventListener("note", ({ detail }) => game === this.game && this.list.showComments(detail.node));
    this.board?.remove();
    byId("board").className = "";
    byId("board").dataset.game = line.layout ? line.layout.surface : "text";
    byId("board").classList.toggle("solid", (line.layout?.levels.length ?? 0) > 1);
    this.board = new Board(byId("board"), line.layout, { playable: true });
    this.board.addEventListener("place", ({ detail }) => this.#place(detail));
    this.#over = null;
    byId("game").value = line.game;
    this.#fillRules();
    this.list.show(game);
    this.mode?.opened?.();
    this.update({ motion: false });
    this.save();
    return true;
  }

  modeOf(id) {
    return this.#modes.find((it) => it.id === id);
  }

  use(id) {
    const mode = this.modeOf(id) ?? this.#modes[0];
    if (mode === this.mode) return;
    const before = this.mode;
    before?.unmount();
    this.mode = mode;
    this.settings.set("mode", mode.id);
    for (const tab of byId("modes").children) {
      const isThis = tab.dataset.mode === mode.id;
      tab.setAttribute("aria-selected", isThis);
      tab.tabIndex = isThis ? 0 : -1;
    }
    byId("panel").setAttribute("aria-labelledby", `mode-${mode.id}`);
    byId("panel").replaceChildren();
    document.body.dataset.mode = mode.id;
    mode.mount(byId("panel"));
    if (this.game) this.list.show(this.game);
    this.update();
    this.saveAddress();
    if (before?.hasOwnGames && id !== "analyze") this.try(this.openKept(this.line));
  }

  update({ motion = true } = {}) {
    if (!this.game || !this.mode || this.#isBusy) return;
    const { step, line } = this;
    document.title = `${this.mode.heading?.() ?? title(line)} · quintet`;
    const byRole = this.settings.get("byRole", false) && this.names.isTeam(this.names.sideOf(step.to_move));
    this.#showPicture(motion);
    this.clicks = new Clicks(line.layout, step, { byRole });
    const mayMove = (this.mode.mayMove?.() ?? true) && this.clicks.moves.length > 0;
    this.isOpen = mayMove && !this.#isPlaying && !this.#isLoading;
    this.#enable();
    if (this.isOpen || !mayMove) this.#showChoices();
    this.#say();
    this.#showTools();
    const { current } = this.game;
    byId("where").textContent = `${current.ply} / ${current.ply + [...this.#after(current)].length}`;
    for (const go of ["start", "back"]) this.#stepButton(go).disabled = current === this.game.root;
    for (const go of ["forward", "end"]) this.#stepButton(go).disabled = current.children.length === 0;
    byId("tokens").replaceChildren(...step.legal.map((token) => element("option", { value: token })));
    byId("token").disabled = !mayMove;
  }

  show({ motion = true } = {}) {
    if (!this.game || !this.mode || this.#isBusy) return;
    this.#showPicture(motion);
    this.#mark();
    this.#say();
  }

  #showPicture(motion) {
    const picture = this.mode.picture?.() ?? this.step.picture;
    if (this.#shown === picture) return;
    this.board.show(picture, { motion });
    this.#shown = picture;
  }

  /** The same buttons stay, so that one keeps the focus. */
  #showTools() {
    const tools = this.mode.tools?.() ?? [];
    const box = byId("tools");
    if ([...box.children].map((it) => it.textContent).join() !== tools.map(([text]) => text).join()) {
      box.replaceChildren(...tools.map(([text, title]) => element("button", { type: "button", title }, text)));
    }
    tools.forEach(([, , act, isEnabled], index) => {
      box.children[index].disabled = !isEnabled;
      box.children[index].onclick = () => this.try(act());
    });
  }

  #say() {
    const { task, note = "", said = "", isOver = false } = this.mode.status?.() ?? { task: "" };
    const status = byId("status");
    if (status.textContent !== said + task) {
      status.replaceChildren(...(said ? [element("span", { class: "unseen" }, said)] : []), task);
    }
    status.classList.toggle("over", isOver);
    if (byId("note").textContent !== note) byId("note").textContent = note;
  }

  save() {
    const { game, line } = this;
    this.extra = this.mode?.saved?.() ?? this.extra;
    if (this.#isKept) {
      this.settings.set(this.#key(line), { tree: game.save(), extra: this.extra });
      this.settings.set("last", { game: line.game, rules: line.rules });
    }
    this.saveAddress();
  }

  saveAddress() {
    if (!this.game || !this.#isStarted) return;
    this.#address = `#${this.address()}`;
    // Of this tab: others have addresses of their own.
    history.replaceState({ address: this.#address, isKept: this.#isKept }, "", this.#address);
  }

  /** The line to the current node, as in the address of the page, or what the mode has instead. */
  address() {
    const { game, line } = this;
    const other = this.mode?.address?.();
    if (other) return new URLSearchParams(other);
    return this.#addressOf(line, game.position, game.moves(game.current));
  }

  #addressOf({ game, rules }, position, moves) {
    const address = new URLSearchParams({ game, rules });
    if (position !== null) address.set("position", position);
    if (moves.length > 0) address.set("moves", moves.join(" "));
    return address;
  }

  toast(text, { stays = false } = {}) {
    clearTimeout(this.#toastTimer);
    const close = element("button", { type: "button", class: "icon", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => this.#hideToast());
    byId("toast").replaceChildren(text, ...(stays ? [close] : []));
    // Over the words above the board, and where there are none, over the head of the panel: it is in nobody's way there.
    const above = byId("say").offsetParent ? byId("say") : byId("panel");
    const { top, left, width } = above.getBoundingClientRect();
    byId("toast").style.setProperty("--top", `${Math.max(top, 0)}px`);
    byId("toast").style.setProperty("--middle", `${left + width / 2}px`);
    byId("toast").classList.add("shown");
    if (!stays) this.#toastTimer = setTimeout(() => this.#hideToast(), TOAST_MS);
  }

  #hideToast() {
    byId("toast").classList.remove("shown");
  }

  async towards(cell) {
    this.#isBusy = true;
    this.#close();
    const { game } = this;
    try {
      for (;;) {
        const clicks = new Clicks(this.line.layout, this.step);
        const token = clicks.towards(cell);
        const isLast = clicks.moves.find((it) => it.token === token)?.kind !== "open";
        if (isLast) this.#isBusy = false;
        if (token === null) break;
        const { current: parent } = game;
        await this.#play(token);
        // Meanwhile one may have gone elsewhere, and a mode may judge a move instead of playing it.
        const { current } = game;
        if (isLast || this.game !== game || current.parent !== parent || current.token !== token) break;
      }
    } finally {
      this.#isBusy = false;
      this.update();
    }
  }

  // ---- the board

  #enable() {
    const spots = this.mode.spots?.() ?? (this.isOpen ? this.clicks.spots : []);
    this.board.enable?.(spots);
    this.#mark();
  }

  #mark() {
    const marks = this.isOpen ? this.clicks.marks(this.#over) : {};
    const more = this.mode.marks?.() ?? {};
    // A candidate says more than that a piece can go there.
    const told = new Set(more.candidates?.map(({ spot }) => spot));
    if (marks.hints) marks.hints = marks.hints.filter((spot) => !told.has(spot));
    const drawn = this.mode.picture?.() ? [] : this.game.current.drawn;
    const all = { last: this.#last(), drawn, ...marks, ...more };
    for (const key of ["hints", "ghosts"]) if (marks[key] && more[key]) all[key] = [...marks[key], ...more[key]];
    this.board.mark(all);
  }

  /** The cells that the last turn changed, or the one before if it changed none; after a turn of a quadrant, where they are now. */
  #last() {
    const { layout } = this.line;
    if (!layout || this.mode.picture?.()) return [];
    const cells = layout.levels.length * layout.rows.length * layout.columns.length;
    const sideAt = ({ step }) => this.names.sideOf(step.to_move);
    const found = new Set();
    let now = (place) => place;
    for (let node = this.game.current; node.parent; node = node.parent) {
      const [before, after] = [node.parent.step.picture, node.step.picture];
      if (after.turned) {
        const [later, turned] = [now, new Map(turnedPlaces(layout, after.turned))];
        now = (place) => later(turned.get(place) ?? place);
      } else {
        [...after.places].forEach((code, place) => place < cells && code !== before.places[place] && found.add(now(place)));
      }
      if (found.size > 0 && node.parent.parent && sideAt(node.parent.parent) !== sideAt(node.parent)) break;
    }
    return [...found];
  }

  #place({ act, spot }) {
    if (this.#isBusy) return;
    if (act !== "choose") {
      this.#over = act === "enter" ? spot : null;
      this.mode.over?.(this.#over);
      this.#mark();
      return;
    }
    if (this.mode.spots) {
      this.mode.chose(spot);
      return;
    }
    if (!this.isOpen) return;
    const { play, towards } = this.clicks.choose(spot);
    if (towards !== undefined) this.try(this.towards(towards));
    else if (play?.length === 1) this.try(this.#play(play[0]));
    else if (play) this.#showChoices(play);
    else this.#enable();
  }

  /** Draws a circle or an arrow on the position, or takes it away. */
  #draw(from, to) {
    if (!this.game || this.mode?.picture?.()) return;
    const { current } = this.game;
    const made = from === to ? { spot: to } : { spot: to, from };
    const others = current.drawn.filter(({ spot, from: start }) => spot !== to || start !== made.from);
    this.#keepDrawn(others.length < current.drawn.length ? others : [...others, made]);
  }

  #keepDrawn(drawn) {
    this.game.current.drawn = drawn;
    this.#mark();
    this.save();
  }

  remark(node) {
    askRemark(this, node, (text) => {
      node.remark = text;
      this.list.show(this.game);
      this.save();
    });
  }

  /** Plays the move that a person has typed; a wrong one stays there. */
  async #playTyped() {
    const typed = byId("token").value;
    await this.#play(this.#spelled(typed.trim()));
    if (byId("token").value === typed) byId("token").value = "";
  }

  /** The move that a person has typed, in the engine's letters if only their case differs. */
  #spelled(typed) {
    const { legal } = this.step;
    const alike = legal.filter((token) => token.toLowerCase() === typed.toLowerCase());
    return alike.length === 1 ? alike[0] : typed;
  }

  async #play(token) {
    this.#isPlaying = true;
    this.#close();
    try {
      await (this.mode.played ? this.mode.played(token) : this.game.play(token));
    } finally {
      if (this.#isPlaying) {
        this.#isPlaying = false;
        this.update();
      }
    }
  }

  /** Offers no move until the next update. Buttons stay where they are, so that one keeps the focus. */
  #close() {
    if (!this.clicks) return;
    this.isOpen = false;
    this.#enable();
    for (const button of byId("choices").children) button.setAttribute("aria-disabled", "true");
  }

  /** Buttons for moves that have no spot, or for those that a click may mean. */
  #showChoices(tokens) {
    const moves = this.isOpen && !this.mode.spots ? (tokens ?? this.clicks.buttons.map(({ token }) => token)) : [];
    const buttons = moves.map((token) => {
      const button = element("button", { type: "button", class: "choice" });
      const code = { black: "b", white: "w" }[token];
      button.append(moveLabel(this.line, token));
      button.dataset.token = token;
      if (code) button.dataset.color = token;
      button.addEventListener("click", () => this.isOpen && this.try(this.#play(token)));
      return button;
    });
    const hadFocus = byId("choices").contains(document.activeElement);
    byId("choices").replaceChildren(...buttons);
    if (hadFocus) buttons[0]?.focus();
  }

  #changed(detail) {
    this.#isPlaying = false;
    if (detail.tree) this.list.show(this.game);
    else this.list.current(this.game.current);
    this.#over = null;
    this.mode.changed?.(detail);
    this.update({ motion: !this.#isCarried });
    this.#isCarried = false;
    this.save();
  }

  *#after(node) {
    for (let it = node.children[0]; it; it = it.children[0]) yield it;
  }

  // ---- the header and the keys

  #fillChoice() {
    const seen = new Map(this.games.map((line) => [line.game, line]));
    byId("game").replaceChildren(...[...seen.values()].map((line) => element("option", { value: line.game }, title(line))));
  }

  #fillRules() {
    const all = this.games.filter((it) => it.game === this.line.game);
    byId("rules").replaceChildren(...all.map((it) => element("option", { value: it.rules, title: it.differs }, ruleset(it, this.games))));
    byId("rules").value = this.line.rules;
    byId("rules").hidden = all.length < 2;
  }

  #addTab(mode) {
    const tab = element("button", { type: "button", role: "tab", id: `mode-${mode.id}`, "aria-controls": "panel", "aria-selected": "false", tabindex: -1 }, mode.title);
    tab.dataset.mode = mode.id;
    tab.addEventListener("click", () => this.use(mode.id));
    byId("modes").append(tab);
  }

  #listen() {
    const on = (id, act, kind = "click") => byId(id).addEventListener(kind, act);
    on("game", () => this.try(this.openKept(this.#find(byId("game").value) ?? this.games[0])), "change");
    on("rules", () => this.try(this.openKept(this.#find(this.line.game, byId("rules").value))), "change");
    on("new", () => this.newGame());
    on("link", () => this.#copyLink());
    on("theme", () => this.#nextTheme());
    on("show-help", () => this.#showHelp());
    on("show-rules", () => this.game && showRules(this));
    on("steps", ({ target }) => {
      const go = target.closest("button")?.dataset.go;
      if (go) this.try(this.game[go]());
    });
    on("type", (event) => {
      event.preventDefault();
      if (byId("token").value.trim() !== "" && this.isOpen) this.try(this.#playTyped());
    }, "submit");
    // Who clicks goes through the moves with the arrow keys; who came by keys goes over the board, or whatever else has
    // the arrow keys for itself.
    document.addEventListener("mousedown", (event) => {
      if (!event.target.closest("#board [data-spot], [data-arrows]")) return;
      event.preventDefault();
      document.activeElement.blur();
    });
    document.addEventListener("pointerdown", ({ target }) => (this.#clicked = target.closest("label")?.control ?? target.closest("select")));
    document.addEventListener("focusout", ({ target }) => {
      if (target === this.#clicked) this.#clicked = null;
    });
    document.addEventListener("change", ({ target }) => {
      if (target === this.#clicked) target.blur();
    });
    letDrag(byId("board"), {
      board: () => this.board,
      clicks: () => (this.isOpen && !this.#isBusy && !this.mode.spots ? this.clicks : null),
      play: (spot) => {
        // A piece that was carried is there already.
        this.#isCarried = this.isOpen && typeof spot === "number";
        this.#place({ act: "choose", spot });
      },
      select: (place) => {
        this.clicks.select(place);
        this.#enable();
      },
    });
    letStep(byId("board"), { step: (by) => this.game && this.try(by < 0 ? this.game.back() : this.game.forward()) });
    letDraw(byId("board"), {
      draw: (from, to) => this.#draw(from, to),
      clear: () => this.game?.current.drawn.length > 0 && this.#keepDrawn([]),
    });
    on("modes", (event) => this.#moveTab(event), "keydown");
    on("sheet", ({ target, currentTarget }) => {
      if (target === currentTarget || target.closest("[data-close]")) this.closeSheet();
    });
    document.addEventListener("keydown", (event) => this.#press(event));
    window.addEventListener("hashchange", () => {
      if (this.#isStarted && this.#hasLink) this.#followLink();
    });
    this.engine.addEventListener("state", () => this.#showConnection());
    this.#setTheme(this.settings.get("theme", "auto"));
  }

  newGame() {
    // A click can come before anything is there.
    if (!this.mode) return;
    if (this.mode.newGame) this.mode.newGame();
    else this.try(this.open(this.line));
  }

  #stepButton(go) {
    return document.querySelector(`#steps [data-go=${go}]`);
  }

  /** Keys of the page, beside those of the mode. */
  get #keys() {
    const { game } = this;
    const walk = [
      ["ArrowLeft", "back one move", () => game.back()],
      ["ArrowRight", "forward one move", () => game.forward()],
      ["Home", "to the start", () => game.start()],
      ["End", "to the end", () => game.end()],
    ];
    const help = [
      ["r", "the rules of the game", () => showRules(this)],
      ["?", "this help", () => this.#showHelp()],
    ];
    if (this.engine.isRecording) return [...walk, ...help];
    return [
      ...walk,
      ["ArrowUp", "the variation above", () => game.sibling(-1)],
      ["ArrowDown", "the variation below", () => game.sibling(1)],
      ["Control+z", "undo the last change of the list of moves", () => game.undo()],
      ["b", "to the board: arrow keys, Enter; Tab to the next part", () => this.#focusBoard()],
      ["m", "type a move", () => byId("token").focus()],
      ["k", "comment on the last move", () => this.remark(game.current)],
      ["n", "new game", () => this.newGame()],
      ...help,
      ...this.#modes.map((mode, index) => [`${index + 1}`, mode.title, () => this.use(mode.id)]),
    ];
  }

  #focusBoard() {
    const [spot] = this.mode.spots?.() ?? this.clicks?.spots ?? [];
    if (spot !== undefined) this.board.focus(spot);
  }

  #press(event) {
    if (!this.game || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    // On some keyboards, signs are typed with Alt, or with AltGr, which may be Ctrl and Alt.
    if (event.altKey && !/^[^\p{L}\p{N}\s]$/u.test(event.key)) return;
    const isCommand = event.metaKey || (event.ctrlKey && !event.altKey);
    const { target } = event;
    if (target.closest("#board") && /^(Arrow|Home|End|Enter| )/.test(event.key)) return;
    if (this.#takesKeys(target)) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (target.matches("select") && !isCommand && event.key !== "Tab") {
      // Not even a key that the page does not know makes a choice.
      event.preventDefault();
      target.blur();
    }
    const name = (isCommand ? "Control+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
    const all = [...(this.mode.keys ?? []), ...this.#keys];
    const found = all.find(([key]) => key === name);
    if (!found) return;
    event.preventDefault();
    this.try(found[2]());
  }

  /** Whether all keys are for a control: it is text, or a list of choices that is open or was not clicked. */
  #takesKeys(control) {
    if (control.matches("select")) return control !== this.#clicked || !CSS.supports("selector(:open)") || control.matches(":open");
    return control.matches("textarea, input:not([type=checkbox], [type=radio])");
  }

  #moveTab(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = this.#modes.indexOf(this.mode) + by;
    const mode = this.#modes.at(at % this.#modes.length);
    this.use(mode.id);
    byId(`mode-${mode.id}`).focus();
  }

  /** Shows what goes wrong in an action. */
  async try(action) {
    try {
      await action;
    } catch (error) {
      this.toast(error.message);
      if (!(error instanceof EngineError)) throw error;
    }
  }

  #showConnection() {
    byId("connection").textContent = this.engine.connected ? "" : "Connecting …";
    document.body.classList.toggle("offline", !this.engine.connected);
  }

  // ---- sheets, themes and links

  sheet(heading, ...content) {
    const close = element("button", { type: "button", class: "icon close", "data-close": "", "aria-label": "Close" }, "×");
    byId("sheet").firstElementChild.replaceChildren(element("h2", { id: "sheet-title" }, heading), close, ...content);
    byId("sheet").showModal();
  }

  closeSheet() {
    byId("sheet").close();
  }

  #showHelp() {
    if (this.mode) showKeys(this, this.#keys);
  }

  #setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    const names = { auto: "Colors: as the system", light: "Colors: light", dark: "Colors: dark" };
    byId("theme").title = names[theme];
    byId("theme").setAttribute("aria-label", names[theme]);
  }

  #nextTheme() {
    const all = ["auto", "light", "dark"];
    const theme = all[(all.indexOf(this.settings.get("theme", "auto")) + 1) % all.length];
    this.settings.set("theme", theme);
    this.#setTheme(theme);
    this.toast(byId("theme").title);
  }

  async #copyLink() {
    if (!this.game) return;
    this.save();
    try {
      await navigator.clipboard.writeText(location.href);
      this.toast("The link to this position is copied.");
    } catch {
      this.toast("The address of this page leads to this position: copy it from the address bar.");
    }
  }

  /** What can be done with a move of the list. */
  #menu(node, button) {
    document.querySelector(".menu")?.remove();
    const { game } = this;
    const entry = (text, act) => {
      const made = element("button", { type: "button", role: "menuitem" }, text);
      made.addEventListener("click", () => {
        close();
        this.try(act());
      });
      return made;
    };
    const menu = element("div", { class: "menu", role: "menu" },
      entry("Comment …", () => this.remark(node)),
      entry("Make this the main line", () => game.promote(node)),
      entry("Delete from here", () => game.remove(node)),
      entry("Delete all variations", async () => {
        await game.goto(node);
        await game.end();
        await game.prune();
      }));
    button.parentElement.append(menu);
    menu.firstElementChild.focus();
    const outside = ({ target }) => {
      if (!menu.contains(target)) close();
    };
    const close = () => {
      menu.remove();
      document.removeEventListener("pointerdown", outside);
    };
    document.addEventListener("pointerdown", outside);
    menu.addEventListener("keydown", (event) => {
      // The keys of the page wait.
      event.stopPropagation();
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by && !["Escape", "Tab"].includes(event.key)) return;
      event.preventDefault();
      const entries = [...menu.children];
      if (by) entries.at((entries.indexOf(document.activeElement) + by) % entries.length).focus();
      else {
        close();
        button.focus();
      }
    });
  }

  #key({ game, rules }) {
    return `game.${game}.${rules}`;
  }
}
