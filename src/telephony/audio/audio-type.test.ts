import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audioTypeOf, extensionOf, sniffAudio } from './audio-type.ts';

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat([
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    Buffer.alloc(20),
  ]);

test('audio is recognized by its first bytes', () => {
  const cases: [string, Buffer][] = [
    ['audio/wav', bytes('RIFF', [1, 2, 3, 4], 'WAVEfmt ')],
    ['audio/mpeg', bytes('ID3', [4, 0, 0])],
    ['audio/mpeg', bytes([0xff, 0xfb, 0x90, 0x64])],
    ['audio/mpeg', bytes([0xff, 0xf3, 0x40, 0xc4])],
    ['audio/aac', bytes([0xff, 0xf1, 0x50, 0x80])],
    ['audio/ogg', bytes('OggS', [0, 2])],
    ['audio/mp4', bytes([0, 0, 0, 32], 'ftypM4A ')],
    ['audio/flac', bytes('fLaC')],
    ['audio/amr', bytes('#!AMR\n')],
    ['audio/basic', bytes('.snd')],
    ['audio/aiff', bytes('FORM', [0, 0, 1, 0], 'AIFF')],
    ['audio/webm', bytes([0x1a, 0x45, 0xdf, 0xa3])],
  ];
  for (const [type, head] of cases) assert.equal(sniffAudio(head), type, type);
});

test('what is not audio is not taken for any', () => {
  const others = [
    bytes('<!DOCTYPE html><html>'),
    bytes('{"error":"not ready"}'),
    bytes('RIFF', [1, 2, 3, 4], 'AVI LIST'),
    bytes('%PDF-1.7'),
    bytes('PK', [3, 4]),
    bytes([0x89], 'PNG\r\n'),
    bytes([0xff, 0xfe], 'text in UTF-16'),
    bytes([0xff, 0xff, 0xff, 0xff]),
    Buffer.from('OggS'),
    Buffer.alloc(0),
  ];
  for (const head of others) assert.equal(sniffAudio(head), null, head.toString('latin1'));
});

test('a stated type is believed if it is audio, and the bytes decide if none was stated', () => {
  const wav = bytes('RIFF', [1, 2, 3, 4], 'WAVEfmt ');
  assert.equal(audioTypeOf('Audio/X-WAV; charset=binary', wav), 'audio/x-wav');
  assert.equal(audioTypeOf('audio/mulaw', bytes([0x7f, 0x7f])), 'audio/mulaw');
  assert.equal(audioTypeOf('application/octet-stream', wav), 'audio/wav');
  assert.equal(audioTypeOf('binary/octet-stream', wav), 'audio/wav');
  for (const told of [
    undefined,
    '',
    'text/html',
    'video/mp4',
    'audio/',
    'audio/a b',
    'application/json',
    'image/svg+xml',
  ])
    assert.equal(audioTypeOf(told, wav), null, told);
  assert.equal(audioTypeOf('application/octet-stream', bytes('<html>')), null);
});

test('a file is named after its type', () => {
  assert.equal(extensionOf('audio/mpeg'), 'mp3');
  assert.equal(extensionOf('audio/mulaw'), 'audio');
  assert.equal(extensionOf(null), 'audio');
});
