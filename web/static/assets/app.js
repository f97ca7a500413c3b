// Florin works without this file. It adds: parts of a page that change by themselves, a list that filters while typing, a form
// that explains what is typed and is sent once, passkeys, times that go on counting, menus that close when one clicks elsewhere, and a page for when there is no network.
"use strict";
(() => {
  // Live parts. The page names a stream of server-sent events in data-live. An event "fragment" carries the HTML of
  // elements with an id, each of which takes the place of the element with that id, and is as open as that one. "reload" loads the page again, "end"
  // closes the stream for good. When the stream keeps failing, the page stays as it is; one that still shows work in
  // progress (aria-busy) is loaded again after a while, as it would be without this script. A page that its reader is
  // just leaving is not loaded again: that would take the place of the page that was asked for.
  const worker = "/service-worker.js?lang=" + document.documentElement.lang;
  const rules = {
    createHTML: (html) => html,
    createScriptURL: (url) => {
      if (url !== worker) throw new TypeError("no script of Florin: " + url);
      return url;
    },
  };
  const policy = window.trustedTypes ? trustedTypes.createPolicy("florin", rules) : rules;

  // The worker shows a kept page where Florin cannot be reached, in the language of this one, and keeps nothing else. Browsers that know none, or whose settings want
  // none, go without, as they do over plain http.
  if (isSecureContext && navigator.serviceWorker) {
    window.addEventListener("load", () => { navigator.serviceWorker.register(policy.createScriptURL(worker), { updateViaCache: "none" }).catch(() => {}); });
  }

  const swap = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = policy.createHTML(html);
    for (const fresh of [...holder.content.children]) {
      const old = fresh.id && document.getElementById(fresh.id);
      if (!old) continue;
      if (old.open) fresh.open = true;
      for (const part of old.querySelectorAll("details[id][open]")) fresh.querySelector("#" + part.id)?.setAttribute("open", "");
      if (old.isEqualNode(fresh)) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
      old.replaceWith(fresh);
      if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    }
  };

  const patience = 5; // failures in a row before the stream is given up
  const address = document.querySelector("[data-live]")?.dataset.live;
  const leave = 10000; // milliseconds that the next page may take to come
  let source = null;
  let left = -leave;

  const reload = () => {
    const wait = left + leave - performance.now();
    if (wait > 0) setTimeout(reload, wait);
    else location.reload();
  };

  const listen = () => {
    let failures = 0;
    source = new EventSource(address);
    source.addEventListener("open", () => { failures = 0; });
    source.addEventListener("fragment", (event) => { failures = 0; swap(event.data); });
    source.addEventListener("reload", () => { stop(); reload(); });
    source.addEventListener("end", stop);
    source.addEventListener("error", () => {
      failures += 1;
      if (source.readyState !== EventSource.CLOSED && failures < patience) return;
      stop();
      if (document.querySelector("[aria-busy=true]")) setTimeout(reload, 10000);
    });
  };
  const stop = () => { source?.close(); source = null; };

  if (address && window.EventSource) {
    listen();
    window.addEventListener("beforeunload", () => { left = performance.now(); });
    window.addEventListener("pagehide", stop);
    window.addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      left = -leave;
      listen();
    });
  }

  // Passkeys (WebAuthn). A button with data-passkey, "get" or "create", asks the browser for one before its form is sent: what is asked for comes from the address in
  // data-options, and what the browser says goes along in the field before the button. The button is shown where the browser has passkeys. With data-offer the browser offers
  // them by itself, in the field that has "webauthn" in its autocomplete, under a new question before the one before runs out.
  const anew = 4 * 60000; // milliseconds; the server forgets a question after five minutes
  const askers = window.PublicKeyCredential ? [...document.querySelectorAll("button[data-passkey]")] : [];
  const fromBase64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const toBase64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  let question = null; // an AbortController while the browser is asked

  const passkey = async (button, mediation) => {
    question?.abort();
    const mine = (question = new AbortController());
    try {
      const answer = await fetch(button.dataset.options, { method: "POST", redirect: "error", signal: mine.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      const asked = await answer.json();
      asked.challenge = fromBase64(asked.challenge);
      if (asked.user) asked.user.id = fromBase64(asked.user.id);
      for (const one of [...asked.excludeCredentials ?? [], ...asked.allowCredentials ?? []]) one.id = fromBase64(one.id);
      const said = await navigator.credentials[button.dataset.passkey]({ publicKey: asked, mediation, signal: mine.signal });
      const response = { transports: said.response.getTransports?.() };
      for (const part of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
        if (said.response[part]) response[part] = toBase64(said.response[part]);
      }
      return JSON.stringify({ id: said.id, rawId: toBase64(said.rawId), type: said.type, response, clientExtensionResults: {} });
    } finally {
      if (question === mine) question = null;
    }
  };
  const sendPasskey = (button, said) => {
    button.previousElementSibling.value = said;
    button.form.requestSubmit(button);
  };
  const offerPasskeys = async (button) => {
    if (!("offer" in button.dataset) || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    while (question === null) {
      const old = setTimeout(() => question?.abort(), anew);
      try {
        sendPasskey(button, await passkey(button, "conditional"));
        return;
      } catch (problem) {
        if (problem.name !== "AbortError") return; // the browser does not offer them, or the server does not answer
      } finally {
        clearTimeout(old);
      }
      if (document.hidden) await new Promise((shown) => { document.addEventListener("visibilitychange", shown, { once: true }); });
    }
  };
  for (const button of askers) {
    const says = button.nextElementSibling;
    button.hidden = false;
    button.previousElementSibling.value = ""; // which some browsers bring back with a page that is loaded again
    button.form.addEventListener("submit", async (event) => {
      if (event.submitter !== button || button.previousElementSibling.value) return;
      event.preventDefault();
      if (button.ariaBusy === "true") return;
      button.ariaBusy = "true";
      says.hidden = true;
      try {
        sendPasskey(button, await passkey(button));
      } catch (problem) {
        says.textContent = problem.name === "NotAllowedError" || problem.name === "AbortError" ? says.dataset.cancelled
          : problem.name === "InvalidStateError" ? says.dataset.known : says.dataset.failed;
        says.hidden = false;
        offerPasskeys(button);
      } finally {
        button.ariaBusy = null;
      }
    });
    offerPasskeys(button);
  }
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const button of askers) button.previousElementSibling.value = "";
  });

  // A form is sent once. Its buttons are disabled until the next page arrives or fails, or the reader comes back. They are disabled after the form was read,
  // because the pressed button is part of what is sent.
  const sent = new Map();
  const free = (form, buttons) => {
    if (sent.get(form) !== buttons) return;
    for (const button of buttons) button.disabled = false;
    sent.delete(form);
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (sent.has(form)) { event.preventDefault(); return; }
    sent.set(form, []);
    setTimeout(() => {
      const buttons = [...form.elements].filter((part) => part.type === "submit" && !part.disabled);
      for (const button of buttons) button.disabled = true;
      sent.set(form, buttons);
      setTimeout(free, leave, form, buttons);
    });
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const [form, buttons] of [...sent]) free(form, buttons);
  });

  // Hiding amounts applies to all tabs: the tab in which it was chosen tells the others, which reload unless something was typed into them.
  const amounts = document.body.dataset.amounts;
  const tabs = amounts && window.BroadcastChannel && new BroadcastChannel("florin-amounts");
  if (tabs) {
    const typed = () => [...document.querySelectorAll("input:not([type=hidden], [type=checkbox], [type=radio]), textarea")].some((field) => field.value !== field.defaultValue);
    tabs.addEventListener("message", (event) => { if (event.data !== amounts && !typed()) reload(); });
    if (sessionStorage.getItem("amounts") === (amounts === "hidden" ? "shown" : "hidden")) tabs.postMessage(amounts);
    sessionStorage.setItem("amounts", amounts);
  }

  // A button copies its data-copy, if the browser allows it.
  if (navigator.clipboard) for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy).then(
      () => { button.firstChild.textContent = button.dataset.done; },
      () => getSelection().selectAllChildren(button.previousElementSibling), // refused: the person copies what is selected
    ));
  }

  // A box with data-all chooses all other boxes of its form.
  for (const all of document.querySelectorAll("input[data-all]")) {
    const boxes = [...all.form.querySelectorAll("input[type=checkbox]")].filter((box) => box !== all);
    all.closest("label").hidden = false;
    all.form.addEventListener("change", (event) => {
      if (event.target === all) for (const box of boxes) box.checked = all.checked;
      const chosen = boxes.filter((box) => box.checked).length;
      all.checked = chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
    });
  }

  const plural = new Intl.PluralRules(document.documentElement.lang);
  const number = new Intl.NumberFormat(document.documentElement.lang);

  // Filter while typing: data-filter on the input names the list, with its parts; a folded one opens when nothing else fits. The server filters the same way when it is sent.
  for (const input of document.querySelectorAll("input[data-filter]")) {
    const list = document.getElementById(input.dataset.filter);
    if (!list) continue;
    const rows = [...list.querySelectorAll("li")].map((row) => [row, fold(row.textContent)]);
    const parts = [...list.children].map((part) => [part, part.querySelectorAll("li")]);
    const empty = document.getElementById(input.dataset.filter + "-none");
    const count = document.getElementById(input.dataset.filter + "-count");
    input.addEventListener("input", () => {
      const words = fold(input.value).split(" ").filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown += 1;
      }
      for (const [part, items] of parts) {
        const fitting = [...items].filter((row) => !row.hidden).length;
        part.hidden = !fitting;
        if (part.localName === "details") part.open = fitting > 0 && fitting === shown;
      }
      if (empty) empty.hidden = shown > 0;
      if (count) count.textContent = count.dataset[plural.select(shown)].replace("%d", number.format(shown));
    });
  }
  function fold(text) {
    return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
  }

  // A form explains what is typed: it sends all fields to its data-ask for each part whose data-asks names the changed field. The
  // answer replaces the part. A choice with data-press presses the button of that id when an option is chosen with a pointer. With the keyboard each
  // arrow key chooses an option on the way, so there the person presses the button.
  for (const form of document.querySelectorAll("form[data-ask]")) {
    const parts = [...form.querySelectorAll("[data-asks]")].map((part) => [part.id, part.dataset.asks.split(" ")]);
    const timers = {};
    const asked = {};
    const ask = async (id) => {
      const fields = new URLSearchParams(new FormData(form));
      fields.set("part", id);
      const turn = (asked[id] = (asked[id] ?? 0) + 1);
      try {
        const answer = await fetch(form.dataset.ask, { method: "POST", body: fields, redirect: "error" });
        if (answer.ok && asked[id] === turn) swap(await answer.text());
      } catch { /* the form explains it when it is sent */ }
    };
    form.addEventListener("input", (event) => {
      for (const [id, names] of parts) {
        if (!names.includes(event.target.name)) continue;
        clearTimeout(timers[id]);
        timers[id] = setTimeout(ask, 250, id);
      }
    });
    form.addEventListener("submit", () => { for (const id in timers) clearTimeout(timers[id]); });
    for (const choice of form.querySelectorAll("[data-press]")) {
      let pointed = false;
      choice.addEventListener("pointerdown", () => { pointed = true; });
      choice.addEventListener("keydown", () => { pointed = false; });
      choice.addEventListener("change", () => { if (pointed) document.getElementById(choice.dataset.press)?.click(); });
    }
  }

  // Times of less than a day ago keep counting, in the language of the page: "now", "12 seconds ago", "3 minutes ago".
  const lang = document.documentElement.lang;
  const relative = { always: new Intl.RelativeTimeFormat(lang), auto: new Intl.RelativeTimeFormat(lang, { numeric: "auto" }) };
  const ago = { format: (n, unit) => (n === 0 ? relative.auto : relative.always).format(n, unit) };
  setInterval(() => {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      const seconds = Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (seconds < 0 || seconds >= 86400) continue;
      const text = seconds < 1 ? ago.format(0, "second") : seconds < 60 ? ago.format(-seconds, "second")
        : seconds < 3600 ? ago.format(-Math.floor(seconds / 60), "minute") : ago.format(-Math.floor(seconds / 3600), "hour");
      if (time.textContent !== text) time.textContent = text;
    }
  }, 1000);

  // Menus close on a click elsewhere, on Escape, and when the keyboard moves on.
  const menus = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("focusin", (event) => {
    for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of menus()) { menu.open = false; menu.querySelector("summary").focus(); }
  });
})();
