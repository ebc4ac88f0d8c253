import type { ResolvedModel } from '../resolve/resolved.ts';
import { talliesOf } from '../resolve/slots.ts';

/** The numbers of an entity's items that writes of their children keep: counts and sums. Each begins at 0. */
export function keptTallies({ entities }: ResolvedModel, name: string): string[] {
  return [...entities.values()].flatMap(({ parents }) =>
    parents.flatMap((parent) => (parent.entity === name ? talliesOf(parent).map(([tally]) => tally) : [])),
  );
}
