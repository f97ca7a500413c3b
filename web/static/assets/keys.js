// Keyboard shortcuts, unless the person has turned them off. data-keys of the page holds the table: keys, and a path or an action. A key that a button names in its
// aria-keyshortcuts presses that button. Nothing happens while somebody types, with Ctrl, Alt or the Windows or command key, or after another script took the key.
"use strict";
(() => {
  const table = new URLSearchParams(document.body.dataset.keys);
  const patience = 1500; // milliseconds in which the second of two keys counts
  let before = "";
  let forget = 0;

  const rows = () => [...document.querySelectorAll("main .rows > li")].map((row) => row.querySelector("a[href], summary, button, input:not([type=hidden])")).filter((part) => part?.checkVisibility());
  const move = (by) => {
    const all = rows();
    const row = document.activeElement?.closest("main .rows > li");
    const at = row ? all.findIndex((part) => row.contains(part)) : by > 0 ? -1 : all.length;
    all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
  };
  const follow = (link) => { if (link) link.click(); };
  const does = {
    search: (path) => {
      const field = document.querySelector("main input[type=search]");
      if (!field) { location.assign(path); return; }
      field.focus();
      field.select();
    },
    next: () => move(1),
    back: () => move(-1),
    older: () => follow(document.querySelector("main a[rel=next]")),
    newer: () => follow(document.querySelector("main a[rel=prev]")),
  };
  const run = (what) => {
    if (what.startsWith("/")) { location.assign(what); return; }
    const [name, path] = what.split(" ");
    does[name](path);
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) return;
    clearTimeout(forget);
    const button = before ? null : [...document.querySelectorAll("button[aria-keyshortcuts]")].find((one) => one.getAttribute("aria-keyshortcuts") === event.key);
    const keys = before + event.key;
    before = "";
    if (button) {
      event.preventDefault();
      button.click();
    } else if (table.has(keys)) {
      event.preventDefault();
      run(table.get(keys));
    } else if ([...table.keys()].some((known) => known.startsWith(event.key + " "))) {
      before = event.key + " ";
      forget = setTimeout(() => { before = ""; }, patience);
    }
  });

  // On a page without a search field, the key for searching opens one with it.
  if (location.hash === "#q") document.querySelector("main input[type=search]#q")?.focus();
})();
