import { codingOf } from '../entities/codec.ts';
import { testedAttributes, topLevel } from '../patterns/condition.ts';
import { keyVariables } from './entities.ts';
import type { EntityInfo, KeyForm, WritePlan } from './resolved.ts';
import { changedAttributes, computedOf, sharesKey, slotsOf } from './slots.ts';

/** A fault that makes a write unsound, although it can be planned. */
export interface WriteFault {
  readonly code: string;
  readonly message: string;
}

/**
 * The faults of a write beyond its plan: how an item is identified, and what an update that also creates leaves out. `check` reports
 * them, and a connection does not run the pattern. Kept apart from the plan, which every application loads.
 */
export function writeFaults(plan: WritePlan): WriteFault[] {
  const { verb, need, named, entity, many, part } = plan;
  const faults: WriteFault[] = [];
  const fail = (code: string, message: string): void => void faults.push({ code, message });
  const settable: readonly string[] = [...(need.sets ?? []), ...(need.maySet ?? [])];
  for (const name of named) {
    if (!entity.attributes.has(name)) fail('unknown-attribute', `${entity.name} has no attribute "${name}"`);
    if (entity.rules.same !== undefined && name in entity.rules.same)
      fail(
        'named-and-same',
        `"${name}" names the item beyond its key, and a condition compares it as it is stored, not by \`same\``,
      );
    if (settable.includes(name))
      fail(
        'named-and-set',
        `"${name}" names the item and is set to the same input: take the value that it has under another name, \`given: { ${name}: ref('old') }\``,
      );
  }
  if (named.length > 0 && verb === 'checks' && need.mustExist === false)
    fail('named-and-absent', `an item that may be absent is named by its key alone, not by ${named.join(', ')}`);
  const { copies = 1 } = entity.rules;
  if (
    sharesKey(entity) &&
    part === undefined &&
    (many ? verb === 'puts' || verb === 'deletes' : verb === 'puts' && copies > 1)
  )
    fail(
      'batch-over-others',
      `an item of another entity may have the key of ${entity.name}, and a batch has no conditions: write the items one by one, or in a transaction`,
    );
  const [first = ''] = keyVariables(entity);
  if (verb === 'checks' && need.mustExist === false && named.length === 0 && testedAttributes(need.given).length === 0)
    fail(
      'checks-nothing',
      `an item that may be absent is checked for nothing: add a condition, such as \`given: { ${first}: { exists: false } }\` for one that must be absent`,
    );
  if (sharesKey(entity) && verb === 'checks' && need.mustExist === false && need.given !== undefined)
    fail(
      'absent-or-another',
      `an item of another entity may have the key of ${entity.name}, and its attributes would be tested: check an item that exists`,
    );
  const strange = need.rekeys?.find((name) => !entity.indexes.some(({ place }) => place.name === name));
  if (strange !== undefined) fail('rekeys-nothing', `${entity.name} has no key in ${strange}`);
  else if ((need.rekeys ?? []).length > 0 && verb !== 'updates')
    fail('rekeys-nothing', 'only an update writes index keys again');
  for (const name of otherThanKeyed(plan))
    fail(
      'index-of-another',
      `an index key has ${name}, and the ${entity.name} under the key may have another than the one by which it is found: write {${name}} into the index as into the key`,
    );
  faults.push(...computedFaults(verb, need, entity));
  if (need.orCreates !== true) return faults;
  if (verb !== 'updates') fail('creates-nothing', `only an update may also create; ${verb} is none`);
  if (entity.rules.lock !== undefined)
    fail('lock-needs-item', `${entity.name} has a version to compare, and an item that is created has none`);
  const lacking = lackingAttributes(need, entity);
  if (lacking.length > 0)
    fail(
      'creates-incomplete',
      `a new ${entity.name} would lack ${lacking.join(', ')}: set them (\`sets\`, or \`changes\` with \`initial\`), or give them a default`,
    );
  for (const name of changedDefaults(plan))
    fail(
      'creates-incomplete',
      `a new ${entity.name} has the default of ${name}, and no request both stores it and changes a part of it: create the item by a pattern of its own, or leave the default to the application`,
    );
  return faults;
}

/**
 * Attributes that an update without a read writes into an index as they are in `by`, if the model accepts that items with other values have the key.
 * What the key itself has is the same for all of them.
 */
function otherThanKeyed({ verb, entity, readsFirst, rekeys }: WritePlan): string[] {
  if (verb !== 'updates' || readsFirst || entity.accepts?.['key-not-exact'] === undefined) return [];
  const own = keyVariables(entity);
  const keyed = new Set(writtenIn(entity.key));
  const names = rekeys.flatMap(({ forms }) =>
    forms.flatMap((form) => [
      ...testedAttributes(form.when),
      ...own.filter((name) => writtenIn(form).some((text) => text.startsWith(`${name}:`) && !keyed.has(text))),
    ]),
  );
  return own.filter((name) => names.includes(name));
}

/** The attributes in a key, each with its encoding. */
function writtenIn(form: KeyForm): string[] {
  return slotsOf(form).flatMap(({ template }) =>
    template.parts.flatMap((part) => (typeof part === 'string' ? [] : [`${part.name}:${part.encoding}`])),
  );
}

/** Attributes with a default of which a write without a read changes a part: within a document, or an element of a set. */
function changedDefaults({ need, entity, readsFirst }: WritePlan): string[] {
  if (readsFirst) return [];
  const changed = Object.entries(need.changes ?? {}).flatMap(([path, change]: [string, unknown]) => {
    const [name = ''] = topLevel({ [path]: change });
    const fallback = entity.attributes.get(name)?.fallback;
    const isOfSet = 'include' in Object(change) || 'exclude' in Object(change);
    const isPart = path === name ? isOfSet && (!(fallback instanceof Set) || fallback.size > 0) : true;
    return fallback !== undefined && isPart ? [name] : [];
  });
  return [...new Set(changed)];
}

function isCoded({ attributes }: EntityInfo, name: string): boolean {
  const schema = attributes.get(name)?.schema;
  return schema !== undefined && codingOf(schema) !== undefined;
}

/** An update that changes some of the attributes from which another is computed must have all of them. */
function computedFaults(verb: WritePlan['verb'], need: WritePlan['need'], entity: EntityInfo): WriteFault[] {
  const { sets = [], maySet = [], by = [], changes = {} } = need;
  const constants = Object.entries(changes).flatMap(([path, change]) =>
    typeof change !== 'object' || change === null || 'ref' in change || 'remove' in change ? [path] : [],
  );
  const known = new Set<string>([...by, ...sets, ...constants]);
  const changed = changedAttributes(need, entity);
  return computedOf(entity.rules).flatMap(([name, { from }]): WriteFault[] => {
    const fault = (message: string): WriteFault[] => [
      { code: 'computed', message: `${name} is computed from ${from.join(' and ')}: ${message}` },
    ];
    const list = from.join(', ');
    if ([name, ...from].some((each) => isCoded(entity, each)))
      return fault(
        'a function gets and gives what is stored, and an attribute with a codec is something else to the application. Compute it by another attribute',
      );
    if ([...sets, ...maySet, ...topLevel(changes)].includes(name)) return fault('no pattern sets it');
    if (need.orCreates === true && by.some((each) => each === name))
      return fault(
        'an update that also creates its item would set it as it is given. Use `upserts`, which computes it',
      );
    if (verb === 'upserts' && from.some((each) => entity.attributes.get(each)?.optional === true))
      return fault(
        `an upsert may leave one of them out, and what is stored is not known. Require ${list}, or update the item`,
      );
    if (verb !== 'updates') return [];
    const isWhole =
      from.every((each) => known.has(each)) ||
      (from.length === 1 && from.every((each) => maySet.some((may) => may === each)));
    if (need.orCreates !== true && !from.some((each) => changed.has(each))) return [];
    return isWhole
      ? []
      : fault(`an update that changes one of them has to take all, as they are to be. Add what is missing to \`sets\``);
  });
}

/** Attributes that every item has and that an update which creates one would leave out. */
function lackingAttributes(need: WritePlan['need'], { attributes, rules }: EntityInfo): string[] {
  const written = Object.entries(need.changes ?? {}).flatMap(([path, change]) =>
    typeof change === 'object' && change !== null && 'remove' in change ? [] : [path],
  );
  const set = new Set<string>([...(need.by ?? []), ...(need.sets ?? []), ...written]);
  const { computed = {} } = rules;
  return [...attributes.values()]
    .filter(({ name, optional }) => !optional && !set.has(name) && !(name in computed) && name !== rules.lock)
    .map(({ name }) => name);
}
