import { keyVariables } from '../resolve/entities.ts';
import type { EntityInfo, IndexKeyInfo, KeyForm, ParentInfo, UniqueInfo } from '../resolve/resolved.ts';
import { formAttributes, slotsOf as slotsIn } from '../resolve/slots.ts';
import { canonical } from '../run/cursor.ts';
import { changesOfAttributes } from './diff-attributes.ts';
import type { Change, Deploy } from './change.ts';
import type { EntityPair } from './pair.ts';
import type { Version } from './snapshot.ts';

interface Versions {
  readonly before: Version;
  readonly after: Version;
}

/** Differences of an entity that both versions have. */
export function changesOfEntity(versions: Versions, pair: EntityPair): Change[] {
  return [
    ...changesOfType(pair),
    ...typeOfAnother(versions, pair.after, pair.before),
    ...changesOfAttributes(versions, pair),
    ...changesOfKey(pair),
    ...changesOfIndexKeys(pair),
    ...changesOfUnique(pair),
    ...changesOfRules(pair),
    ...changesOfParents(pair),
  ];
}

/** A new entity: where its items are stored. */
export function changesOfNewEntity(
  { before, after }: Versions,
  entity: EntityInfo,
  removed: readonly EntityInfo[],
): Change[] {
  const path = `entities.${entity.name}`;
  const change = (kind: Change['class'], strategy: string, message: string): Change[] => [
    { class: kind, code: 'entity-added', path, entity: entity.name, message, deploy: 'any', strategy },
  ];
  const taken = typeOfAnother({ before, after }, entity, undefined);
  if (taken.length > 0) return taken;
  const former = removed.find(
    (other) => other.table.name === entity.table.name && keyShape(other) === keyShape(entity),
  );
  if (former !== undefined) {
    const message = `Items of ${former.name} keep these keys, with the type "${former.type}" and guards of their own: reading one is an error. If ${entity.name} is a new name of ${former.name}, keep the type: storage: { ${entity.name}: { type: '${former.type}' } }. Otherwise delete the items of ${former.name} with the old version first.`;
    return [{ class: 'by-hand', code: 'key-reused', path, entity: entity.name, message, deploy: 'any' }];
  }
  const joined = collectionsOf(entity).flatMap((own) =>
    [...after.resolved.entities.values()].flatMap((other) => {
      const theirs = collectionsOf(other).find(({ place, shape }) => place === own.place && shape === own.shape);
      const old = before.resolved.entities.get(other.name);
      if (old === undefined || theirs === undefined) return [];
      const known = collectionsOf(old).some(({ place, shape }) => place === own.place && shape === own.shape);
      return [{ entity: other.name, place: own.place, known }];
    }),
  );
  const present = joined.find(({ known }) => known);
  if (present !== undefined)
    return change(
      'nothing',
      'S-60',
      `Its items join the collections of ${present.entity} in ${present.place}. Queries of those must be bounded.`,
    );
  const [fresh] = joined;
  if (fresh !== undefined)
    return change(
      'new-collection',
      'S-61',
      `Its items share collections of ${fresh.place} with ${fresh.entity}, whose items are not there yet.`,
    );
  return change('new-collection', 'S-59', 'Its items are in collections of their own.');
}

/** The primary key of an entity, without the variables' names. */
function keyShape({ key }: EntityInfo): string {
  return shapeOf([...key.partition, ...key.sort]);
}

function shapeOf(slots: KeyForm['partition']): string {
  return slots.map(({ template }) => template.source.replace(/\{[^}]*\}/g, '{}')).join('|');
}

/** The item collections of an entity: place, and its partition key without the variables' names. */
function collectionsOf(entity: EntityInfo): { readonly place: string; readonly shape: string }[] {
  return [
    { place: entity.table.name, shape: shapeOf(entity.key.partition) },
    ...entity.indexes.flatMap(({ place, forms }) =>
      place.kind === 'local' ? [] : forms.map((form) => ({ place: place.name, shape: shapeOf(form.partition) })),
    ),
  ];
}

function changesOfType({ before, after }: EntityPair): Change[] {
  const path = `entities.${after.name}`;
  const { name: entity } = after;
  if (before.type !== after.type) {
    const message = `The type attribute becomes "${after.type}". Until the end, lists that come across the old one fail: readers change last, or keep the type.`;
    return [{ class: 'backfill', code: 'type-changed', path, entity, message, deploy: 'dual' }];
  }
  if (before.name === after.name) return [];
  const message = `${before.name} is called ${after.name}; the stored type stays.`;
  return [{ class: 'nothing', code: 'entity-renamed', path, entity, message, deploy: 'any' }];
}

/** Items are told apart by their type alone: one that stored items of another entity have would make them this entity's. */
function typeOfAnother({ before }: Versions, { name, type, table }: EntityInfo, was: EntityInfo | undefined): Change[] {
  if (was !== undefined && was.type === type && was.table.name === table.name) return [];
  const other = [...before.resolved.entities.values()].find(
    (each) => each.name !== was?.name && each.type === type && each.table.name === table.name,
  );
  if (other === undefined) return [];
  const message = `Items of ${other.name} have the type "${type}" in the old version: choose another, or remove them and accept a version in between.`;
  return [{ class: 'by-hand', code: 'type-reused', path: `entities.${name}`, entity: name, message, deploy: 'any' }];
}

function changesOfKey({ before, after }: EntityPair): Change[] {
  const { name: entity, table } = after;
  if (before.table.name === table.name && formText(before.key) === formText(after.key)) return [];
  const message =
    before.table.name === table.name
      ? `The primary key changes from ${sourceOf(before.key)} to ${sourceOf(after.key)}: each item moves in one transaction.`
      : `The items move from ${before.table.name} to ${table.name}, each in one transaction.`;
  return [
    { class: 're-key', code: 'key-changed', path: `keys.${entity}.${table.name}`, entity, message, deploy: 'dual' },
  ];
}

function changesOfIndexKeys({ before, after }: EntityPair): Change[] {
  const { name: entity } = after;
  const changes: Change[] = [];
  const backfill = (index: string, code: string, message: string, deploy: Deploy): void => {
    const path = `keys.${entity}.${index}`;
    changes.push({ class: 'backfill', code, path, entity, message, deploy, strategy: 'S-63' });
  };
  for (const index of after.indexes) {
    const old = before.indexes.find(({ place }) => place.name === index.place.name);
    const text = indexKeyText(index);
    if (old !== undefined && indexKeyText(old) === text) continue;
    if (old === undefined && isFilled(after, index)) {
      const message = 'The index is made of attributes that items have: making it fills it.';
      changes.push({
        class: 'nothing',
        code: 'index-key-added',
        path: `keys.${entity}.${index.place.name}`,
        entity,
        message,
        deploy: 'any',
      });
    } else if (old === undefined)
      backfill(
        index.place.name,
        'index-key-added',
        `Items are given ${slotsOf(index).join(' and ')}.`,
        'writers-first',
      );
    else
      backfill(
        index.place.name,
        'index-key-changed',
        `Items are given ${slotsOf(index).join(' and ')} again.`,
        'writers-first',
      );
  }
  for (const { place, forms } of before.indexes) {
    const kept = after.indexes.some((index) => index.place.name === place.name);
    if (kept || !isKeyOfAnIndex(after.table, forms)) continue;
    backfill(
      place.name,
      'index-key-removed',
      'Items leave the index: its key attributes are taken away.',
      'writers-first',
    );
  }
  return changes;
}

/** Whether an index of the table has a key attribute that only these keys write. The index itself may have another name by now. */
function isKeyOfAnIndex({ indexes }: EntityInfo['table'], forms: readonly KeyForm[]): boolean {
  const written = forms.flatMap(slotsIn).filter(({ own }) => !own);
  return indexes.some((index) =>
    slotsIn(index).some((key) => written.some((slot) => slot.attribute === key.attribute)),
  );
}

/** Whether every part of the key is an attribute in its stored form, and none is missing by default. */
function isFilled(entity: EntityInfo, { forms }: IndexKeyInfo): boolean {
  return forms.every(
    (form) =>
      form.when === undefined &&
      [...form.partition, ...form.sort].every(({ own }) => own) &&
      formAttributes(form).every((name) => entity.attributes.get(name)?.fallback === undefined),
  );
}

function changesOfUnique({ before, after }: EntityPair): Change[] {
  const { name: entity } = after;
  const path = (attribute: string): string => `entities.${entity}.unique.${attribute}`;
  const moved = guardBodyText(before) !== guardBodyText(after);
  const added = after.unique.flatMap((unique): Change[] => {
    const old = before.unique.find(({ attribute }) => attribute === unique.attribute);
    if (old !== undefined && uniqueText(old) === uniqueText(unique) && !moved) return [];
    const message = `Each item gets the guard of its ${unique.attribute}. Two that share one are found, and stop the migration until one is changed.`;
    const code = old === undefined ? 'unique-added' : 'unique-changed';
    return [
      { class: 'backfill', code, path: path(unique.attribute), entity, message, deploy: 'dual', strategy: 'S-65' },
    ];
  });
  const removed = before.unique.filter((old) => !after.unique.some(({ attribute }) => attribute === old.attribute));
  return [
    ...added,
    ...removed.map(({ attribute }): Change => {
      const message = `The guards of ${attribute} are deleted.`;
      return {
        class: 'backfill',
        code: 'unique-removed',
        path: path(attribute),
        entity,
        message,
        deploy: 'writers-first',
      };
    }),
  ];
}

function changesOfRules({ before, after }: EntityPair): Change[] {
  const { name: entity } = after;
  const changes: Change[] = [];
  const byHand = (rule: string, message: string): void => {
    const path = `entities.${entity}.${rule}`;
    changes.push({ class: 'by-hand', code: `${rule}-changed`, path, entity, message, deploy: 'any' });
  };
  if (before.rules.copies !== after.rules.copies)
    byHand('copies', 'Write the items again with the new version: a read may pick a copy that is not there.');
  const sequences = ({ rules }: EntityInfo): string => canonical(rules.sequence ?? {});
  if (sequences(before) !== sequences(after))
    byHand(
      'sequence',
      'Set the counters of the parents to the highest number given out before the new version writes.',
    );
  const { expires } = after.rules;
  if (expires !== undefined && lacksExpiry({ before, after }, expires))
    byHand(
      'expires',
      `Items that lack ${expires} read with its default, but expire by a stored value only: make it optional, or store a value with a function.`,
    );
  return changes;
}

/** Whether stored items may lack a time to live that reading fills in, which the old version does not do in the same way. */
function lacksExpiry({ before, after }: EntityPair, expires: string): boolean {
  const next = after.attributes.get(expires);
  if (next?.fallback === undefined) return false;
  const old = [...before.attributes.values()].find(({ name, stored }) => name === expires || stored === next.stored);
  if (old === undefined) return true;
  if (old.fallback === undefined) return old.optional;
  return before.rules.expires !== old.name || canonical(old.fallback) !== canonical(next.fallback);
}

function changesOfParents({ before, after }: EntityPair): Change[] {
  const { name: entity } = after;
  return after.parents.flatMap((parent): Change[] => {
    const old = before.parents.find((each) => each.entity === parent.entity && byText(each) === byText(parent));
    const path = `relationships.${parent.entity}.${entity}`;
    const changes: Change[] = [];
    if (parent.rules.count !== undefined && old?.rules.count !== parent.rules.count) {
      const message = `Each ${parent.entity} counts its items of ${entity} in ${parent.rules.count}.`;
      changes.push({ class: 'backfill', code: 'count-added', path, entity, message, deploy: 'dual', strategy: 'S-69' });
    }
    // What reading fills in is added up as well.
    const isFilledAlike = (of: string): boolean =>
      canonical(before.attributes.get(of)?.fallback ?? null) === canonical(after.attributes.get(of)?.fallback ?? null);
    const sums = Object.entries(parent.rules.sum ?? {}).filter(
      ([tally, of]) => old?.rules.sum?.[tally] !== of || !isFilledAlike(of),
    );
    if (sums.length > 0) {
      const message = `Each ${parent.entity} adds up its items of ${entity} in ${sums.map(([tally]) => tally).join(', ')}. Add up those that are there before the new version writes.`;
      changes.push({ class: 'by-hand', code: 'sum-added', path, entity, message, deploy: 'writers-first' });
    }
    if (changes.length > 0 || parent.rules.required !== true || old?.rules.required === true) return changes;
    const message = 'New items need their parent; those that are there are not looked at.';
    return [{ class: 'nothing', code: 'required-added', path, entity, message, deploy: 'any' }];
  });
}

function byText({ by }: ParentInfo): string {
  return by.map((names) => names.join('=')).join();
}

function formText(form: KeyForm): string {
  const slots = [...form.partition, ...form.sort].map(({ attribute, template }) => `${attribute}=${template.source}`);
  return `${slots.join('|')} ${form.when === undefined ? '' : canonical(form.when)}`;
}

function indexKeyText({ forms }: IndexKeyInfo): string {
  return forms.map(formText).join(' / ');
}

function uniqueText({ type, form }: UniqueInfo): string {
  return `${type} ${formText(form)}`;
}

/** What a guard has besides its key: its table, the key of its owner, and when it expires with it. */
function guardBodyText(entity: EntityInfo): string {
  return [entity.table.name, ...keyVariables(entity), `expires ${entity.rules.expires ?? 'never'}`].join();
}

function sourceOf(form: KeyForm): string {
  return [...form.partition, ...form.sort].map(({ template }) => template.source).join(' and ');
}

function slotsOf({ forms }: IndexKeyInfo): string[] {
  return [
    ...new Set(forms.flatMap(({ partition, sort }) => [...partition, ...sort].map(({ attribute }) => attribute))),
  ];
}
