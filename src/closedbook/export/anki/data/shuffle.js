(() => {
  // The same order on both sides of a card, another one tomorrow. Where no script runs, the
  // order of the note stays.
  let state = Math.floor(Date.now() / 864e5) >>> 0;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  for (let n = 0; n < 8; n++) next();
  for (const list of document.querySelectorAll(".cb .options > ol")) {
    const items = [...list.children];
    const loose = items.filter((item) => !item.classList.contains("last"));
    for (let n = loose.length - 1; n > 0; n--) {
      const other = Math.floor(next() * (n + 1));
      [loose[n], loose[other]] = [loose[other], loose[n]];
    }
    list.append(...loose, ...items.filter((item) => item.classList.contains("last")));
  }
})();
