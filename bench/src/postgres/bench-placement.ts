import { createRandom } from '../random.ts';
import { textTable } from '../text-table.ts';
import { type PlacementPlan, simulatePlacement } from './placement.ts';

/** A petabyte and ten million requests a second, grown from three servers: docs/scale-out.md has the arithmetic. */
const petabyte: Omit<PlacementPlan, 'placements'> = {
  servers: [3, 6, 12, 25, 50, 100, 200, 400, 500],
  // A real database has more, which makes its servers more even than the simulated ones.
  partitionKeys: 5_000_000,
  largestCollection: 10_000,
  skew: 0.9,
  requestsPerSecond: 10_000_000,
  requestsPerKeyMax: 4_000,
};

/** `npm run bench -- placement`: prints the simulation of the plan. Nothing is measured. */
export function benchPlacement(): string {
  return [4_096, 16_384, 65_536]
    .map((placements) => {
      const random = createRandom(1);
      const steps = simulatePlacement({ ...petabyte, placements }, () => random(2 ** 30) / 2 ** 30);
      const rows = steps.map(({ servers, moved, leastMoved, fullest, busiest }) => [
        `${servers}`,
        ...[moved, leastMoved].map((share) => `${(share * 100).toFixed(1)} %`),
        ...[fullest, busiest].map((ratio) => ratio.toFixed(2)),
      ]);
      const header = ['servers', 'moved', 'least', 'fullest / mean', 'busiest / mean'];
      return `${placements} placements\n${textTable(header, rows)}\n`;
    })
    .join('\n');
}
