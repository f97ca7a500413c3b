"use strict";
// The control panel in the browser: it makes keys and tokens with WebCrypto. A private key stays in this page; it is
// saved as a file and never sent. Without this script the other ways to a key remain.
(() => {
  if (!globalThis.crypto?.subtle) return; // only on https and on this machine

  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  let made = null; // { id, private (PEM), public (PEM), key } of the key that this page made

  const base64 = (bytes) => btoa(Array.from(new Uint8Array(bytes), (b) => String.fromCharCode(b)).join(""));
  const base64url = (bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const pem = (label, bytes) => `-----BEGIN ${label}-----\n${base64(bytes).match(/.{1,64}/g).join("\n")}\n-----END ${label}-----\n`;

  async function makeKey(id) {
    if (made?.id === id && !made.sent) return made; // the form came back with a mistake: the key is still good
    const pair = await crypto.subtle.generateKey({ ...algorithm, modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) }, true, ["sign", "verify"]);
    made = {
      id,
      key: pair.privateKey,
      private: pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", pair.privateKey)),
      public: pem("PUBLIC KEY", await crypto.subtle.exportKey("spki", pair.publicKey)),
    };
    return made;
  }

  function save(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/x-pem-file" }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // show puts the content of another page of the panel in place of this one's, so that the key is not lost.
  function show(html, address) {
    const next = new DOMParser().parseFromString(html, "text/html");
    document.title = next.title;
    document.querySelector("main").replaceWith(document.adoptNode(next.querySelector("main")));
    if (address !== location.href) history.pushState(null, "", address);
    prepare();
    scrollTo(0, 0);
    (document.querySelector("[aria-invalid]") ?? document.querySelector("main")).focus();
  }

  // saved notes that the service has the key, and says where the key went, at the top of the page.
  function saved(key) {
    key.sent = true;
    const notice = document.createElement("div");
    notice.className = "done";
    notice.setAttribute("role", "status");
    notice.dataset.keySaved = "";
    const text = document.createElement("p");
    text.textContent = `The private key was saved as ${key.id}.pem. It exists nowhere else.`;
    const again = document.createElement("button");
    again.type = "button";
    again.className = "link";
    again.textContent = "Save it again";
    again.addEventListener("click", () => save(`${key.id}.pem`, key.private));
    notice.append(text, again);
    document.querySelector("main").prepend(notice);
    save(`${key.id}.pem`, key.private);
  }

  async function submitWithKey(form) {
    const progress = form.querySelector("[data-progress]");
    const button = form.querySelector("button[type=submit]");
    button.disabled = true;
    progress.textContent = "Making a key of 3072 bits…";
    try {
      const key = await makeKey(form.dataset.id);
      progress.textContent = "Sending the public key…";
      const fields = new URLSearchParams(new FormData(form));
      fields.set("certificate", key.public);
      const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
      const html = await answer.text();
      show(html, answer.redirected ? answer.url : location.href);
      if (answer.ok && answer.redirected && document.querySelector("[data-token-maker], [data-key-form], .app-head")) saved(key);
    } catch {
      progress.textContent = "The key could not be made or sent. Please try again, or choose another way.";
    } finally {
      button.disabled = false;
    }
  }

  async function readKey(file) {
    const text = await file.text();
    const body = text.match(/-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/);
    if (!body) throw new Error("The file holds no private key that begins with BEGIN PRIVATE KEY.");
    const bytes = Uint8Array.from(atob(body[1].replace(/\s/g, "")), (c) => c.charCodeAt(0));
    try {
      return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
    } catch {
      throw new Error("The private key is not an RSA key, or the file is damaged.");
    }
  }

  async function makeToken(key, about) {
    const now = Math.floor(Date.now() / 1000);
    const part = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));
    const input = part({ typ: "JWT", alg: "RS256", kid: about.id }) + "." + part({ iss: about.issuer, aud: about.audience, iat: now, exp: now + 3600 });
    return input + "." + base64url(await crypto.subtle.sign(algorithm.name, key, new TextEncoder().encode(input)));
  }

  function prepareTokens(maker) {
    maker.hidden = false;
    const own = made?.id === maker.dataset.id;
    maker.querySelector("[data-key-file]").hidden = own;
    maker.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const problem = maker.querySelector("[data-token-problem]");
      problem.textContent = "";
      try {
        const file = maker.querySelector("input[type=file]").files[0];
        if (!own && !file) throw new Error("Choose the file with the private key first.");
        const token = await makeToken(own ? made.key : await readKey(file), maker.dataset);
        maker.querySelector("#token").value = token;
        maker.querySelector("#token-call").value = `curl -H 'Authorization: Bearer ${token}' ${maker.dataset.base}/application`;
        maker.querySelector("[data-token-result]").hidden = false;
      } catch (error) {
        problem.textContent = error.message;
      }
    });
  }

  function prepareForm(form) {
    const way = form.querySelector("[data-browser-way]");
    const certificate = form.querySelector("#certificate").closest(".field");
    const chosen = () => form.querySelector("input[name=way]:checked")?.value;
    const follow = () => { certificate.hidden = chosen() !== "upload"; };
    way.hidden = false;
    if (form.querySelector("[data-ways][data-fresh]")) form.querySelector("#way-browser").checked = true;
    form.addEventListener("change", follow);
    follow();
    form.addEventListener("submit", (event) => {
      if (chosen() !== "browser") return;
      event.preventDefault();
      submitWithKey(form);
    });
  }

  function prepare() {
    document.querySelectorAll("[data-key-form]").forEach(prepareForm);
    document.querySelectorAll("[data-token-maker]").forEach(prepareTokens);
  }

  addEventListener("popstate", () => location.reload());
  prepare();
})();
