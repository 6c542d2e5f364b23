// What the list of calls can do only with JavaScript: play recordings in the row, select all, and jump to the search.

const PLAYER = 'player';

const close = () => {
  const player = document.querySelector(`.${PLAYER}`);
  player?.remove();
  return player;
};

/** Loads the audio only now, because every listen is recorded in the audit log. */
const play = (link) => {
  const row = link.closest('tr');
  if (close()?.dataset.for === row.id) return;
  const player = document.createElement('tr');
  player.className = PLAYER;
  player.dataset.for = row.id;
  const cell = player.insertCell();
  cell.colSpan = [...row.cells].filter((one) => one.offsetParent !== null).length;
  const audio = document.createElement('audio');
  audio.controls = true;
  audio.src = link.dataset.play;
  audio.setAttribute('aria-label', 'Recording');
  cell.append(audio);
  row.after(player);
  audio.play().catch(() => undefined);
};

document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-play]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  play(link);
});

const all = document.querySelector('[data-pick-all]');
if (all) {
  all.hidden = false;
  all.addEventListener('change', ({ target }) => {
    for (const box of document.querySelectorAll('.pick input')) box.checked = target.checked;
  });
}

document.addEventListener('keydown', (event) => {
  const find = document.querySelector('[data-find]');
  if (event.key !== '/' || !find || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  find.focus();
});
