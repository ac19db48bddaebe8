// The page behind a reverse proxy, under a path and by another name.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";

import { fixture } from "./harness.js";
import { hash, movesShown, next } from "./user.js";

const PATH = "/proxy/7777/";

/** A proxy that has a server under a path. It leaves the host as it is, or has its own there, as nginx does. */
class Proxy {
  #server = http.createServer((request, response) => {
    if (!request.url.startsWith(PATH)) return response.writeHead(404).end();
    const sent = http.request(this.#options(request), (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    return request.pipe(sent);
  });
  #keepsHost;
  to = null;

  constructor({ keepsHost }) {
    this.#keepsHost = keepsHost;
    this.#server.on("upgrade", (request, socket) => {
      const sent = http.request(this.#options(request)).end();
      sent.on("upgrade", ({ headers }, other) => {
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
        socket.pipe(other).pipe(socket);
        for (const it of [socket, other]) it.on("error", () => {});
      });
      sent.on("response", () => socket.destroy());
    });
  }

  #options({ url, method, headers }) {
    const { hostname, port, host } = this.to;
    return { hostname, port, path: `/${url.slice(PATH.length)}`, method, headers: { ...headers, ...(this.#keepsHost ? {} : { host }) } };
  }

  async listen() {
    await new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
    return this.#server.address().port;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const proxies = [new Proxy({ keepsHost: true }), new Proxy({ keepsHost: false })];
const ports = await Promise.all(proxies.map((it) => it.listen()));

for (const [index, says] of ["leaves the host as it is", "has its own host"].entries()) {
  describe(`a proxy that ${says}`, () => {
    const [proxy, name] = [proxies[index], `hub.localhost:${ports[index]}`];
    const shared = fixture(["--allow-host", index === 0 ? "hub.localhost" : name]);
    before(() => {
      proxy.to = new URL(shared.server.address);
      shared.server.address = `http://${name}${PATH}${proxy.to.search}`;
    });
    after(() => proxy.close());

    test("the page is under its path", () =>
      shared.open(hash("krk", "spec"), async (page, context) => {
        await next(page);
        // The token is a cookie of this path now.
        assert.ok(page.url().startsWith(`http://${name}${PATH}#`), page.url());
        const [cookie, ...others] = await context.cookies();
        assert.deepEqual([cookie.path, others], [PATH.slice(0, -1), []]);
        await page.locator("#token").fill("Kc1-b2");
        await page.locator("#token").press("Enter");
        await page.waitForFunction(() => document.querySelector("#where").textContent !== "0 / 0");
        assert.equal((await movesShown(page))[0], "Kc1-b2");
        await page.reload();
        await next(page);
        assert.equal(await page.locator("#connection").textContent(), "");
      }));
  });
}
