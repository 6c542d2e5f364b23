import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, findCommand, helpOf, parseCommand, UsageRefused } from './command.ts';

const run = async () => ({ text: '', json: null });
const create: Command = {
  name: 'token create',
  about: 'Makes a token.',
  words: ['email', 'note?'],
  options: { days: { type: 'string', about: 'how long' }, quiet: { type: 'boolean', about: 'say nothing' } },
  run,
};
const commands: Command[] = [{ name: 'token', about: '', run }, create];

test('the longest name that fits is called', () => {
  assert.equal(findCommand(commands, ['token', 'create', 'x'])?.name, 'token create');
  assert.equal(findCommand(commands, ['token', 'x'])?.name, 'token');
  assert.equal(findCommand(commands, ['tok']), undefined);
});

test('words and options are told apart', () => {
  const parsed = parseCommand(create, ['token', 'create', 'a@b.c', '--days', '7', '--quiet', '--json']);
  assert.deepEqual(parsed, { words: ['a@b.c'], options: { days: '7', quiet: true }, json: true, help: false });
});

test('a wrong call is refused with how to call it', () => {
  for (const args of [[], ['a', 'b', 'c'], ['a', '--unknown'], ['a', '--days']]) {
    assert.throws(() => parseCommand(create, ['token', 'create', ...args]), UsageRefused, args.join(' '));
  }
  assert.throws(() => parseCommand(create, ['token', 'create']), /token create <email> \[note\]/);
});

test('help needs no words and names every option', () => {
  assert.equal(parseCommand(create, ['token', 'create', '--help']).help, true);
  assert.match(helpOf('patchbay', create), /--days <value> {2}how long[\s\S]*--json/);
});
