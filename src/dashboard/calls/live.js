// Keeps the list of calls live: adds or replaces each row that the server sends.

const list = document.querySelector('[data-live]');
const body = list.querySelector('tbody');
const state = list.querySelector('[data-live-state]');
const said = list.querySelector('[data-live-said]');
const SAY_EVERY_MS = 3_000;
const MOST_ROWS = 300;
/** The list that new rows are added to: the tab that is shown, or Home. Empty if the page adds none. */
const { takes } = list.dataset;
/** Home only lists the newest calls, so its list doesn't grow. */
const MOST_LISTED = Number(list.dataset.most ?? Number.POSITIVE_INFINITY);

let { since } = list.dataset;
let source = null;
let unsaid = 0;
/** Rows that arrived while the pointer was down. Replacing a row then would lose the click on it. */
let held = null;
/** A form was submitted, and its response is on the way. Reloading the page would cancel it. */
let isLeaving = false;

const show = (words, kind) => {
  state.textContent = words;
  state.className = `live state ${kind}`;
};

/** Announces new calls to screen readers every few seconds, not one by one. */
const sayLater = () => {
  if (unsaid++ > 0) return;
  setTimeout(() => {
    said.textContent = unsaid === 1 ? 'One new call' : `${unsaid} new calls`;
    unsaid = 0;
  }, SAY_EVERY_MS);
};

/** Replaces a row. `place` puts the new row into the table. */
const replace = (known, row, place) => {
  const hadFocus = known.contains(document.activeElement);
  const box = row.querySelector('.pick input');
  if (box) box.checked = known.querySelector('.pick input')?.checked ?? false;
  place();
  if (hadFocus) row.querySelector('a').focus();
};

const isTaken = ({ dataset }) => dataset.tabs.split(' ').includes(takes);

/** The row of the same caller. The list of waiting callers has each caller once. */
const findCaller = ({ dataset: { caller } }) =>
  takes === 'waiting' && caller !== '' ? [...body.rows].find((row) => row.dataset.caller === caller) : undefined;

const insert = (row) => {
  const older = [...body.rows].find(({ dataset }) => Number(dataset.at) < Number(row.dataset.at));
  // The row is older than all others. If there are more pages, it belongs on the next one.
  if (!older && list.querySelector('.older')) return;
  body.insertBefore(row, older ?? null);
  while (body.rows.length > MOST_LISTED) body.lastElementChild.remove();
  row.classList.add('fresh');
  sayLater();
};

const add = (row) => {
  const earlier = findCaller(row);
  if (!earlier) insert(row);
  else if (Number(earlier.dataset.at) < Number(row.dataset.at))
    replace(earlier, row, () => {
      earlier.remove();
      insert(row);
    });
};

const put = ({ data }) => {
  const template = document.createElement('template');
  template.innerHTML = data;
  const row = template.content.firstElementChild;
  const known = document.getElementById(row.id);
  if (known) return replace(known, row, () => known.replaceWith(row));
  if (!isTaken(row)) return;
  // If this is the first call, or if the page has become too long, reload the page.
  if (body && body.rows.length <= MOST_ROWS) add(row);
  else if (!isLeaving) location.reload();
};

const receive = (event) => {
  since = event.lastEventId;
  if (held) held.push(event);
  else put(event);
};

const hold = () => {
  held ??= [];
};

/** Waits for the click, which comes after the pointer is up. */
const release = () =>
  setTimeout(() => {
    const waiting = held ?? [];
    held = null;
    waiting.forEach(put);
  });

const close = () => {
  source?.close();
  source = null;
};

const open = () => {
  if (source) return;
  source = new EventSource(`${list.dataset.live}?since=${since}`);
  source.onopen = () => show('Live', 'good');
  source.onerror = () =>
    source?.readyState === EventSource.CLOSED ? show('Not live. Reload the page', 'bad') : show('Reconnecting', 'warn');
  source.addEventListener('call', receive);
};

/** A hidden page closes its connection, because a browser allows only a few. */
const follow = () => (document.hidden ? close() : open());

for (const ending of ['pointerup', 'pointercancel', 'blur']) addEventListener(ending, release);
addEventListener('pointerdown', hold);
document.addEventListener('visibilitychange', follow);
addEventListener('pagehide', close);
addEventListener('pageshow', () => {
  isLeaving = false;
  follow();
});
addEventListener('submit', ({ defaultPrevented }) => {
  isLeaving = !defaultPrevented;
});
follow();
