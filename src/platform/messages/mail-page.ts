import { type Html, html } from '../html.ts';

export const MAIL_LINK = 'color:#0b5d4e';
export const MAIL_QUIET = 'color:#5a6068;font-size:13px';
export const MAIL_HEADING = 'margin:28px 0 8px;font-size:17px;line-height:1.3';

/** Styles are inline because many mail clients drop style sheets; those that keep them get our dark colors. */
const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){.ground{background:#16181b!important;color:#e9e6df!important}.quiet{color:#a3a8ae!important}.line{border-color:#33383e!important}.link{color:#6fd3bd!important}}`;

/** The HTML version of an email: its title, and what is below. */
export const renderMailPage = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${DARK}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#faf8f4;color:#1d2126">
<div class="ground" role="article" aria-label="${title}" lang="en" style="max-width:600px;margin:0 auto;padding:24px 16px;background:#faf8f4;color:#1d2126;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;overflow-wrap:anywhere">
<h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">${title}</h1>
${content}</div>
</body>
</html>
`.toString();
