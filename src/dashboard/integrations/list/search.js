// Shows results while a person types. Without JavaScript, submitting the form does the same.

const PAUSE_MS = 120;

const form = document.querySelector('.provider-search');
const field = form.elements.namedItem('q');
const providers = document.querySelector('#providers');
const said = form.querySelector('[role=status]');

let asked = new AbortController();
let timer;

const find = async () => {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const address = new URL(form.action);
  const q = field.value.trim();
  if (q !== '') address.searchParams.set('q', q);
  try {
    const response = await fetch(address, { signal, headers: { accept: 'text/html' } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const found = page.querySelector('#providers');
    // The person was signed out. Submitting the form leads to the sign-in page.
    if (!found) return form.requestSubmit();
    if (signal.aborted) return;
    providers.replaceChildren(...found.childNodes);
    history.replaceState(history.state, '', address);
    said.textContent = providers.querySelector('h2')?.textContent ?? '';
  } catch {
    // Submitting the form still works.
  }
};

field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(find, PAUSE_MS);
});
