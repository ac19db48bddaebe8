// Steps through every game of a report with each of the controls, checks that they agree, and writes what it saw
// into the page.
{
  const byId = (id) => document.getElementById(id);
  const check = (holds, what) => {
    if (!holds) throw new Error(what);
  };
  const seen = [];
  const report = (text) => {
    const result = document.createElement("pre");
    result.id = "seen";
    // So that it gets no HTML escapes when the page is written out.
    result.textContent = text.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
    document.body.append(result);
  };
  /** The pieces in a list of drawings, each with its place. */
  const drawn = (drawings) =>
    drawings
      .flatMap((svg) => [...svg.querySelectorAll("[data-code]")])
      .map((piece) => {
        check(piece.querySelector("path, circle, ellipse"), `${piece.dataset.code} has no drawing`);
        return `${piece.dataset.place}=${piece.dataset.code}`;
      })
      .sort()
      .join(" ");
  const drawings = (filter) => [...byId("board").querySelectorAll("svg")].filter(filter);
  const pieces = () => drawn(drawings((svg) => !svg.closest(".cube, #moves")));
  const current = () => Number(byId("moves").querySelector("[aria-current]").dataset.ply);
  const press = (key) => byId("slider").parentElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const pick = (id, value) => {
    byId(id).value = value;
    byId(id).dispatchEvent(new Event("change"));
  };
  try {
    check(!byId("stage").hidden, "the viewer is hidden");
    for (const section of [...byId("pick-section").options].map((option) => option.value)) {
      pick("pick-section", section);
      for (const number of [...byId("pick-game").options].map((option) => option.value)) {
        pick("pick-game", number);
        byId("to-start").click();
        check(current() === 0, "to the start");
        const last = Number(byId("slider").max);
        const plies = [pieces()];
        for (let ply = 1; ply <= last; ply += 1) {
          byId("forward").click();
          check(current() === ply && byId("slider").value === String(ply), `forward to ${ply}`);
          plies.push(pieces());
        }
        byId("forward").click();
        check(current() === last, "no further than the end");
        const status = byId("status").textContent;
        byId("back").click();
        check(current() === last - 1 && pieces() === plies[last - 1], "back");
        press("ArrowRight");
        check(current() === last, "the key →");
        press("ArrowLeft");
        press("Home");
        check(current() === 0 && pieces() === plies[0], "the key Home");
        press("ArrowLeft");
        check(current() === 0, "no further back than the start");
        byId("to-end").click();
        check(current() === last, "to the end");
        byId("slider").value = 1;
        byId("slider").dispatchEvent(new Event("input"));
        check(current() === 1 && pieces() === plies[1], "the slider");
        const buttons = [...byId("moves").querySelectorAll("button")];
        buttons[last].click();
        check(current() === last && pieces() === plies[last], "the list of moves");
        const cube = [...byId("board").querySelectorAll(".cube [data-level]")];
        check(cube.length === 0 || drawn(cube) === plies[last], "the cube");
        const lines = byId("board").querySelectorAll(".won, .won-line").length;
        // The link to a position leads there.
        buttons[1].click();
        const link = byId("link").getAttribute("href");
        buttons[last].click();
        history.replaceState(null, "", link);
        window.dispatchEvent(new Event("hashchange"));
        check(current() === 1 && byId("pick-game").value === number, `the link ${link}`);
        const moves = buttons.map((button) => button.dataset.token ?? button.textContent);
        const bits = buttons.filter((button) => /[01]{4}/.test(button.textContent.replace(/^\d+ /, "")));
        check(bits.length === 0, "bits instead of a piece");
        const thoughts = [...document.querySelectorAll("#graph circle")].length;
        check(byId("graph").hidden === (thoughts === 0), "a graph of nothing");
        if (thoughts > 0) {
          const box = document.querySelector("#graph svg").getBoundingClientRect();
          document.querySelector("#graph svg").dispatchEvent(new MouseEvent("click", { clientX: box.right }));
          check(current() === last, "the end of the graph");
        }
        seen.push({ number: Number(number), plies, moves, status, lines: lines > 0, thoughts });
      }
    }
    report(JSON.stringify(seen));
  } catch (error) {
    report(JSON.stringify(String(error.stack)));
  }
}
