// Shows the API docs, light or dark like every other page.

const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

window.SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: '/openapi.json',
  layout: 'BaseLayout',
  presets: [window.SwaggerUIBundle.presets.apis],
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
});
