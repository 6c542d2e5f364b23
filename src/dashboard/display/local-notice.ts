import { type Html, html, isLoopbackHost } from '../../platform/index.ts';

/** Where a setting of the service is set, for an admin who runs it themselves. */
export const WHERE_SETTINGS_ARE = html`Settings like this go into the file <code>.env</code> where Patchbay is installed, and count after a restart. <code>docs/settings.md</code> there explains each of them.`;

/** For a link that someone on another machine is meant to open. Null if they can. */
export const localLinkNotice = (url: string): Html | null =>
  isLoopbackHost(new URL(url).hostname)
    ? html`<div class="notice warn"><p><strong>No one else can open this link</strong> because it only works on this machine. Set <code>PATCHBAY_URL</code> to your public URL, or to a tunnel's, and come back for a new one. ${WHERE_SETTINGS_ARE}</p></div>`
    : null;
