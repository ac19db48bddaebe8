// A position of Quarto in which most pieces must not be handed over.
await mode("analyze");
await until(() => text(".facts").startsWith("Proven: a draw"), "it is proven");
await until(() => all("#board .unsafe").length === 5, "unsafe pieces");
same(all("#board .badge.draw").length, 2, "those that draw");
check(all(".candidates .why").some((it) => it.textContent.includes("hands over a winning piece")), "why");
find(".candidate-box > button").click();
same(all(".candidates > li").length, 7, "all moves");
