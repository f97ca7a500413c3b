// <florin-aspsp-list>: lets a person choose a bank. Its page is /widget of the service.
(() => {
  "use strict";

  const SERVICE = "https://service.example";
  const LIMIT = 200; // options that are shown at once
  const STEP = 8; // options that a page key moves by

  const WORDS = {
    en: {
      search: "Bank", hint: "Name or BIC", country: "Country", all: "All countries", kind: "Account", personal: "Personal", business: "Business",
      list: "Banks", loading: "The banks are being loaded …", failed: "The banks could not be loaded.", again: "Try again",
      none: "No bank matches this search.", beta: "Beta", chosen: "Chosen: {name}",
      count: { one: "{n} bank", other: "{n} banks" }, more: "The first {n} of {all} banks. Type more to narrow them down.",
    },
    de: {
      search: "Bank", hint: "Name oder BIC", country: "Land", all: "Alle Länder", kind: "Konto", personal: "Privat", business: "Geschäftlich",
      list: "Banken", loading: "Die Banken werden geladen …", failed: "Die Banken konnten nicht geladen werden.", again: "Erneut versuchen",
      none: "Keine Bank passt zu dieser Suche.", beta: "Beta", chosen: "Gewählt: {name}",
      count: { one: "{n} Bank", other: "{n} Banken" }, more: "Die ersten {n} von {all} Banken. Mehr Buchstaben grenzen sie ein.",
    },
    fr: {
      search: "Banque", hint: "Nom ou BIC", country: "Pays", all: "Tous les pays", kind: "Compte", personal: "Particulier", business: "Professionnel",
      list: "Banques", loading: "Chargement des banques…", failed: "Les banques n’ont pas pu être chargées.", again: "Réessayer",
      none: "Aucune banque ne correspond à cette recherche.", beta: "Bêta", chosen: "Choix : {name}",
      count: { one: "{n} banque", other: "{n} banques" }, more: "Les {n} premières banques sur {all}. Précisez la recherche.",
    },
    fi: {
      search: "Pankki", hint: "Nimi tai BIC", country: "Maa", all: "Kaikki maat", kind: "Tili", personal: "Henkilökohtainen", business: "Yritys",
      list: "Pankit", loading: "Pankkeja ladataan …", failed: "Pankkeja ei voitu ladata.", again: "Yritä uudelleen",
      none: "Mikään pankki ei vastaa hakua.", beta: "Beta", chosen: "Valittu: {name}",
      count: { one: "{n} pankki", other: "{n} pankkia" }, more: "Ensimmäiset {n} pankkia {all} pankista. Tarkenna hakua.",
    },
  };

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { --florin-ink: light-dark(#1a2033, #eef0f6); --florin-soft: light-dark(#535b72, #b0b6c6); --florin-ground: light-dark(#fff, #1c2130);
      --florin-edge: light-dark(#7d859b, #7f879c); --florin-line: light-dark(#dfe2eb, #353b4d); --florin-mark: light-dark(#e9ecfb, #2b3254); --florin-accent: light-dark(#38409a, #aab4f5);
      display: block; max-width: 32rem; color: var(--florin-ink); line-height: 1.45; }
    :host([hidden]) { display: none; }
    * { box-sizing: border-box; }
    .fields { display: flex; flex-wrap: wrap; gap: 0.75rem; }
    .field { flex: 1 1 9rem; display: flex; flex-direction: column; gap: 0.25rem; min-width: 0; }
    .field[hidden], .again[hidden] { display: none; }
    .wide { flex-basis: 100%; }
    label { font-weight: 600; }
    input, select, button { min-height: 2.75rem; padding: 0.375rem 0.75rem; border: 1px solid var(--florin-edge); border-radius: 8px; background: var(--florin-ground); color: inherit; font: inherit; }
    input, select { width: 100%; }
    button { font-weight: 600; cursor: pointer; }
    input::placeholder { color: var(--florin-soft); opacity: 1; }
    :focus-visible { outline: 3px solid var(--florin-accent); outline-offset: 1px; }
    .status { margin: 0.75rem 0 0.375rem; color: var(--florin-soft); font-size: 0.875rem; min-height: 1.3em; }
    ul { list-style: none; margin: 0; padding: 0; max-height: 22rem; overflow-y: auto; border: 1px solid var(--florin-line); border-radius: 8px; background: var(--florin-ground); }
    ul:empty { display: none; }
    li { display: grid; grid-template-columns: 2.25rem minmax(0, 1fr) auto; gap: 0.75rem; align-items: center; min-height: 3.25rem; padding: 0.375rem 0.75rem; cursor: pointer; border-left: 4px solid transparent; overflow-wrap: anywhere; }
    li + li { border-top: 1px solid var(--florin-line); }
    li:hover, li.active { background: var(--florin-mark); }
    li.active { border-left-color: var(--florin-accent); }
    li[aria-selected=true] .name { font-weight: 700; }
    li[aria-selected=true]::after { content: "✓"; color: var(--florin-accent); font-weight: 700; }
    img { width: 2.25rem; height: 2.25rem; border-radius: 8px; }
    .name, .about { display: block; }
    .about { color: var(--florin-soft); font-size: 0.875rem; }
    @media (forced-colors: active) { li.active { outline: 2px solid Highlight; outline-offset: -2px; } }
  `);

  const element = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  class List extends HTMLElement {
    static observedAttributes = ["application", "country", "psu-type", "service", "payment-type", "sandbox", "no-beta", "locale", "language"];

    #banks = [];
    #shown = [];
    #active = -1;
    #value = null;
    #state = "loading";
    #request = null;
    #planned = false;
    #countryName;
    #parts;

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [sheet];
      const p = (this.#parts = {
        search: element("input", {
          id: "search", type: "text", part: "search", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "100",
          "aria-autocomplete": "list", "aria-controls": "list", "aria-expanded": "true", "aria-describedby": "status",
        }),
        country: element("select", { id: "country" }),
        kind: element("select", { id: "kind" }),
        status: element("p", { id: "status", class: "status", part: "status", role: "status" }),
        list: element("ul", { id: "list", role: "listbox", part: "list" }),
        again: element("button", { class: "again", type: "button" }),
        labels: { search: element("label", { for: "search" }), country: element("label", { for: "country" }), kind: element("label", { for: "kind" }) },
      });
      p.countryField = element("div", { class: "field" }, p.labels.country, p.country);
      p.kindField = element("div", { class: "field" }, p.labels.kind, p.kind);
      p.all = element("div", {},
        element("div", { class: "fields" }, p.countryField, p.kindField, element("div", { class: "field wide" }, p.labels.search, p.search)),
        p.status, p.again, p.list);
      root.append(p.all);
      p.search.addEventListener("input", () => this.#render());
      p.search.addEventListener("keydown", (event) => this.#key(event));
      p.country.addEventListener("change", () => this.#render());
      p.kind.addEventListener("change", () => this.#render());
      p.again.addEventListener("click", () => { this.#load(); p.search.focus(); });
      p.list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
      p.list.addEventListener("click", (event) => {
        const option = event.target.closest("li");
        if (option) this.#choose([...p.list.children].indexOf(option));
      });
    }

    connectedCallback() { this.#plan(); }

    disconnectedCallback() { this.#request?.abort(); }

    attributeChangedCallback(_, before, after) {
      if (before !== after && this.isConnected) this.#plan();
    }

    /** The bank that was chosen, as in the event, or null. */
    get value() { return this.#value; }

    /** Puts the focus into the field of the search. */
    focus(options) { this.#parts.search.focus(options); }

    /** Loads the banks again. */
    reload() { this.#load(); }

    // Several attributes that change at once make one request.
    #plan() {
      if (this.#planned) return;
      this.#planned = true;
      queueMicrotask(() => {
        this.#planned = false;
        if (this.isConnected) this.#load();
      });
    }

    get #language() {
      const wanted = this.locale || this.language || this.closest("[lang]")?.lang || navigator.language || "en";
      const code = wanted.slice(0, 2).toLowerCase();
      return code in WORDS ? code : "en";
    }

    get #words() { return WORDS[this.#language]; }

    async #load() {
      this.#request?.abort();
      const request = (this.#request = new AbortController());
      this.#state = "loading";
      this.#banks = [];
      this.#value = null;
      this.#label();
      this.#render();
      const address = new URL("/widget/aspsps", SERVICE);
      for (const [name, value] of Object.entries({ application: this.application, country: this.country, psu_type: this.psuType, service: this.service, payment_type: this.paymentType, sandbox: this.sandbox, no_beta: this.noBeta })) {
        if (value) address.searchParams.set(name, value);
      }
      try {
        const answer = await fetch(address, { mode: "cors", credentials: "omit", signal: request.signal });
        if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
        this.#banks = (await answer.json()).aspsps.sort((a, b) => a.name.localeCompare(b.name, this.#language));
        this.#state = "ready";
      } catch (error) {
        if (request.signal.aborted) return;
        this.#state = "failed";
        this.dispatchEvent(new CustomEvent("failed", { detail: { message: error.message }, bubbles: true, composed: true }));
      }
      for (const bank of this.#banks) bank.words = fold([bank.name, bank.group?.name ?? "", bank.bic ?? ""].join(" "));
      this.#label();
      this.#render();
    }

    // Writes the words that do not depend on the search, and the choices of the fields.
    #label() {
      const p = this.#parts, words = this.#words;
      p.all.lang = this.#language;
      for (const [name, label] of Object.entries(p.labels)) label.textContent = words[name];
      p.search.placeholder = words.hint;
      p.list.setAttribute("aria-label", words.list);
      p.again.textContent = words.again;
      const names = new Intl.DisplayNames([this.#language], { type: "region" });
      const countries = [...new Set(this.#banks.map((bank) => bank.country))].map((code) => [code, names.of(code)]).sort((a, b) => a[1].localeCompare(b[1], this.#language));
      const before = p.country.value;
      p.country.replaceChildren(new Option(words.all, ""), ...countries.map(([code, name]) => new Option(name, code, false, code === before)));
      p.countryField.hidden = Boolean(this.country) || countries.length < 2;
      const kind = p.kind.value || "personal";
      p.kind.replaceChildren(...["personal", "business"].map((value) => new Option(words[value], value, false, value === kind)));
      p.kindField.hidden = Boolean(this.psuType);
      this.#countryName = (code) => names.of(code);
    }

    get #kind() { return this.psuType || this.#parts.kind.value || "personal"; }

    // Shows the banks that fit: those whose name begins with the search first, then those of which a word does.
    #render() {
      const p = this.#parts, words = this.#words;
      const wanted = fold(p.search.value).split(/\s+/).filter(Boolean);
      const rank = (bank) => (bank.words.startsWith(wanted[0]) ? 0 : bank.words.includes(" " + wanted[0]) ? 1 : 2);
      let found = this.#banks.filter((bank) =>
        (p.country.value === "" || bank.country === p.country.value) && bank.psu_types.includes(this.#kind) && wanted.every((word) => bank.words.includes(word)));
      if (wanted.length > 0) found = found.map((bank) => [rank(bank), bank]).sort((a, b) => a[0] - b[0]).map(([, bank]) => bank); // stable
      this.#shown = found.slice(0, LIMIT);
      p.list.replaceChildren(...this.#shown.map((bank, i) => this.#option(bank, i)));
      p.again.hidden = this.#state !== "failed";
      p.search.setAttribute("aria-expanded", String(this.#shown.length > 0));
      this.#activate(wanted.length > 0 && this.#shown.length > 0 ? 0 : -1);
      const n = found.length, number = new Intl.NumberFormat(this.#language);
      p.status.textContent =
        this.#state !== "ready" ? words[this.#state]
        : n === 0 ? words.none
        : n > LIMIT ? fill(words.more, { n: number.format(LIMIT), all: number.format(n) })
        : fill(words.count[new Intl.PluralRules(this.#language).select(n)] ?? words.count.other, { n: number.format(n) });
    }

    #option(bank, i) {
      const about = [this.country ? "" : this.#countryName(bank.country), bank.group?.name, bank.bic, bank.beta ? this.#words.beta : ""].filter(Boolean).join(" · ");
      return element("li", { id: `option-${i}`, role: "option", part: "option", "aria-selected": String(this.#is(bank)) },
        // loading comes before src: a browser that has some of the logos would otherwise fetch all the others at once.
        element("img", { loading: "lazy", src: bank.logo + "-/resize/x72/", alt: "", width: "36", height: "36" }),
        element("span", {}, element("span", { class: "name" }, bank.name), element("span", { class: "about" }, about)));
    }

    #is(bank) { return this.#value?.name === bank.name && this.#value?.country === bank.country; }

    #activate(i) {
      const p = this.#parts;
      p.list.children[this.#active]?.classList.remove("active");
      this.#active = i;
      const option = p.list.children[i];
      if (!option) {
        p.search.removeAttribute("aria-activedescendant");
        return;
      }
      option.classList.add("active");
      option.scrollIntoView({ block: "nearest" });
      p.search.setAttribute("aria-activedescendant", option.id);
    }

    #key(event) {
      const last = this.#shown.length - 1;
      if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
      switch (event.key) {
        case "ArrowDown": this.#activate(this.#active >= last ? Math.min(0, last) : this.#active + 1); break;
        case "ArrowUp": this.#activate(this.#active <= 0 ? last : this.#active - 1); break;
        case "PageDown": this.#activate(Math.min(last, this.#active + STEP)); break;
        case "PageUp": this.#activate(Math.max(Math.min(0, last), this.#active - STEP)); break;
        case "Enter":
          if (this.#active < 0) return;
          this.#choose(this.#active);
          break;
        case "Escape":
          if (this.#parts.search.value === "") return;
          this.#parts.search.value = "";
          this.#render();
          break;
        default: return;
      }
      event.preventDefault();
    }

    #choose(i) {
      const bank = this.#shown[i];
      this.#value = Object.freeze({ name: bank.name, country: bank.country, psuType: this.#kind, bic: bank.bic ?? null, ...(bank.sandbox ? { sandbox: bank.sandbox } : {}) });
      [...this.#parts.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === i)));
      this.#activate(i);
      this.#parts.status.textContent = fill(this.#words.chosen, { name: bank.name });
      this.dispatchEvent(new CustomEvent("selected", { detail: this.#value, bubbles: true, composed: true }));
    }
  }

  // A property for each attribute: psuType for psu-type. Those without a value are true or false.
  const FLAGS = ["sandbox", "no-beta"];
  for (const attribute of List.observedAttributes) {
    Object.defineProperty(List.prototype, attribute.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()), FLAGS.includes(attribute) ? {
      configurable: true,
      enumerable: true,
      get() { return this.hasAttribute(attribute); },
      set(value) { this.toggleAttribute(attribute, Boolean(value)); },
    } : {
      configurable: true,
      enumerable: true,
      get() { return this.getAttribute(attribute) ?? ""; },
      set(value) { value === null || value === undefined || value === "" ? this.removeAttribute(attribute) : this.setAttribute(attribute, value); },
    });
  }

  if (!customElements.get("florin-aspsp-list")) customElements.define("florin-aspsp-list", List);
})();
