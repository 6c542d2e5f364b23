// The product's own page. `<patchbay-connect>` works by itself: this shows who is signed in, the contacts, and what
// happened.
const find = (id) => document.getElementById(id);

const NOTICES = {
  connected: '',
  disconnected: 'Connect an account to see its contacts here.',
  reconnect: 'The provider no longer accepts this connection. Connect it again.',
  unavailable: 'The contacts are not available right now. Try again.',
};

let page = 1;

const fill = (list, lines) =>
  list.replaceChildren(
    ...lines.map((line) => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }),
  );

const say = ({ state, retryAfterSeconds }) => {
  find('notice').textContent = NOTICES[state] ?? `The provider is busy. Try again in ${retryAfterSeconds} seconds.`;
};

const show = async (wanted) => {
  const list = await (await fetch(`/contacts?page=${wanted}`)).json();
  const { state, contacts = [], nextPage } = list;
  page = wanted;
  say(list);
  const lines = contacts.map(({ name, email }) => `${name} (${email})`);
  fill(find('contacts'), lines);
  find('paging').hidden = state !== 'connected';
  find('previous').disabled = page === 1;
  find('next').disabled = !nextPage;
};

// First of all, because the button may be done before the rest of this.
for (const event of ['patchbay-connected', 'patchbay-disconnected']) document.addEventListener(event, () => show(1));

// All events at first, and whenever there is a new one. If it breaks off, the browser connects again.
new EventSource('/events').addEventListener('message', ({ data }) => fill(find('events'), JSON.parse(data)));

const { user, users, customers } = await (await fetch('/me')).json();
const customerOf = ({ customer }) => customers.find(({ id }) => id === customer).name;
find('customer').textContent = customerOf(user);
find('users').append(
  ...users.flatMap((other) => {
    const button = document.createElement('button');
    button.textContent = `${other.name} (${customerOf(other)})`;
    button.setAttribute('aria-pressed', String(other.id === user.id));
    button.addEventListener('click', async () => {
      await fetch(`/sign-in?user=${other.id}`, { method: 'POST' });
      location.reload();
    });
    return [button, ' '];
  }),
);

find('previous').addEventListener('click', () => show(page - 1));
find('next').addEventListener('click', () => show(page + 1));
find('busy').addEventListener('click', async () => say(await (await fetch('/busy')).json()));
await show(1);
