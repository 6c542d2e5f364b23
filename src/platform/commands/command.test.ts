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

test('the longest matching command is called', () => {
  assert.equal(findCommand(commands, ['token', 'create', 'x'])?.name, 'token create');
  assert.equal(findCommand(commands, ['token', 'x'])?.name, 'token');
  assert.equal(findCommand(commands, ['tok']), undefined);
});

test('words and options are told apart', () => {
  const parsed = parseCommand(create, ['token', 'create', 'a@b.c', '--days', '7', '--quiet', '--json']);
  assert.deepEqual(parsed, { words: ['a@b.c'], options: { days: '7', quiet: true }, json: true, help: false });
});

test('a wrong call is rejected with the usage', () => {
  for (const args of [[], ['a', 'b', 'c'], ['a', '--unknown'], ['a', '--days']]) {
    assert.throws(() => parseCommand(create, ['token', 'create', ...args]), UsageRefused, args.join(' '));
  }
  assert.throws(() => parseCommand(create, ['token', 'create']), /token create <email> \[note\]/);
});

test('a wrong option is explained in one line of our own', () => {
  const says = (...args: string[]) => {
    try {
      parseCommand(create, ['token', 'create', 'a', ...args]);
      return '';
    } catch (error) {
      return error instanceof UsageRefused ? error.message : String(error);
    }
  };
  const unknown = '"token create" has no option --unknown. Add --help to see its options.';
  for (const args of [['--unknown'], ['--unknown=hidden']]) assert.equal(says(...args), unknown);
  assert.equal(says('-x'), '"token create" has no option -x. Add --help to see its options.');
  for (const args of [['--days'], ['--days', '--quiet']])
    assert.equal(says(...args), '--days needs a value (use --days=… if it starts with a dash).');
  assert.equal(says('--quiet=1'), '--quiet takes no value.');
  assert.equal(says('--help=1'), '--help takes no value.');
});

test('help needs no words and names every option', () => {
  assert.equal(parseCommand(create, ['token', 'create', '--help']).help, true);
  assert.match(helpOf('patchbay', create), /--days <value> {2}how long[\s\S]*--json/);
});
