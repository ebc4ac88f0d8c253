import type { KeyForm, PatternInfo, ResolvedModel } from '../resolve/resolved.ts';
import { changedAttributes, countedParents, guardedAttributes, talliedAttributes } from '../resolve/slots.ts';

/**
 * The keys of what a pattern writes, with those of its indexes, and those of the guards and parents that it maintains or takes
 * numbers from; undefined for a read.
 */
export function writtenKeys({ entities }: ResolvedModel, { plan }: PatternInfo): string[] | undefined {
  if (plan?.kind !== 'write') return undefined;
  const all = plan.writes.flatMap(({ verb, need, entity, rekeys }) => {
    const changed = changedAttributes(need, entity);
    // A write of a whole item, or of its absence, maintains all that depends on it, and an update what depends on the changed attributes.
    const isWhole = (verb !== 'updates' && verb !== 'checks') || need.orCreates === true;
    const isKept = (attributes: readonly string[]): boolean => isWhole || attributes.some((name) => changed.has(name));
    const guards = entity.unique.filter((each) => isKept([...guardedAttributes(each), entity.rules.expires ?? '']));
    const counting = countedParents(entity).filter((parent) => isKept(talliedAttributes(parent)));
    const numbered = verb === 'creates' ? entity.sequences.map(({ parent }) => parent) : [];
    const parents = [...numbered, ...counting].flatMap((parent) => entities.get(parent.entity) ?? []);
    const indexed = rekeys.flatMap(({ place, forms }) =>
      forms.map(
        (form) => `${place.name}: ${text(form)}${form.when === undefined ? '' : ` when ${conditionText(form.when)}`}`,
      ),
    );
    const others = [...guards.map(({ form }) => form), ...parents.map(({ key }) => key)];
    return [text(entity.key), ...indexed, ...others.map(text)];
  });
  return [...new Set(all)];
}

function text({ partition, sort }: Pick<KeyForm, 'partition' | 'sort'>): string {
  return [...partition, ...sort].map(({ attribute, template }) => `${attribute} = ${template.source}`).join(', ');
}

/** A condition in words: `status is OPEN`. */
export function conditionText(condition: object): string {
  return Object.entries(condition)
    .map(([name, test]) => `${name} is ${typeof test === 'object' ? JSON.stringify(test) : String(test)}`)
    .join(' and ');
}
