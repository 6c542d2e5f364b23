import { PatchbayError } from './patchbay-error.js';
const TOLERANCE_S = 5 * 60;
const MOST_SIGNATURES = 10;
const refuse = (why) => new PatchbayError('client.event_refused', why);
const readHeader = (headers, name) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value === 'string' && value !== '')
        return value;
    throw refuse(`The header ${name} is missing.`);
};
const fromBase64 = (text) => {
    try {
        return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    }
    catch {
        return null;
    }
};
const importSecret = (secret = '') => {
    const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : null;
    if (!bytes?.length)
        throw refuse('The secret must be the one that Patchbay has shown, beginning with whsec_.');
    return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};
const join = (parts) => {
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
};
const checkTime = (timestamp) => {
    const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
    if (!(Math.abs(Date.now() / 1_000 - seconds) <= TOLERANCE_S))
        throw refuse('The event was sent more than five minutes ago, or the clocks differ.');
};
export const verifyEvent = async (rawBody, headers, secret) => {
    if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
        throw refuse('Pass the body as it arrived, as text or bytes, and not what was parsed from it.');
    const key = await importSecret(secret);
    const id = readHeader(headers, 'webhook-id');
    const timestamp = readHeader(headers, 'webhook-timestamp');
    const signatures = readHeader(headers, 'webhook-signature').split(' ').slice(0, MOST_SIGNATURES);
    checkTime(timestamp);
    const encoder = new TextEncoder();
    const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
    const signed = join([encoder.encode(`${id}.${timestamp}.`), body]);
    for (const signature of signatures) {
        const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice('v1,'.length)) : null;
        if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
            return JSON.parse(new TextDecoder().decode(body));
    }
    throw refuse("The signature isn't valid for this body and secret.");
};
