// What every page can do only with JavaScript: copy texts, close menus, and not repeat a message when reloaded.

const COPIED_MS = 1_500;

const said = document.createElement('p');
said.className = 'unseen';
said.setAttribute('role', 'status');
document.body.append(said);

/** Browsers have `navigator.clipboard` only over HTTPS and on this machine. Elsewhere, a selection is copied. */
const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('Copying was refused.');
};

const copyFrom = async (button) => {
  try {
    await copy(button.dataset.copy ?? button.previousElementSibling.textContent.trim());
    button.dataset.copied = '';
    said.textContent = 'Copied';
  } catch {
    said.textContent = "Your browser doesn't allow copying. Select the text instead.";
  }
  button.focus();
  setTimeout(() => {
    delete button.dataset.copied;
    said.textContent = '';
  }, COPIED_MS);
};

const openMenus = () => document.querySelectorAll('details.menu[open]');

document.addEventListener('click', ({ target }) => {
  const button = target.closest('.copies');
  if (button) copyFrom(button);
  for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
});

document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of openMenus()) {
    const hadFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hadFocus) menu.querySelector('summary').focus();
  }
});

document.addEventListener('focusin', ({ target }) => {
  for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
});

// Remove the message from the URL, so that reloading doesn't show it again. The outcome `confirm` stays, because the
// person still has to act on it.
const address = new URL(location.href);
const { searchParams } = address;
const isOutcome = ['connected', 'failed'].includes(searchParams.get('outcome'));
const told = isOutcome ? ['outcome', 'error', 'provider', 'connection'] : ['done', 'marked'];
if (told.some((name) => searchParams.has(name))) {
  for (const name of told) searchParams.delete(name);
  history.replaceState(history.state, '', address);
}

document.documentElement.dataset.scripted = '';
