// What is kept in this browser; without permission, and in a page that is a file, until the page is closed.
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
    try {
      return JSON.parse(this.#storage.getItem(`quintet.${key}`)) ?? otherwise;
    } catch {
      return this.#unkept.get(key) ?? otherwise;
    }
  }

  set(key, value) {
    try {
      this.#storage.setItem(`quintet.${key}`, JSON.stringify(value));
    } catch {
      this.#unkept.set(key, value);
    }
  }
}
