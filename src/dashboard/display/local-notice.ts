import { type Html, html, isLoopbackHost } from '../../platform/index.ts';
import { WHERE_SETTINGS_ARE } from './service-settings.ts';

/** Warns that a link for another person only works on this machine. Null if others can open it. */
export const localLinkNotice = (url: string): Html | null =>
  isLoopbackHost(new URL(url).hostname)
    ? html`<div class="notice warn"><p><strong>No one else can open this link</strong> because it only works on this machine. Set <code>PATCHBAY_URL</code> to your public URL, or to a tunnel's, and come back for a new one. ${WHERE_SETTINGS_ARE}</p></div>`
    : null;
