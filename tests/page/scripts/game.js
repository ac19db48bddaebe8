// Analyzes a game of king and rook against king, all of which is in the engine's table.
await mode("analyze");
await at("9 / 9");
document.body.focus();
press("g");
await until(() => text(".start") === "Analyzed", "the game is analyzed");
same(all(".mistake").length, 1, "mistakes");
check(text(".mistake p").startsWith("A proven win became a proven loss. Better: Rd4-a4 wins."), text(".mistake p"));
same(all(".sums tbody tr").map((row) => [...row.children].map((it) => it.textContent)), [["White", "5", "20.0", "1"], ["Black", "4", "0.0", "0"]], "the sums");
same(all("#moves .comment").length, 9, "values in the list of moves");
same(all("#moves .comment.lost").length, 1, "mistakes in the list of moves");
same(all(".graph-mistake").length, 1, "mistakes in the graph");

press(",");
await at("6 / 9");
await until(() => text("#note").includes("The next move is a mistake. White: Kc2-c1."), "the note");
same(text(".candidates .score"), "wins in 1 ply", "the best move");
same(text(".candidates .why"), "checkmate", "why");
check(find("#board .candidate.best"), "the best move is on the board");
same(all("#board .unsafe").length, 1, "the mistake is on the board");

// A line is shown, and played as a variation.
press("c");
await until(() => find("#board .number-mark"), "the line is on the board");
check(text("#note").startsWith("A line, not played: Rd4-a4"), text("#note"));
check(!find("#board .candidate"), "candidates make room for the line");
document.activeElement.click();
await at("7 / 7");
await until(() => text("#status") === "The game is over: White won.", "the end of the variation");
check(find("#moves .variation"), "the variation is in the list");
document.activeElement.blur();
press("Delete");
await at("6 / 9");
check(!find("#moves .variation"), "it is gone");

// The graph.
press("s");
press("Home");
await at("0 / 9");
await until(() => find(".graph").getAttribute("aria-valuetext") === "Ply 0, start: White wins in 3 plies, proven", "the start in words");
press("ArrowRight");
await at("1 / 9");
document.activeElement.blur();

press(".");
await at("6 / 9");
press(".");
await until(() => text("#toast").includes("no mistake after this"), "there is no other mistake");
press("Escape");
same(find(".switch").getAttribute("aria-checked"), "false", "the search is off");
press("a");
same(find(".switch").getAttribute("aria-checked"), "true", "the search is on");

// Values are shown in this mode alone.
await mode("play");
same(all("#moves .comment").length, 0, "values in another mode");
await mode("analyze");
same(all("#moves .comment").length, 9, "values again");
press("End");
await at("9 / 9");
