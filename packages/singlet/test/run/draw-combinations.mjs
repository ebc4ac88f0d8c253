/** Draws the combinations that a run tries (systems/testing/drawn.ts), and says how to repeat it. */
import { randomInt } from 'node:crypto';

const seedsMax = 1_000_000;

/** Once for each project of vitest.config.ts. */
export function setup() {
  if (process.env['COMBINATIONS'] !== undefined) return;
  const seed = String(randomInt(seedsMax));
  process.env['COMBINATIONS'] = seed;
  process.stdout.write(`Combinations are drawn by COMBINATIONS=${seed}; "npm run long -- combinations" tries all.\n`);
}
