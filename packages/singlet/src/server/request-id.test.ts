import { expect, it } from 'vitest';
import { createRequestIds } from './request-id.ts';
import { countingRandom } from './testing/wire-client.ts';

it('DB-126 makes request ids in the form of the service, a new one each time', () => {
  const next = createRequestIds(countingRandom());
  const ids = Array.from({ length: 300 }, next);
  for (const id of ids) expect(id).toMatch(/^[0-9A-V]{26}VV4KQNSO5AEMVJF66Q9ASUAAJG$/);
  expect(ids[0]).not.toBe(ids[1]);
});

it('comes from the random source alone', () => {
  expect(createRequestIds(countingRandom())()).toBe(createRequestIds(countingRandom())());
});

it('uses each random byte once', () => {
  let asked = 0;
  const next = createRequestIds({ bytes: (count) => new Uint8Array(count).fill((asked += 1)) });
  const ids = new Set(Array.from({ length: 256 }, next));
  expect(ids.size).toBe(2);
  expect(asked).toBe(2);
});
