import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublicAddress } from './is-public-address.ts';

/** Special IPv4 ranges: IANA's registry, multicast, and one address of Azure. */
const SPECIAL_IPV4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special IPv6 ranges inside 2000::/3. Outside it, nothing is public except NAT64. */
const SPECIAL_IPV6: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

const toNumber = (dotted: string): number => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const toDotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

const toGroups = (parts: readonly number[]): string => parts.map((part) => part.toString(16)).join(':');

/** Any address, or one near the edge of a special range, where an off-by-one error would show. */
const anyIPv4 = fc
  .oneof(
    fc.nat(0xffffffff),
    fc
      .tuple(fc.constantFrom(...SPECIAL_IPV4), fc.integer({ min: -2, max: 1 }), fc.boolean())
      .map(([[network, prefix], step, atEnd]) => toNumber(network) + (atEnd ? 2 ** (32 - prefix) : 0) + step)
      .filter((number) => number >= 0 && number <= 0xffffffff),
  )
  .map(toDotted);

const group = fc.nat(0xffff);
const anyIPv6 = fc
  .tuple(
    fc.oneof(group, fc.constantFrom(0x2001, 0x2002, 0x2606, 0x2620, 0x3ffe, 0x3fff, 0x4000, 0x1fff, 0)),
    fc.oneof(group, fc.constantFrom(0, 0xdb8, 0x1ff, 0x200, 0x4f, 0xfff, 0x1000)),
    fc.oneof(group, fc.constantFrom(0, 0x8000)),
    ...[group, group, group, group, group],
  )
  .map(toGroups);

test('an IPv4 address is public exactly when no registry says otherwise', () => {
  fc.assert(
    fc.property(anyIPv4, (address) => {
      assert.equal(isPublicAddress(address), !special.check(address, 'ipv4'));
    }),
    { numRuns: 2_000 },
  );
});

test('an IPv6 address is public exactly when it is global unicast and no registry says otherwise', () => {
  fc.assert(
    fc.property(anyIPv6, (address) => {
      const expected = globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
      assert.equal(isPublicAddress(address), expected);
    }),
    { numRuns: 2_000 },
  );
});

test('an address behind NAT64 is as public as the IPv4 address in it', () => {
  fc.assert(
    fc.property(anyIPv4, (address) => {
      assert.equal(isPublicAddress(`64:ff9b::${address}`), isPublicAddress(address));
    }),
  );
});

test('real hosts on the internet are public', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '52.1.2.3',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '64:ff9b::808:808',
  ])
    assert.equal(isPublicAddress(address), true, address);
});

test('no other IPv6 form of an IPv4 address is public, not even of a public one', () => {
  for (const address of ['::ffff:8.8.8.8', '::8.8.8.8', '::ffff:0:8.8.8.8', '2002:808:808::', '64:ff9b:1::808:808'])
    assert.equal(isPublicAddress(address), false, address);
});

test('anything that is not an address is not public', () => {
  for (const text of [
    '',
    'localhost',
    '8.8.8',
    '0x08080808',
    '134744072',
    '8.8.8.8 ',
    '[2606:4700::1]',
    'fe80::1%eth0',
  ])
    assert.equal(isPublicAddress(text), false, text);
});
