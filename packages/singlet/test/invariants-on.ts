import { afterEach } from 'vitest';
import { switchInvariants } from '../src/values/invariants.ts';

/** Runs before every test file, and enables invariants. INVARIANTS_SEED repeats the choices of a failure. */
const seed = Number(process.env['INVARIANTS_SEED'] ?? Math.floor(Math.random() * 0x1_0000_0000));

let state = seed >>> 0;

/** Mulberry32: small, and the same on every platform. */
switchInvariants(() => {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
});

afterEach(({ task }) => {
  // oxlint-disable-next-line no-console -- a failure has to say how it is repeated
  if (task.result?.state === 'fail') console.error(`fast paths were chosen by INVARIANTS_SEED=${seed}`);
});
