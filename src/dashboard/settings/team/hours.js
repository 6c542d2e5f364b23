// Copies a day's times to all days in the browser, without submitting the form.

const copyDay = (source, day) => {
  if (day === source) return;
  const [from, to] = [source, day].map((one) => one.querySelector('span'));
  const spans = source.querySelector('.spans').cloneNode(true);
  for (const input of spans.querySelectorAll('input')) {
    input.name = input.name.replace(from.id, to.id);
    input.ariaLabel = input.ariaLabel.replace(from.textContent, to.textContent);
  }
  day.querySelector('.spans').replaceWith(spans);
  day.querySelector('[type="checkbox"]').checked = source.querySelector('[type="checkbox"]').checked;
};

const hours = document.querySelector('.hours');

hours?.addEventListener('click', (event) => {
  const button = event.target.closest('[name="copy"]');
  if (!button) return;
  event.preventDefault();
  const source = button.closest('.day');
  for (const flaw of hours.querySelectorAll('.flaw')) flaw.remove();
  for (const invalid of hours.querySelectorAll('[aria-invalid]')) invalid.removeAttribute('aria-invalid');
  for (const day of hours.querySelectorAll('.day')) copyDay(source, day);
  hours.querySelector('.unsaved').textContent =
    `${source.querySelector('span').textContent} was copied to all days. Nothing is saved yet.`;
});
