// Parts of all pages: the menu, and the link to the content.

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(document.body.classList.toggle("menu")));
});

// The fragment of an address selects a part of the console, so it cannot be a link to the content.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  const main = document.getElementById("main");
  main.tabIndex = -1;
  main.focus();
});
