// Shows on the page /widget what the element tells.
document.getElementById("example-list").addEventListener("selected", (event) => {
  const code = document.createElement("code");
  code.textContent = JSON.stringify(event.detail);
  document.getElementById("example-choice").replaceChildren(code);
});
