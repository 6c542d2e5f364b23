import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/harness/any-character.ts';
import { startStopwatch } from '../../../test/harness/start-stopwatch.ts';
import { nameDevice } from './name-device.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`;
const ANDROID = `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT}`;
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** `User-Agent` headers as browsers send them. */
const KNOWN: readonly (readonly [userAgent: string, device: string])[] = [
  [WINDOWS, 'Chrome on Windows'],
  [`${WINDOWS} Edg/142.0.0.0`, 'Edge on Windows'],
  [`${WINDOWS} OPR/124.0.0.0`, 'Opera on Windows'],
  [`${WINDOWS} Vivaldi/7.6.3797.63`, 'Vivaldi on Windows'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`${ANDROID} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`${ANDROID} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`, 'Samsung Internet on Android'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  [`${IPHONE} Version/26.0 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${IPHONE} CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  [`${IPHONE} FxiOS/145.0 Mobile/15E148 Safari/605.1.15`, 'Firefox on iPhone'],
  [`${IPHONE} Version/18.0 EdgiOS/142.0.0.0 Mobile/15E148 Safari/604.1`, 'Edge on iPhone'],
  [`${IPHONE.replaceAll('iPhone', 'iPad')} Version/18.6 Mobile/15E148 Safari/604.1`, 'Safari on iPad'],
  [`${MAC} Version/26.0 Safari/605.1.15`, 'Safari on Mac'],
];

for (const [userAgent, device] of KNOWN) test(`is ${device}`, () => assert.equal(nameDevice(userAgent), device));

test('is unknown for anything that is no usual browser', () => {
  for (const userAgent of [undefined, '', 'curl/8.5.0', 'node', 'Safari/', 'Mozilla/5.0 (Windows NT 10.0)'])
    assert.equal(nameDevice(userAgent), null);
});

test('only takes words from its own lists, however long the header is and whatever it says', () => {
  const devices = new Set(['Chrome on Windows', null]);
  const texts = fc.string({ unit: anyCharacter, maxLength: 2_000 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const device = nameDevice(`${before} Windows NT Chrome/1 ${after}`);
      assert.ok(before.length > 400 || devices.has(device), String(device));
    }),
  );
  assert.equal(nameDevice(`${'x'.repeat(500)}${WINDOWS}`), null);
  const readMs = startStopwatch();
  nameDevice('Version/ '.repeat(100_000));
  assert.ok(readMs() < 100);
});
