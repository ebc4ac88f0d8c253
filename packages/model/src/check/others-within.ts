import type { QueryStream, ResolvedModel, SortBound } from '../resolve/resolved.ts';
import { choicesOf, withChoice } from './constants.ts';
import { impliedResidents, literalPrefix, type Resident, residentsOf, slotsCanBeEqual } from './residents.ts';
import { compareText } from '../patterns/evaluate.ts';
import { after, canBeginWith } from './text-pattern.ts';

/** Other items between the first and the last sort key that is read. */
export function othersWithin(model: ResolvedModel, { place, partition, bounds }: QueryStream): Resident[] {
  const wanted = new Set(bounds.map(({ form }) => form));
  return [...residentsOf(model, place), ...impliedResidents(model, place)].filter(
    (other) =>
      !wanted.has(other.form) &&
      choicesOf(other.form.when).some(
        (choice) =>
          slotsCanBeEqual(partition, withChoice(other.partition, choice), other.entity.table.separator) &&
          withinRange(bounds, { entity: other.entity, sort: withChoice(other.sort, choice) }),
      ),
  );
}

/** Whether a sort key of another kind of item may be between the first and the last that is read. */
export function withinRange(bounds: readonly SortBound[], other: Pick<Resident, 'entity' | 'sort'>): boolean {
  const [first] = bounds;
  const last = bounds.at(-1);
  const { separator } = other.entity.table;
  const [theirs] = other.sort;
  if (first === undefined || last === undefined || theirs === undefined) return true;
  if (first === last) {
    const mine = first.partial === undefined ? first.equal.at(-1)?.template : first.partial.bound;
    if (mine === undefined) return true;
    if (first.equal.length > 1 || (first.equal.length === 1 && first.partial !== undefined)) {
      return slotsCanBeEqual(first.equal, other.sort, separator);
    }
    return canBeginWith(theirs.template, mine, separator, first.partial !== undefined);
  }
  const low = literalPrefix(first.form.sort);
  const high = literalPrefix(last.form.sort);
  const prefix = literalPrefix(other.sort);
  const [beforeEnd, end] = [after(high), after(prefix)];
  return (
    (beforeEnd === undefined || compareText(prefix, beforeEnd) < 0) && (end === undefined || compareText(end, low) > 0)
  );
}
