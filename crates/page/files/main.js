// Starts the page.

import { Analyze } from "./analyze.js";
import { Play } from "./play.js";
import { Positions } from "./positions.js";
import { Puzzles } from "./puzzles.js";
import { Shell } from "./shell.js";
import { Engine } from "./socket.js";
import { Watch } from "./watch.js";

// Beside the page, wherever a proxy has it.
const socket = new URL("analyze", location.href.replace(/^http/, "ws"));
const shell = new Shell(new Engine(socket), [Play, Analyze, Puzzles, Positions, Watch]);
await shell.start();
