// The page that waits for a person's phone: it asks for news every other second and counts down. Without this script the
// page loads itself again.
const page = document.querySelector("[data-wait]");
if (page) {
  const clock = page.querySelector("[data-clock]");
  const end = Date.now() + 1000 * Number(page.dataset.left);
  let pause = 2000;
  const look = async () => {
    if (Date.now() >= end) return location.reload();
    try {
      const answer = await fetch(page.dataset.wait, { cache: "no-store", redirect: "error" });
      if (answer.status !== 204 && answer.status < 500) return location.reload();
      pause = 2000;
    } catch {
      pause = Math.min(pause * 2, 30000); // the network is away: keep waiting
    }
    setTimeout(look, pause);
  };
  const count = () => {
    const left = Math.max(0, Math.round((end - Date.now()) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  };
  setTimeout(look, pause);
  setInterval(count, 1000);
}
