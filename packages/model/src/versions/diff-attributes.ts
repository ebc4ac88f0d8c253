import type { EntityInfo, KeyForm } from '../resolve/resolved.ts';
import { formAttributes, guardedAttributes, slotsOf } from '../resolve/slots.ts';
import { canonical } from '../run/cursor.ts';
import type { Change } from './change.ts';
import type { EntityPair } from './pair.ts';
import type { SnapshotAttribute, Version } from './snapshot.ts';

interface Comparison extends EntityPair {
  readonly old: { readonly [attribute: string]: SnapshotAttribute };
  readonly next: { readonly [attribute: string]: SnapshotAttribute };
}

/** Differences of an entity's attributes. */
export function changesOfAttributes(
  versions: { readonly before: Version; readonly after: Version },
  pair: EntityPair,
): Change[] {
  const old = versions.before.snapshot.entities[pair.before.name]?.attributes ?? {};
  const next = versions.after.snapshot.entities[pair.after.name]?.attributes ?? {};
  const compared = { ...pair, old, next };
  const removed = Object.keys(old).filter(
    (name) => next[name] === undefined && renamedTo(compared, name) === undefined,
  );
  return [
    ...Object.keys(next).flatMap((name) => changesOfAttribute(compared, name)),
    ...removed.map((name) => attributeRemoved(pair, name)),
  ];
}

/** Stored items keep an attribute that goes. It must not keep them in an index, or bring them into one. */
function attributeRemoved({ before, after }: EntityPair, name: string): Change {
  const about = { code: 'attribute-removed', path: pathOf(after, name), entity: after.name, deploy: 'any' } as const;
  const stored = before.attributes.get(name)?.stored;
  const had = namesIn(before);
  const has = namesIn(after);
  const index = after.table.indexes.find((place) => {
    const names = slotsOf(place).map(({ attribute }) => attribute);
    const forms = after.indexes.find((own) => own.place.name === place.name)?.forms ?? [];
    // A key without a condition is written into every item.
    const isWritten = forms.some(({ when }) => when === undefined);
    return !isWritten && names.some((each) => each === stored) && names.every((each) => had.has(each) || has.has(each));
  });
  if (index === undefined) return { ...about, class: 'nothing', message: 'Stored items keep it, out of sight.' };
  const message = `Stored items keep it, and ${index.name}, of which it is a key attribute, lists them because of it: remove it from the items first, or give ${index.name} other key attributes and another name.`;
  return { ...about, class: 'by-hand', message };
}

/** The attributes that stored items of an entity can have. */
function namesIn({ attributes, key, indexes }: EntityInfo): Set<string> {
  const slots = [key, ...indexes.flatMap(({ forms }) => forms)].flatMap(slotsOf);
  return new Set([...[...attributes.values()].map(({ stored }) => stored), ...slots.map(({ attribute }) => attribute)]);
}

function changesOfAttribute(compared: Comparison, name: string): Change[] {
  const { before, after, old, next } = compared;
  const path = pathOf(after, name);
  const entity = after.name;
  const about = next[name];
  const stored = after.attributes.get(name)?.stored;
  if (about === undefined || stored === undefined) return [];
  const holder = [...before.attributes.values()].find((attribute) => attribute.stored === stored);
  const was = old[name] ?? (holder === undefined ? undefined : old[holder.name]);
  if (holder !== undefined && holder.name !== name && (old[name] !== undefined || next[holder.name] !== undefined)) {
    const message = `The stored name ${stored} means ${holder.name} in the old version: choose another.`;
    return [{ class: 'by-hand', code: 'stored-name-reused', path, entity, message, deploy: 'any' }];
  }
  if (was === undefined) return [added(compared, name, about)];
  const changes: Change[] = [];
  const backfill = (code: string, message: string, needsFunction: boolean): void => {
    changes.push({
      class: 'backfill',
      code,
      path,
      entity,
      message,
      deploy: 'dual',
      ...(needsFunction && { needsFunction }),
    });
  };
  if (holder === undefined) backfill('attribute-stored-as', `It is stored as ${stored} from now on.`, false);
  else if (holder.name !== name)
    changes.push({
      class: 'nothing',
      code: 'attribute-renamed',
      path,
      entity,
      message: `${holder.name} is called ${name}; it is stored as before.`,
      deploy: 'any',
    });
  if (was.kind !== about.kind && was.kind !== 'unknown' && about.kind !== 'unknown')
    backfill('attribute-kind', `What is stored changes from ${was.kind} to ${about.kind}: a function says how.`, true);
  if (
    about.computed !== undefined &&
    was.computed !== undefined &&
    canonical(was.computed) !== canonical(about.computed)
  )
    backfill('attribute-computed', `It is computed from ${about.computed.join(', ')}: a function computes it.`, true);
  if (was.optional && !about.optional && name !== after.rules.lock) {
    const supplies = was.default === undefined ? 'need a value: a function gives it' : 'get the default that they had';
    backfill('attribute-required', `Items that lack it ${supplies}.`, was.default === undefined);
  } else if (canonical(was.default ?? null) !== canonical(about.default ?? null))
    changes.push(...defaultChanged(compared, name));
  return changes;
}

function added({ after }: Comparison, name: string, about: SnapshotAttribute): Change {
  const path = pathOf(after, name);
  const entity = after.name;
  if (name === after.rules.lock) {
    const message = 'Stored items get version 1.';
    return { class: 'backfill', code: 'lock-added', path, entity, message, deploy: 'dual', strategy: 'P-26' };
  }
  if (!about.optional || about.computed !== undefined) {
    const message =
      about.computed === undefined
        ? 'Stored items lack it and need a value: a function gives it.'
        : 'Stored items lack it, because only writes compute it: a function computes it.';
    return {
      class: 'backfill',
      code: about.computed === undefined ? 'attribute-required' : 'attribute-computed',
      path,
      entity,
      message,
      deploy: 'dual',
      needsFunction: true,
    };
  }
  const { from } = Object.entries(after.rules.duplicates ?? {}).find(([copy]) => copy === name)?.[1] ?? {};
  if (from !== undefined) {
    const message = `Stored items lack the copy of ${from}: write it with the new version, for each source (propagation, rewrite).`;
    return { class: 'by-hand', code: 'copy-added', path, entity, message, deploy: 'writers-first' };
  }
  const message = about.default === undefined ? 'Stored items read without it.' : 'Stored items read with its default.';
  return { class: 'lazy', code: 'attribute-added', path, entity, message, deploy: 'any', strategy: 'S-58' };
}

/** A default that is part of a key is written into the keys of the items that lack the attribute. */
function defaultChanged({ before, after, next }: Comparison, name: string): Change[] {
  const about = { code: 'default-changed', path: pathOf(after, name), entity: after.name } as const;
  const message = 'Items that lack it read with the new default.';
  const computed = Object.keys(next).filter((each) => next[each]?.computed?.includes(name));
  if (computed.length > 0) {
    const asks = `${message} A function computes their ${computed.join(' and ')} again.`;
    return [{ ...about, class: 'backfill', message: asks, deploy: 'dual', needsFunction: true }];
  }
  const isIn = (forms: readonly KeyForm[]): boolean => forms.some((form) => formAttributes(form).includes(name));
  if (isIn([before.key, after.key]))
    return [{ ...about, class: 're-key', message: `${message} They move to other keys.`, deploy: 'dual' }];
  if ([before, after].some(({ unique }) => unique.some((each) => guardedAttributes(each).includes(name))))
    return [{ ...about, class: 'backfill', message: `${message} Their guards are rewritten.`, deploy: 'dual' }];
  if (isIn(after.indexes.flatMap(({ forms }) => forms)))
    return [
      { ...about, class: 'backfill', message: `${message} Their index keys are rewritten.`, deploy: 'writers-first' },
    ];
  return [{ ...about, class: 'lazy', message, deploy: 'any' }];
}

function renamedTo({ before, after }: EntityPair, name: string): string | undefined {
  const stored = before.attributes.get(name)?.stored;
  return [...after.attributes.values()].find((attribute) => attribute.stored === stored)?.name;
}

function pathOf(entity: EntityInfo, attribute: string): string {
  return `entities.${entity.name}.${attribute}`;
}
