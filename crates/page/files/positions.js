// The mode Positions: sets up positions, and takes games in and out of the page. shell.js describes modes.
//
// A position is a draft until it is set up: a string that the engine checks as it changes. The board shows the draft,
// and clicks on it change its first field; setup.js reads and writes it.

import { element, thing } from "./board.js";
import { copy, png, save } from "./share.js";
import { Setup, alternatives, controls, fieldNames, fieldOf, isUnique } from "./setup.js";
import { EngineError } from "./errors.js";
import { counted } from "./text.js";
import { capitalized, inWords } from "./words.js";

const EMPTY = ".";
/** How long the draft has to stay as it is before it is checked, in milliseconds. */
const CHECK_AFTER = 120;
/** The most combinations of fields that are tried to make a board possible. */
const MOST_TRIED = 120;

export class Positions {
  id = "positions";
  title = "Positions";
  keys = [
    ["x", "the eraser", () => this.#choose(EMPTY)],
    ["p", "the next piece", () => this.#next(1)],
    ["Delete", "empty the cell in focus", () => this.#eraseFocused()],
    ["Backspace", "empty the cell in focus", () => this.#eraseFocused()],
    ["Control+z", "undo the last change of the position", () => this.#undo()],
  ];

  /** How positions of this game are written. */
  #setup = null;
  #names = [];
  /** Resolves when the fields have names. */
  #named = null;
  /** The string being edited, what it was before each change, and what the engine says about it. */
  #draft = "";
  #past = [];
  #checked = { step: null, error: null };
  /** The cells of the draft, or the last ones that could be read. */
  #cells = [];
  #brush = EMPTY;
  #over = null;
  #timer = 0;
  #checks = 0;
  /** The game that was open before a position was set up. */
  #former = null;
  /** The draft that was left for another mode: { game, draft, past, brush }. */
  #left = null;
  #parts = null;

  constructor(shell) {
    this.shell = shell;
  }

  mount(panel) {
    const field = (label, id, input, ...more) => element("div", { class: "labelled" }, element("label", { for: id }, label), input, ...more);
    const reason = (id) => element("p", { id, class: "reason", role: "status" });
    const text = (id, rows, placeholder) =>
      element("textarea", { id, rows, "aria-describedby": `${id}-says`, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder });
    const part = (title, ...content) => element("section", { class: "part" }, element("h2", {}, title), ...content);
    const row = (label, ...content) => element("div", { class: "buttons", role: "group", "aria-label": label }, ...content);
    const named = (label, ...content) => row(label, element("span", { class: "quiet", "aria-hidden": "true" }, label), ...content);
    const parts = {
      string: text("position-string", 2),
      says: reason("position-string-says"),
      palette: element("div", { class: "palette", role: "radiogroup", "data-arrows": "", "aria-label": "Piece to put on the board" }),
      hint: element("p", { class: "quiet" }),
      fields: element("div", { class: "labels" }),
      use: this.#button("Set up", () => this.#setUp(), "primary"),
      play: this.#button("Play from here", () => this.#setUp("play")),
      analyze: this.#button("Analyze", () => this.#setUp("analyze")),
      discard: this.#button("Discard changes", () => this.#restart()),
      former: this.#button("Back to the former game", () => this.#back()),
      clear: this.#button("Empty the board", () => this.#edit(this.#cells.map(() => EMPTY))),
      first: this.#button("Start position", () => this.#change(this.shell.line.start)),
      from: element("select", { id: "moves-from" }),
      moves: text("position-moves", 3, "moves, between spaces"),
      movesSay: reason("position-moves-says"),
      copied: element("textarea", { class: "copied", rows: 3, readonly: "", "aria-label": "Copy this", hidden: "" }),
      paste: text("position-paste", 3, '{"game":"…","moves":[…]} or f6g7e6'),
      pasteSays: reason("position-paste-says"),
      pictures: named("Picture", this.#button("SVG", () => this.#saveSvg()), this.#button("PNG", () => this.#savePng())),
    };
    this.#parts = parts;
    panel.append(
      part("Set up a position",
        field("Position", "position-string", parts.string, parts.says),
        parts.fields,
        parts.palette,
        parts.hint,
        row("The board", parts.clear, parts.first),
        row("The position", parts.use, parts.play, parts.analyze, parts.discard, parts.former)),
      part("Set up moves",
        field("From", "moves-from", parts.from),
        field("Moves", "position-moves", parts.moves, parts.movesSay),
        row("The moves", this.#button("Set up", () => this.#setUpMoves(), "primary"))),
      part("Copy and save",
        named("Copy",
          this.#button("Position", () => this.#copy("The position", this.#draft)),
          this.#button("Moves", () => this.#copy("The list of moves", this.#subject().moves.join(" "))),
          this.#button("Link", () => this.#copy("The link", this.#link())),
          this.#button("JSON line", () => this.#copy("The line", JSON.stringify(this.#subject())))),
        parts.copied,
        parts.pictures),
      part("Open",
        field("Records, Piskvork’s .psq, SGF or cells of Gomoku", "position-paste", parts.paste, parts.pasteSays),
        row("Lines", this.#button("Open", () => this.#paste(), "primary"), this.#button("Choose a file …", () => this.shell.modeOf("watch").pick()))),
    );
    parts.string.addEventListener("input", () => this.#change(parts.string.value.replaceAll("\n", " ")));
    parts.string.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#setUp();
    });
    parts.moves.addEventListener("input", () => this.#later(() => this.#checkMoves()));
    parts.from.addEventListener("change", () => this.#checkMoves());
    parts.paste.addEventListener("paste", () => setTimeout(() => this.#paste()));
    parts.palette.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.#next(by);
      parts.palette.querySelector("[aria-checked=true]").focus();
    });
    this.opened();
    const left = this.#left;
    if (left?.game !== this.shell.game) return;
    this.#brush = left.brush;
    this.#showPalette();
    this.#change(left.draft);
    this.#past = left.past;
  }

  unmount() {
    const left = { game: this.shell.game, draft: this.#draft, past: this.#past, brush: this.#brush };
    this.#left = this.#isChanged() ? left : null;
    clearTimeout(this.#timer);
    this.#checks += 1;
    this.#parts = null;
    this.#past = [];
  }

  // ---- what the shell asks

  status() {
    const { step, error } = this.#checked;
    if (!this.#isChanged()) return { task: this.#canEdit() ? "Put pieces on the board" : "Write a position", note: "It is checked as it changes, and becomes the game when it is set up." };
    if (error !== null) return { task: "This position is not possible.", note: error };
    if (!step) return { task: "Checking …" };
    return { task: "This position is possible.", note: this.#describe(step) };
  }

  mayMove() {
    return false;
  }

  picture() {
    if (!this.#isChanged()) return undefined;
    if (!this.#canEdit()) return this.#checked.step?.picture;
    const { step } = this.#checked;
    if (step && step.picture.places.startsWith(this.#cells.join(""))) return step.picture;
    const trays = this.shell.line.layout.trays.reduce((sum, { places }) => sum + places, 0);
    return { places: this.#cells.join("") + EMPTY.repeat(trays), open: [], lines: [] };
  }

  marks() {
    const isShown = typeof this.#over === "number" && this.#brush !== EMPTY && this.#cells[this.#over] === EMPTY;
    return { last: [], ghosts: isShown ? [{ spot: this.#over, code: this.#brush }] : [] };
  }

  over(spot) {
    this.#over = spot;
  }

  spots() {
    return this.#canEdit() ? this.#cells.map((_, cell) => cell) : [];
  }

  chose(cell) {
    const cells = [...this.#cells];
    const isThere = cells[cell] === this.#brush;
    if (isUnique(this.shell.line) && this.#brush !== EMPTY) {
      for (const index of cells.keys()) if (cells[index] === this.#brush) cells[index] = EMPTY;
    }
    cells[cell] = isThere ? EMPTY : this.#brush;
    this.#edit(cells);
  }

  opened() {
    if (!this.#parts) return;
    const { line, step } = this.shell;
    this.#setup = new Setup(line, step);
    this.#names = [];
    this.#brush = line.layout?.glyphs[0]?.code ?? EMPTY;
    this.#showPalette();
    this.#restart();
    this.#named = fieldNames(this.shell.engine, line).then((names) => {
      if (line !== this.shell.line || !this.#parts) return;
      this.#names = names;
      this.#show();
    });
  }

  changed() {
    // A draft that has been changed stays until it is set up or discarded.
    if (this.#past.length === 0) this.#restart();
    else this.#showMoves();
  }

  // ---- the draft

  #canEdit() {
    return this.#setup?.canEdit ?? false;
  }

  #isChanged() {
    return this.#parts !== null && this.#draft !== this.shell.step.position;
  }

  /** Takes the position of the game. */
  #restart() {
    const { step } = this.shell;
    this.#past = [];
    this.#checked = { step, error: null };
    this.#take(step.position);
    this.#parts.string.value = step.position;
    this.#showMoves();
    this.#show();
  }

  #take(draft) {
    this.#draft = draft;
    if (this.#canEdit()) this.#cells = this.#setup.read(draft).cells ?? this.#cells;
  }

  /** Changes the draft as a whole. */
  #change(draft) {
    this.#past.push(this.#draft);
    this.#take(draft);
    if (this.#parts.string.value !== draft) this.#parts.string.value = draft;
    this.#checked = { step: null, error: null };
    this.#later(() => this.#check());
    this.#show();
  }

  /** Changes what stands on the board. If no such board is possible, other values of the fields are tried. */
  #edit(cells) {
    const { fields } = this.#setup.read(this.#draft);
    this.#change(this.#setup.write(cells, fields));
    this.#later(async () => {
      const checks = await this.#check();
      await this.#named;
      if (this.#checked.error === null || checks !== this.#checks) return;
      const others = alternatives(this.shell.line, this.#names, fields).slice(0, MOST_TRIED);
      const answers = await Promise.all(others.map((it) => this.#ask(this.#setup.write(cells, it))));
      const found = answers.findIndex(({ step }) => step !== null);
      if (found < 0 || checks !== this.#checks) return;
      this.#take(this.#setup.write(cells, others[found]));
      this.#parts.string.value = this.#draft;
      this.#checked = answers[found];
      this.#show();
    });
  }

  #undo() {
    if (this.#past.length === 0) return;
    const draft = this.#past.pop();
    this.#change(draft);
    this.#past.pop();
  }

  #eraseFocused() {
    if (typeof this.#over !== "number" || !this.#canEdit()) return;
    const cells = [...this.#cells];
    cells[this.#over] = EMPTY;
    this.#edit(cells);
  }

  #later(act) {
    clearTimeout(this.#timer);
    this.#checks += 1;
    this.#timer = setTimeout(act, CHECK_AFTER);
  }

  /** Asks what a position is: { step, error }, one of which is null. */
  async #ask(position, moves = []) {
    const { game, rules } = this.shell.line;
    try {
      const { steps } = await this.shell.engine.ask({ action: "replay", game, rules, position, moves, pictures: true });
      return { step: steps.at(-1), error: null };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return { step: null, error: error.message.replace(/^bad position: /, "") };
    }
  }

  async #check() {
    const checks = this.#checks;
    const checked = await this.#ask(this.#draft);
    if (checks === this.#checks && this.#parts) {
      this.#checked = checked;
      this.#show();
    }
    return checks;
  }

  /** What a position is, in words. */
  #describe({ terminal, to_move, task, scores, ending }) {
    const { names } = this.shell;
    if (!terminal) return `${names.role(to_move)} to move${task ? `: ${inWords(task)}` : ""}.`;
    const winner = this.shell.line.roles.find((role) => scores[role] === 100);
    const scored = names.sides.map((side) => [names.team(side), scores[names.rolesOf(side)[0]]]);
    const drawn = scored.length > 1 && scored.every(([, score]) => score === 50);
    const how = winner ? `${names.team(names.sideOf(winner))} wins` : drawn ? "a draw" : scored.map(([team, score]) => `${score} for ${team}`).join(", ");
    return `The game is over: ${how}${ending ? `: ${ending}` : ""}.`;
  }

  // ---- setting up

  async #setUp(mode) {
    if (this.#isChanged()) {
      const { line, game, extra } = this.shell;
      const { step, error } = await this.#ask(this.#draft);
      if (!step) {
        this.#checked = { step, error };
        this.#show();
        this.#parts?.string.focus();
        return;
      }
      const former = { line, saved: game.save(), extra };
      if (!(await this.shell.open(line, { position: step.position === line.start ? null : step.position }))) return;
      this.#former = former;
      this.#show();
    }
    if (mode) this.shell.use(mode);
  }

  async #back() {
    const { line, saved, extra } = this.#former;
    this.#former = null;
    await this.shell.open(line, { saved, extra });
  }

  /** Where moves can start, and the moves of this game. */
  #showMoves() {
    const { from, moves } = this.#parts;
    const { game } = this.shell;
    const options = [["game", "where this game started"], ["start", "the start position"], ["draft", "the position above"]];
    from.replaceChildren(...options.map(([value, words]) => element("option", { value }, words)));
    from.value = "game";
    moves.value = game.moves(game.current).join(" ");
    this.#sayMoves(null, "");
  }

  #movesGiven() {
    const { from, moves } = this.#parts;
    const position = { start: null, game: this.shell.game.position, draft: this.#draft }[from.value];
    // People number moves.
    const tokens = moves.value.split(/[\s,]+/).filter((token) => token !== "" && !/^\d+\.+$/.test(token));
    return { position, moves: tokens };
  }

  async #checkMoves() {
    const given = this.#movesGiven();
    const { step, error } = await this.#ask(given.position, given.moves);
    if (!this.#parts) return { step, error, given };
    this.#sayMoves(error, step ? `${counted(given.moves.length, "move")}. ${this.#describe(step)}` : "");
    return { step, given };
  }

  #sayMoves(error, words) {
    say(this.#parts.moves, this.#parts.movesSay, error, words);
  }

  async #setUpMoves() {
    const { step, given } = await this.#checkMoves();
    if (!step) {
      this.#parts?.moves.focus();
      return;
    }
    const { line, game, extra } = this.shell;
    const former = { line, saved: game.save(), extra };
    if (!(await this.shell.open(line, given))) return;
    this.#former = former;
    this.#show();
  }

  // ---- what is shown

  #show() {
    const { step, error } = this.#checked;
    const parts = this.#parts;
    // Meanwhile another mode may have been chosen.
    if (!parts) return;
    const isChanged = this.#isChanged();
    this.#showFields();
    const isOfField = error !== null && this.#fieldOfError() > 0;
    const words = !isChanged ? "" : step ? `Possible. ${this.#describe(step)}` : "";
    say(parts.string, parts.says, isOfField ? null : error, words);
    parts.says.classList.toggle("fine", isChanged && step !== null);
    if (isOfField) parts.string.setAttribute("aria-invalid", "true");
    parts.use.disabled = !isChanged || error !== null;
    for (const button of [parts.play, parts.analyze]) button.disabled = error !== null;
    parts.discard.hidden = !isChanged;
    parts.former.hidden = this.#former?.line !== this.shell.line;
    parts.pictures.hidden = !this.shell.line.layout;
    parts.copied.hidden = true;
    for (const it of [parts.palette, parts.clear]) it.hidden = !this.#canEdit();
    for (const button of parts.palette.children) {
      const isOnBoard = isUnique(this.shell.line) && button.dataset.code !== EMPTY && this.#cells.includes(button.dataset.code);
      button.classList.toggle("used", isOnBoard);
    }
    parts.hint.textContent = this.#canEdit() ? "Choose a piece, then click cells of the board. A second click empties a cell." : "The board of this game can't be edited here: write its position.";
    this.shell.update();
  }

  #fieldOfError() {
    return fieldOf(this.#names, this.#checked.error ?? "");
  }

  /** Shows the fields after the board. */
  #showFields() {
    if (!this.#setup) return;
    const { fields } = this.#setup.read(this.#draft);
    const all = controls(this.shell.line, this.#names, fields);
    const place = this.#parts.fields;
    const signature = JSON.stringify(all.map(({ name, choices }) => [name, choices]));
    if (place.dataset.of !== signature) {
      place.dataset.of = signature;
      place.replaceChildren(...all.map((it, index) => this.#control(it, index)));
    }
    const wrong = this.#fieldOfError();
    all.forEach(({ value }, index) => {
      const [input, reason] = place.children[index].querySelectorAll("select, input, .reason");
      if (document.activeElement !== input || input.tagName === "SELECT") input.value = value;
      say(input, reason, wrong === index + 1 ? this.#checked.error : null, "");
    });
  }

  #control({ name, choices }, index) {
    const id = `position-field-${index}`;
    const input = choices
      ? element("select", { id }, ...choices.map(([value, words]) => element("option", { value }, words)))
      : element("input", { id, autocomplete: "off", spellcheck: "false", size: 6 });
    input.setAttribute("aria-describedby", `${id}-says`);
    input.addEventListener(choices ? "change" : "input", () => {
      const value = input.value.trim().replace(/\s+/g, "");
      if (value === "") return;
      const words = this.#draft.trim().split(/\s+/);
      words[index + 1] = value;
      this.#change(words.join(" "));
    });
    return element("div", { class: "labelled" }, element("label", { for: id }, capitalized(inWords(name))), input, element("p", { id: `${id}-says`, class: "reason", role: "status" }));
  }

  // ---- the palette

  #codes() {
    return [...(this.shell.line.layout?.glyphs.map(({ code }) => code) ?? []), EMPTY];
  }

  #showPalette() {
    const { layout } = this.shell.line;
    const button = (code) => {
      const glyph = layout?.glyphs.find((it) => it.code === code);
      const name = glyph ? glyph.name : "eraser";
      const made = element("button", { type: "button", role: "radio", title: name, "aria-label": name, "data-code": code });
      made.append(glyph ? thing(layout, code) : element("svg:svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "eraser" }, element("svg:path", { d: "M9 19l-5-5 9-9 6 6-8 8zM8.5 9.5l6 6M9 19h11" })));
      made.addEventListener("click", () => this.#choose(code));
      return made;
    };
    this.#parts.palette.replaceChildren(...this.#codes().map(button));
    this.#parts.palette.dataset.surface = layout?.surface;
    this.#choose(this.#brush);
  }

  #choose(code) {
    this.#brush = code;
    for (const button of this.#parts.palette.children) {
      const isThis = button.dataset.code === code;
      button.setAttribute("aria-checked", isThis);
      button.tabIndex = isThis ? 0 : -1;
    }
  }

  #next(by) {
    const codes = this.#codes();
    this.#choose(codes.at((codes.indexOf(this.#brush) + by) % codes.length));
  }

  // ---- in and out

  /** What is copied: the game up to here, or the draft. */
  #subject() {
    const { line, game } = this.shell;
    const { game: name, rules } = line;
    if (this.#isChanged()) return { game: name, rules, position: this.#draft, moves: [] };
    const position = game.position === null ? {} : { position: game.position };
    return { game: name, rules, ...position, moves: game.moves(game.current) };
  }

  #link() {
    const { moves, ...rest } = this.#subject();
    const address = new URLSearchParams(rest);
    if (moves.length > 0) address.set("moves", moves.join(" "));
    return `${location.origin}${location.pathname}#${address}`;
  }

  async #copy(what, text) {
    const { copied } = this.#parts;
    copied.hidden = true;
    if (text === "") return this.shell.toast("There are no moves to copy.");
    if (await copy(text)) return this.shell.toast(`${what} is copied.`);
    copied.hidden = false;
    copied.value = text;
    copied.focus();
    copied.select();
    return this.shell.toast("The browser does not let this page copy: copy the text that is marked.");
  }

  #fileName(type) {
    const { game, rules } = this.shell.line;
    return `${game}-${rules}-${this.shell.game.current.ply}.${type}`;
  }

  #saveSvg() {
    save(this.#fileName("svg"), new Blob([this.shell.board.toSvg()], { type: "image/svg+xml" }));
  }

  async #savePng() {
    save(this.#fileName("png"), await png(this.shell.board.toSvg(), 2));
  }

  async #paste() {
    const { paste, pasteSays } = this.#parts;
    const text = paste.value.trim();
    if (text === "") return;
    try {
      const lines = text.startsWith("{") ? text : await this.#converted(text);
      const { line, game, extra } = this.shell;
      const former = { line, saved: game.save(), extra };
      const isOpen = await this.shell.modeOf("watch").take(new File([lines], "pasted lines"));
      if (!isOpen || !this.#parts) return;
      this.#former = former;
      this.#show();
      paste.value = "";
      say(paste, pasteSays, null, "");
    } catch (error) {
      if (this.#parts) say(paste, pasteSays, error.message, "");
    }
  }

  /** Makes lines of games in the formats of other programs. */
  async #converted(text) {
    const { game, rules } = this.shell.line;
    const { records, errors } = await this.shell.engine.ask({ action: "convert", text, ...(game === "gomoku" ? { rules } : {}) });
    if (records.length === 0) throw new Error(errors[0]);
    if (errors.length > 0) this.shell.toast(`${counted(errors.length, "game")} left out: ${errors[0]}`);
    return records.map((it) => JSON.stringify(it)).join("\n");
  }

  #button(text, act, kind) {
    const button = element("button", { type: "button", class: kind }, text);
    button.addEventListener("click", async () => {
      try {
        await act();
      } catch (error) {
        this.shell.toast(error.message);
        if (!(error instanceof EngineError)) throw error;
      }
    });
    return button;
  }
}

/** Says what is wrong with an input, or something else about it. */
function say(input, place, error, words) {
  if (error === null) input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
  const text = inWords(error ?? words);
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("wrong", error !== null);
}
