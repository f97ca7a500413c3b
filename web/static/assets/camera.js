// Reads a payment code with the camera, where the browser reads QR codes by itself (BarcodeDetector). The code is sent as if it had been pasted. No picture leaves the
// device, and the camera is turned off as soon as a payment code was read, the person stops it, or the page is hidden.
"use strict";
(async () => {
  const start = document.getElementById("camera-start");
  const part = document.getElementById("camera");
  const stop = document.getElementById("camera-stop");
  const says = document.getElementById("camera-says");
  const video = part?.querySelector("video");
  const field = document.getElementById("paste");
  if (!start || !field || !window.BarcodeDetector || !navigator.mediaDevices?.getUserMedia) return;
  if (!(await BarcodeDetector.getSupportedFormats().catch(() => [])).includes("qr_code")) return;

  const pause = 200; // milliseconds between two looks
  const payment = /^[\s\ufeff]*(BCD|SPC|SPD\*|payto:|0[0-9A-V]{39,999}\s*$)/i; // how the content of a payment code begins; the server says what is wrong with one
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  let turn = 0; // of the camera being on: what an earlier one finds is dropped

  const off = () => {
    turn += 1;
    for (const track of video.srcObject?.getTracks() ?? []) track.stop();
    video.srcObject = null;
    part.hidden = true;
    start.hidden = false;
  };
  const tell = (why) => { says.textContent = says.dataset[why]; };

  const look = async (mine) => {
    let codes = [];
    try {
      codes = await detector.detect(video);
    } catch { /* there is no picture yet */ }
    if (mine !== turn) return;
    const fitting = [...new Set(codes.map((code) => code.rawValue).filter((text) => payment.test(text)))];
    if (fitting.length === 1) {
      off();
      field.value = fitting[0];
      field.form.requestSubmit();
      return;
    }
    if (fitting.length > 1) tell("several");
    else if (codes.length > 0) tell("other");
    setTimeout(look, pause, mine);
  };

  start.hidden = false;
  start.addEventListener("click", async () => {
    const mine = (turn += 1);
    start.hidden = true;
    part.hidden = false;
    tell("asking");
    stop.focus();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      if (mine !== turn) {
        for (const track of stream.getTracks()) track.stop();
        return;
      }
      video.srcObject = stream;
      await video.play();
      tell("looking");
      look(mine);
    } catch (problem) {
      if (mine !== turn) return;
      off();
      tell(problem.name === "NotAllowedError" ? "refused" : problem.name === "NotFoundError" ? "none" : "failed");
      start.focus();
    }
  });
  stop.addEventListener("click", () => { off(); tell("stopped"); start.focus(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && !part.hidden) { off(); tell("stopped"); } });
  window.addEventListener("pagehide", off);
})();
