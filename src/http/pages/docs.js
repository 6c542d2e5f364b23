// Puts Swagger UI in the place of the list, light or dark like every other page.

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

const list = document.getElementById('operation-list');
const browser = Object.assign(document.createElement('div'), { id: 'swagger-ui' });

window.SwaggerUIBundle({
  domNode: browser,
  spec: await (await fetch(list.dataset.document)).json(),
  layout: 'BaseLayout',
  presets: [window.SwaggerUIBundle.presets.apis],
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => list.replaceWith(browser),
});
