// What is kept in this browser; without permission or room, and in a page that is a file, until the page is closed.
//
//   const settings = new Settings(isKept)     isKept: false in a page that is a file
//   settings.get(key, otherwise), settings.set(key, value)     values are JSON

export class Settings {
  #unkept = new Map();
  #isKept;

  constructor(isKept) {
    this.#isKept = isKept;
  }

  get #storage() {
    if (!this.#isKept) throw new Error("nothing is kept");
    return localStorage;
  }

  get(key, otherwise = null) {
    if (this.#unkept.has(key)) return this.#unkept.get(key) ?? otherwise;
    try {
      return JSON.parse(this.#storage.getItem(`quintet.${key}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  }

  set(key, value) {
    try {
      this.#storage.setItem(`quintet.${key}`, JSON.stringify(value));
      this.#unkept.delete(key);
    } catch {
      this.#unkept.set(key, value);
    }
  }
}
