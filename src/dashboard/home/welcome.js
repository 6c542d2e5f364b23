// Suggests the browser's time zone to a person who hasn't chosen one.

const zones = document.querySelector('[data-guess] select');
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

if (zones && timeZone) {
  const own =
    [...zones.options].find(({ value }) => value === timeZone) ?? zones.appendChild(new Option(timeZone, timeZone));
  own.textContent = `${timeZone} (your browser's)`;
  own.selected = true;
}
