import type { ReactNode } from 'react';
import { heatLevel } from '../../app/heat.ts';
import { unitsText } from '../../ui/figures.ts';
import type { ResourceCapacity } from './use-rates.ts';

const barsMax = 16;
const barWidth = 7;
const height = 14;

/** A bar for each partition, from the start of hash space to its end: how much of its throughput was used. */
export function PartitionHeat({ partitions }: Pick<ResourceCapacity, 'partitions'>): ReactNode {
  const heats = hottestOfNeighbours(partitions.map(({ heat }) => heat));
  const hottest = Math.max(0, ...heats);
  const text = `${partitions.length} ${partitions.length === 1 ? 'partition' : 'partitions'}, the hottest at ${unitsText(hottest * 100)} %`;
  return (
    <svg className="partition-heat" viewBox={`0 0 ${heats.length * barWidth} ${height}`} role="img" aria-label={text}>
      <title>{text}</title>
      {heats.map((heat, at) => {
        const level = heatLevel(heat, 1);
        const tall = Math.max(2, (level / 5) * height);
        return (
          // The partitions, in the order of their hashes.
          <rect
            key={at}
            className={level === 0 ? 'track' : `level-${level}`}
            x={at * barWidth}
            y={height - tall}
            width={barWidth - 2}
            height={tall}
          />
        );
      })}
    </svg>
  );
}

/** Of many partitions, neighbours share a bar, which is as hot as the hottest of them. */
function hottestOfNeighbours(heats: readonly number[]): readonly number[] {
  const each = Math.ceil(heats.length / barsMax);
  return Array.from({ length: Math.ceil(heats.length / Math.max(1, each)) }, (_, at) =>
    Math.max(...heats.slice(at * each, (at + 1) * each)),
  );
}
