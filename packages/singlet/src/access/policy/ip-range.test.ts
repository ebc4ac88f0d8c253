import { BlockList, isIP, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInRange, parseIpAddress, parseIpRange } from './ip-range.ts';

test('addresses are those that Node knows', () => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: fc.constantFrom('0', '1', 'f', ':', '.', '255', '256', '::') }),
  );
  fc.assert(
    fc.property(text, (address) => {
      expect(parseIpAddress(address) !== undefined).toBe(isIP(address) !== 0);
    }),
    { numRuns: 2000 },
  );
});

test('ranges hold the addresses that Node puts into them', () => {
  const near = (address: string): fc.Arbitrary<string> =>
    isIPv6(address) ? fc.oneof(fc.ipV6(), fc.constant(address)) : fc.oneof(fc.ipV4(), fc.constant(address));
  const pair = fc.oneof(fc.ipV4(), fc.ipV6()).chain((network) =>
    fc.record({
      network: fc.constant(network),
      bits: fc.integer({ min: 0, max: isIPv6(network) ? 128 : 32 }),
      address: near(network),
    }),
  );
  fc.assert(
    fc.property(pair, ({ network, bits, address }) => {
      const family = isIPv6(network) ? 'ipv6' : 'ipv4';
      const list = new BlockList();
      list.addSubnet(network, bits, family);
      const range = parseIpRange(`${network}/${bits}`);
      // An IPv4 address written as IPv6 counts as IPv4, and belongs to no shorter range of IPv6.
      fc.pre(range !== undefined && parseIpAddress(address)!.bits === range.bits);
      expect(isInRange(parseIpAddress(address)!, range)).toBe(list.check(address, family));
    }),
    { numRuns: 2000 },
  );
});
