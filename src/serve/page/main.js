// Starts the page.

import { Analyze } from "/assets/analyze.js";
import { Play } from "/assets/play.js";
import { Positions } from "/assets/positions.js";
import { Shell } from "/assets/shell.js";
import { Engine } from "/assets/socket.js";
import { Watch } from "/assets/watch.js";

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const shell = new Shell(new Engine(`${scheme}//${location.host}/analyze`), [Play, Analyze, Positions, Watch]);
await shell.start();
