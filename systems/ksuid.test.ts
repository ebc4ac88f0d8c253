import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from './clock.ts';
import type { KsuidErrorCode } from './ksuid.ts';
import { createKsuidGenerator, decodeKsuid, encodeKsuid, inspectKsuid, KsuidError } from './ksuid.ts';

const EPOCH_SECONDS_MIN = 1_400_000_000;
const EPOCH_SECONDS_MAX = EPOCH_SECONDS_MIN + 0xffff_ffff;
const MINIMUM = '0'.repeat(27);
const MAXIMUM = 'aWgEPTl1tmebfsQzFP4bxwgy80V';

const ksuidParts = fc.record({
  epochSeconds: fc.integer({ min: EPOCH_SECONDS_MIN, max: EPOCH_SECONDS_MAX }),
  payload: fc.uint8Array({ minLength: 16, maxLength: 16 }),
});

describe('KSUID', () => {
  test('S-51: the published id comes apart into its five fields', () => {
    expect(inspectKsuid('1YnlHOfSSk3DhX4BR6lMAceAo1V')).toEqual({
      text: '1YnlHOfSSk3DhX4BR6lMAceAo1V',
      rawHex: '0AF14D665D6068ACBE766CF717E210D69C94D115',
      time: new Date('2020-03-07T13:02:30Z'),
      timestampSeconds: 183_586_150,
      payloadHex: '5D6068ACBE766CF717E210D69C94D115',
    });
  });

  test('S-51: the published id is written from its parts', () => {
    const payload = Buffer.from('5D6068ACBE766CF717E210D69C94D115', 'hex');
    expect(encodeKsuid({ epochSeconds: 1_583_586_150, payload })).toBe('1YnlHOfSSk3DhX4BR6lMAceAo1V');
  });

  test('S-51: the smallest and the largest id', () => {
    expect(encodeKsuid({ epochSeconds: EPOCH_SECONDS_MIN, payload: new Uint8Array(16) })).toBe(MINIMUM);
    expect(encodeKsuid({ epochSeconds: EPOCH_SECONDS_MAX, payload: new Uint8Array(16).fill(0xff) })).toBe(MAXIMUM);
    expect(decodeKsuid(MAXIMUM).epochSeconds).toBe(EPOCH_SECONDS_MAX);
  });

  test('S-51: ten thousand ids made in successive seconds sort by creation', () => {
    const clock = new ManualClock('2020-01-01T00:00:00Z');
    // Decreasing payloads, so that only the time can order the ids.
    let payload = 20_000;
    const newKsuid = createKsuidGenerator({
      clock,
      randomBytes: (count) => {
        payload -= 1;
        const bytes = Buffer.alloc(count);
        bytes.writeUInt32BE(payload, 0);
        return bytes;
      },
    });
    const ids = Array.from({ length: 10_000 }, (_, second) => {
      clock.setToEpochSeconds(1_577_836_800 + second);
      return newKsuid();
    });
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.toSorted()).toEqual(ids);
  });

  test('reading what was written gives the parts back', () => {
    fc.assert(
      fc.property(ksuidParts, (parts) => {
        const text = encodeKsuid(parts);
        expect(text).toMatch(/^[0-9A-Za-z]{27}$/);
        expect(decodeKsuid(text)).toEqual(parts);
      }),
    );
  });

  test('text order is the order of the bytes', () => {
    const raw = ({ epochSeconds, payload }: { epochSeconds: number; payload: Uint8Array }) => {
      const time = Buffer.alloc(4);
      time.writeUInt32BE(epochSeconds - EPOCH_SECONDS_MIN, 0);
      return Buffer.concat([time, payload]);
    };
    fc.assert(
      fc.property(ksuidParts, ksuidParts, (left, right) => {
        const [leftText, rightText] = [encodeKsuid(left), encodeKsuid(right)];
        const textOrder = leftText < rightText ? -1 : Number(leftText > rightText);
        expect(textOrder).toBe(Buffer.compare(raw(left), raw(right)));
      }),
    );
  });

  test.each<[KsuidErrorCode, () => unknown]>([
    ['wrong-length', () => decodeKsuid('1YnlHOfSSk3DhX4BR6lMAceAo1')],
    ['wrong-character', () => decodeKsuid('1YnlHOfSSk3DhX4BR6lMAceAo1-')],
    ['too-large', () => decodeKsuid('aWgEPTl1tmebfsQzFP4bxwgy80W')],
    ['time-out-of-range', () => encodeKsuid({ epochSeconds: 1_399_999_999, payload: new Uint8Array(16) })],
    ['time-out-of-range', () => encodeKsuid({ epochSeconds: EPOCH_SECONDS_MAX + 1, payload: new Uint8Array(16) })],
    ['time-out-of-range', () => encodeKsuid({ epochSeconds: 1_500_000_000.5, payload: new Uint8Array(16) })],
    ['wrong-length', () => encodeKsuid({ epochSeconds: 1_500_000_000, payload: new Uint8Array(15) })],
  ])('refuses with %s', (code, attempt) => {
    expect(attempt).toThrow(KsuidError);
    expect(attempt).toThrow(expect.objectContaining({ code }));
  });
});
