// Searches the first positions of Gomoku, and listens to what the page sends.
const sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (line) {
  sent.push(JSON.parse(line));
  return send.call(this, line);
};
await mode("analyze");
const searches = () => sent.filter(({ time_ms }) => time_ms);
const ended = () => sent.filter(({ action }) => action === "terminate").map(({ terminate_id }) => terminate_id);
await until(() => searches().length >= 2, "the search goes on");
same(searches().slice(0, 2).map(({ time_ms, keep }) => [time_ms, keep]), [[500, "position"], [1000, "position"]], "the first queries");
await until(() => all(".candidates .pv:not([hidden])").length >= 3, "lines");
check(find("#board .candidate.best"), "the best move is on the board");
const visits = () => Number(/([\d\u202f]+) visits/.exec(text(".facts"))?.[1].replace(/\u202f/g, ""));
const before = await until(visits, "visits");
await until(() => visits() > before || text(".facts").includes(" k visits"), "more visits");

const last = searches().at(-1).id;
press("f");
await at("1 / 1");
check(ended().includes(last), "a new position ends the query at once");
await until(() => searches().at(-1).moves.length === 1, "the new position is searched");
press("ArrowLeft");
await at("0 / 1");
check(text(".facts").includes("visits"), "what is known is shown at once");
await until(() => searches().at(-1).moves.length === 0, "it is searched again");
check(searches().at(-1).time_ms > 500, "the search starts where it had been");
press("Escape");
await pause(300);
const count = sent.length;
check(ended().includes(searches().at(-1).id), "Escape ends the query");
await pause(700);
same(sent.length, count, "nothing more is searched");
