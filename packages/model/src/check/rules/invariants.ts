import type { WriteNeed } from '../../patterns/need.ts';
import { domainOf } from '../../keys/domain.ts';
import { isReference } from '../../patterns/condition.ts';
import type {
  AttributeInfo,
  EntityInfo,
  KeyForm,
  ParentInfo,
  PatternInfo,
  ResolvedModel,
  UniqueInfo,
  WritePlan,
} from '../../resolve/resolved.ts';
import { shardsOf } from '../../keys/template.ts';
import { keyVariables } from '../../resolve/entities.ts';
import { sharedTexts } from '../../proof/read-proof.ts';
import {
  changedAttributes,
  computedOf,
  countedParents,
  formAttributes,
  isCounted,
  slotsOf,
  talliesOf,
  variableNames,
} from '../../resolve/slots.ts';
import type { StandardSchema } from '../../schema/standard-schema.ts';
import type { Report } from '../finding.ts';
import { attributeWithin } from '../within-documents.ts';
import { nameText } from '../../bridges/shape.ts';
import { counted, listed } from '../counted.ts';
import { writePath, writesOf } from '../residents.ts';
import { describe } from '../bounds.ts';
import { exceededSizes, sizesOf } from '../size-change.ts';
import { amountRange, exceeded, mayBeMissing, type NumberRange, rangeOfSchema } from '../sum-range.ts';
import { isRequired } from '../presence.ts';
import type { Rule } from '../rule.ts';

/** Rules about invariants that a write must keep: bounds of numbers, guards, counters. */
export const invariantRules: readonly Rule[] = [
  {
    code: 'bound-not-kept',
    level: 'error',
    ids: ['LP-24', 'S-66'],
    title: 'An update can exceed a bound',
    why: 'An update adds to the stored number, list or set, or takes an element from a set, and no schema checks the result. Without a condition it can exceed the bound in its schema; the item can then be read, but not written again. A set without elements is not stored: a required one is then missing, and one with a default is read as the default.',
    remedy: 'Add the condition to the pattern, in `given`.',
    look: (model) => [
      ...writesOf(model).flatMap((each) =>
        Object.entries(each.write.need.changes ?? {}).flatMap(([name, change]: [string, unknown]): Report[] => {
          const [, list = '', index] = /^(.*)\[(\d+)\]$/.exec(name) ?? [];
          const appended = index === undefined ? [] : elementReports(each, list, Number(index), change);
          if (appended.length > 0 || typeof change !== 'object' || change === null) return appended;
          // Removing an element changes its list. What is removed otherwise has no bounds.
          const changed = 'remove' in change ? list : name;
          const { entity } = each.write;
          const info = entity.attributes.get(changed) ?? attributeWithin(entity, changed);
          if (info === undefined) return [];
          return 'add' in change ? boundReports(each, info, change) : sizeReports(each, info, change);
        }),
      ),
      ...[...model.entities.values()].flatMap((entity) => [
        ...versionReports(entity),
        ...derivedReports(model, entity),
      ]),
    ],
  },
  {
    code: 'guard-over-all',
    level: 'warning',
    ids: ['S-07'],
    title: 'A guard across all tenants',
    why: 'The items of each tenant have their own partitions, but the guards of the unique attribute share one: a value that one tenant uses is unavailable to all others, and the error reveals that it is in use.',
    remedy:
      'Give the guard a key with the attributes of the partition, in the second argument of `keys`. If the value must be unique across all tenants, use `accepts`.',
    look: ({ model: { tables }, entities }) =>
      // If a tenant is declared, its own rules cover more.
      [...entities.values()]
        .filter((entity) => tables[entity.table.name]?.tenant === undefined)
        .flatMap((entity) =>
          entity.unique.flatMap((unique): Report[] => {
            const missing = missingTenant(entity, unique);
            if (missing.length === 0) return [];
            const { source = '' } = slotsOf(unique.form)[0]?.template ?? {};
            const tenants = missing.map((name) => `{${name}}`).join('#');
            const key = slotsOf(unique.form)
              .map(() => `'${tenants}#${source}'`)
              .join(', ');
            return [
              {
                path: `storage.${entity.name}.unique.${unique.attribute}`,
                message: `two items of ${entity.name} with different ${missing.join(', ')} and one ${unique.attribute} have one guard, ${source}`,
                remedy: `Give the guard a key with ${tenants}, in the second argument of \`keys\`: \`{ ${entity.name}: { unique: { ${unique.attribute}: { key: [${key}] } } } }\`. Where ${unique.attribute} is to be unique over all, say so with \`accepts\`.`,
              },
            ];
          }),
        ),
  },
  {
    code: 'key-not-exact',
    level: 'error',
    ids: ['S-07', 'LP-04'],
    title: 'A key that two different items have',
    why: 'If a key writes two values of an attribute alike, both items have that key: a create is refused for an item that does not exist, a put replaces the other item, and an update or a delete for one value changes the item with the other.',
    remedy:
      'Write the attribute into the key as it is, or let the schema take only values that have texts of their own, such as times with `precision: 0`. If two values count as one, declare `same`, and write the key by the same encoders.',
    look: (model) =>
      [...new Set(writesOf(model).map(({ write }) => write.entity))].flatMap((entity) => [
        ...sharedTexts(entity, slotsOf(entity.key)).map(({ name, why, source }) => ({
          path: `keys.${entity.name}.${entity.table.name}`,
          message: `two values of ${name} may have one key: ${why} in ${source}`,
        })),
        ...shardReports(entity),
        ...referredReports(model, entity),
      ]),
  },
  {
    code: 'guard-not-exact',
    level: 'error',
    ids: ['S-65'],
    title: 'A guard that several values share',
    why: 'A unique value is free as long as its guard does not exist. If the key of the guard lacks the attribute, all values share one guard; if the key writes two values alike, a value that no item has is refused.',
    remedy:
      'Write the attribute into the key of its guard as it is. If two values count as one, such as an address in capitals, declare `same`, and write the guard by the same encoders.',
    look: ({ entities }) =>
      [...entities.values()].flatMap((entity) =>
        entity.unique.flatMap(({ attribute, form }): Report[] => {
          const path = `storage.${entity.name}.unique.${attribute}`;
          if (!variableNames(slotsOf(form)).includes(attribute)) {
            const message = `the key of the guard of ${attribute} has no {${attribute}}`;
            return [{ path, message, remedy: `Write {${attribute}} into the key of the guard.` }];
          }
          const replaced = replacedInGuard(entity, attribute, form);
          if (replaced !== undefined) return [{ path, ...replaced }];
          return sharedTexts(entity, slotsOf(form)).map(({ name, why, source }) => {
            const message = `two values of ${name} may have one guard: ${why} in ${source}`;
            const [variable] = slotsOf(form).flatMap(({ template }) =>
              template.variables.filter((each) => each.name === name),
            );
            const chain = variable?.encoders.map((each) => each.name) ?? [];
            const isSame = chain.length > 0 && chain.every((each) => /^(?:lower|upper|trim|slug)$/.test(each));
            if (!isSame) return { path, message };
            const same = chain.length === 1 ? `'${chain.join()}'` : `['${chain.join("', '")}']`;
            return {
              path,
              message,
              remedy: `Say that such values are the same, in the rules of ${entity.name}: \`same: { ${name}: ${same} }\`, or write {${name}} as it is.`,
            };
          });
        }),
      ),
  },
  {
    code: 'counted-expires',
    level: 'error',
    ids: ['LP-23', 'LP-24'],
    title: 'A count of items that expire',
    why: 'The service deletes expired items without updating counts, so the number of children only ever rises. A parent that expires and is created again begins at 0, and its children are still there.',
    remedy:
      'Count when you read, or let a consumer of the stream count, since the stream contains these deletions. Remove `count` from the relationship.',
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        talliedBy(child).flatMap(([entity, tally]) => {
          const path = `relationships.${entity}.${child.name}`;
          const parent = model.entities.get(entity);
          if (child.rules.expires !== undefined)
            return [
              {
                path,
                message: `${entity}.${tally} counts ${child.name}, whose items go at ${child.rules.expires} without being counted out`,
              },
            ];
          return parent?.rules.expires === undefined || isNeverAgain(parent)
            ? []
            : [
                {
                  path,
                  message: `${entity}.${tally} goes at ${parent.rules.expires}, and its items of ${child.name} stay`,
                },
              ];
        }),
      ),
  },
  {
    code: 'counted-parent-only',
    level: 'error',
    ids: ['LP-24', 'S-07'],
    title: 'A second parent that no child can have',
    why: 'A new child is counted by its parent, which has to be an item of the entity that counts. If a child names two parents that have the same key, the table has only one item under that key: if it is an item of the other entity, every child is refused.',
    remedy:
      'Let the child name its parents in attributes of their own, begin the keys of the parents with different prefixes, or count when you read.',
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        countedParents(child).flatMap((parent) =>
          child.parents.flatMap((other): Report[] => {
            if (other === parent || !(other.rules.required === true || isCounted(other))) return [];
            const [key, same] = [parent, other].map((each) => namedKey(model, each));
            if (key === undefined || key !== same) return [];
            return [
              {
                path: `relationships.${parent.entity}.${child.name}`,
                message: `${parent.entity} counts ${child.name} and has the key of ${other.entity}, so no ${child.name} can be created below an item of ${other.entity}`,
              },
            ];
          }),
        ),
      ),
  },
  {
    code: 'count-not-kept',
    level: 'error',
    ids: ['LP-24', 'S-66'],
    title: 'A count that goes wrong',
    why: 'A relationship keeps its count and its sums with each child that is created, changed, moved or deleted, and a sequence keeps the last number that it gave. A pattern that writes the number itself, or replaces the parent, sets it to something else. A parent that is deleted while it has children, and created again, begins at 0; its sequence would give the same numbers again. A number that two rules keep, such as the counts of two relationships, is right for neither of them, and a number with a default begins at the default, without any child.',
    remedy:
      'Leave the number to the relationship, in an attribute of its own. Delete a parent on the condition that it has no children: `given: { orderCount: 0 }`.',
    look: (model) => [
      ...writesOf(model).flatMap((each) =>
        [
          ...tallyReports(model, each.write),
          ...sequenceReports(model, each.write),
          ...otherParentReports(model, each.write),
        ].map((report) => ({ path: writePath(each), ...report })),
      ),
      ...[...model.entities.values()].flatMap((entity) => [
        ...keptTwiceReports(model, entity),
        ...beginningReports(model, entity),
      ]),
    ],
  },
  {
    code: 'counter-in-key',
    level: 'error',
    ids: ['LP-24', 'LP-26'],
    title: 'A counter in a key',
    why: 'Writes of other items change a counter, and an update changes the version of its item: neither writes the keys that contain the number, nor what is computed from it or adds it up. The index keeps the number from when the item was created.',
    remedy:
      'Remove the number from the key. To order by a number that changes with each write, sort a small number of items after reading them, or let a consumer of the stream maintain the order.',
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        [
          ...talliedBy(child).map(([parent, tally]) => [parent, tally, `each ${child.name}`] as const),
          ...child.sequences.map(({ counter, parent }) => [parent.entity, counter, `each ${child.name}`] as const),
          ...(child.rules.lock === undefined ? [] : [[child.name, child.rules.lock, 'each update'] as const]),
        ].flatMap(([name, counter, cause]): Report[] => {
          const entity = model.entities.get(name);
          if (entity === undefined) return [];
          const what = `${name}.${counter} rises with ${cause}`;
          return [
            ...keysOf(entity).flatMap(({ path, place, form }) =>
              formAttributes(form).includes(counter)
                ? [{ path, message: `${what}, and the key in ${place} stays` }]
                : [],
            ),
            ...computedOf(entity.rules).flatMap(([computed, { from }]) =>
              from.includes(counter as never)
                ? [
                    {
                      path: `entities.${name}.computed`,
                      message: `${what}, and ${computed}, which is computed from it, stays`,
                    },
                  ]
                : [],
            ),
            ...countedParents(entity).flatMap((parent) =>
              dependentTallies(parent, counter).map((stays) => ({
                path: `relationships.${parent.entity}.${name}`,
                message: `${what}, and ${stays}`,
                remedy: `Let the items that change ${counter} name the ${parent.entity} as well, and let it count or add up those, or add ${counter} up when you read.`,
              })),
            ),
          ];
        }),
      ),
  },
  {
    code: 'returns-nothing',
    level: 'error',
    ids: ['LB-11'],
    title: 'A write whose `returns` has no effect',
    why: 'A created or put item is always returned. Parts of a transaction, upserts, checks and writes of several items return nothing: the answer of a transaction contains no items.',
    remedy: 'Remove `returns`, and read the item where it is needed. A single update or delete can return it.',
    look: ({ patterns }) => [...patterns.values()].flatMap(returnReports),
  },
];

/** What a parent keeps about its children by a number of theirs. */
function dependentTallies(parent: ParentInfo, number: string): string[] {
  const sums = talliesOf(parent).filter(([, of]) => of === number);
  const isNamed = parent.by.some(([, child]) => child === number);
  return [
    ...sums.map(([sum]) => `${parent.entity}.${sum}, which adds it up, stays`),
    ...(isNamed ? [`the ${parent.entity} that counted the item by it stays the same`] : []),
  ];
}

/** All keys of an entity: in its table, in indexes, and those of its guards. */
function keysOf({ name, table, key, indexes, unique }: EntityInfo): { path: string; place: string; form: KeyForm }[] {
  return [
    { path: `keys.${name}.${table.name}`, place: table.name, form: key },
    ...indexes.flatMap(({ place, forms }) =>
      forms.map((form) => ({ path: `keys.${name}.${place.name}`, place: place.name, form })),
    ),
    ...unique.map(({ attribute, form }) => ({
      path: `storage.${name}.unique.${attribute}`,
      place: table.name,
      form,
    })),
  ];
}

/** The numbers of parents that are derived from an entity's items: the parent, and its attribute. */
function talliedBy(child: EntityInfo): (readonly [parent: string, tally: string])[] {
  return countedParents(child).flatMap((parent) => talliesOf(parent).map(([tally]) => [parent.entity, tally] as const));
}

/** Numbers of an entity that its children determine, with the relationship's count, if it has one. */
function talliesIn(
  { entities }: ResolvedModel,
  { name }: EntityInfo,
): { child: string; tally: string; count?: string }[] {
  return [...entities.values()].flatMap((child) =>
    countedParents(child)
      .filter((parent) => parent.entity === name)
      .flatMap((parent) =>
        talliesOf(parent).map(([tally]) => ({
          child: child.name,
          tally,
          ...(parent.rules.count !== undefined && { count: parent.rules.count }),
        })),
      ),
  );
}

/** Numbers of an entity that two rules keep, each by its own writes. */
function keptTwiceReports({ entities }: ResolvedModel, { name, rules, sequences }: EntityInfo): Report[] {
  const keepers = new Map<string, Set<string>>();
  const keep = (attribute: string, keeper: string): void =>
    void keepers.set(attribute, new Set(keepers.get(attribute)).add(keeper));
  if (rules.lock !== undefined) keep(rules.lock, 'the version');
  for (const { attribute } of sequences) keep(attribute, 'a number of a sequence');
  for (const [attribute] of computedOf(rules)) keep(attribute, 'a computed value');
  for (const child of entities.values()) {
    // Several entities may take their numbers from one counter.
    for (const { parent, counter } of child.sequences)
      if (parent.entity === name) keep(counter, 'the last number given');
    for (const {
      entity,
      by,
      rules: { count, sum = {} },
    } of child.parents) {
      if (entity !== name) continue;
      const children = `${child.name} by ${by.map(([, own]) => own).join(', ')}`;
      if (count !== undefined) keep(count, `the number of ${children}`);
      for (const [attribute, of] of Object.entries(sum)) keep(attribute, `the sum of ${of} of ${children}`);
    }
  }
  return [...keepers].flatMap(([attribute, by]): Report[] =>
    by.size < 2
      ? []
      : [
          {
            path: `entities.${name}.${attribute}`,
            message: `${attribute} of ${name} is ${listed([...by])} at once, and each rule writes it without the other`,
            remedy: 'Give each rule an attribute of its own.',
          },
        ],
  );
}

/** Numbers of children that begin at something else than 0. */
function beginningReports(model: ResolvedModel, entity: EntityInfo): Report[] {
  return talliesIn(model, entity).flatMap(({ child, tally }): Report[] => {
    const fallback = entity.attributes.get(tally)?.fallback;
    return fallback === undefined || Number(fallback) === 0
      ? []
      : [
          {
            path: `entities.${entity.name}.${tally}`,
            message: `${tally} of ${entity.name} is ${Number(fallback)} by default, where it has no ${child}`,
            remedy: `Let it begin at 0: \`.default(0)\`.`,
          },
        ];
  });
}

/** What makes a number wrong that the children of an entity determine. */
function tallyReports(model: ResolvedModel, { verb, need, entity }: WritePlan): Pick<Report, 'message' | 'remedy'>[] {
  const tallies = talliesIn(model, entity);
  if (verb === 'updates') {
    const changed = changedAttributes(need, entity);
    return tallies
      .filter(({ tally }) => changed.has(tally))
      .map(({ child, tally }) => ({
        message: `writes ${entity.name}.${tally}, which the items of ${child} determine`,
        remedy: `Leave ${tally} to the relationship, or remove it from the relationship and keep it by patterns alone.`,
      }));
  }
  if (verb === 'puts')
    return tallies.map(({ child, tally }) => ({
      message: `replaces ${entity.name} with its ${tally}, which the items of ${child} determine`,
      remedy: `Use \`creates\` if the ${entity.name} is new, and \`upserts\` if it may be there: neither changes ${tally} of one that is there.`,
    }));
  if (verb === 'upserts')
    return tallies
      .filter(({ tally }) => isRequired(entity, tally))
      .map(({ child, tally }) => ({
        message: `takes ${entity.name}.${tally}, which the items of ${child} determine, also for one that is there`,
        remedy: `Give ${tally} a default in the schema, \`.default(0)\`: callers can then leave it out.`,
      }));
  if (verb !== 'deletes' || isNeverAgain(entity)) return [];
  return tallies
    .filter(({ count }) => count === undefined || !requiresNone(need.given, count))
    .filter(({ tally, count }) => count === undefined || tally === count)
    .map(({ child, count }) => ({
      message: `deletes ${entity.name} while it may have items of ${child}: created again, it would not count them`,
      remedy:
        count === undefined
          ? `Let the relationship count as well, \`count: '…'\`, and delete on condition that there are none: \`given: { …: 0 }\`.`
          : `Delete it on condition that there are none: \`given: { ${count}: 0 }\`. If no two ${entity.name} ever have one key, say so: \`generated: ['${keyVariables(entity).at(-1) ?? '…'}']\`.`,
    }));
}

/** A parent that is looked for by values of the child's schema, which its key writes as other values of its own. */
function referredReports({ entities }: ResolvedModel, child: EntityInfo): Report[] {
  return child.parents.flatMap(({ entity: name, by, rules }): Report[] => {
    const parent = entities.get(name);
    const isKept = rules.required === true || rules.count !== undefined || rules.sum !== undefined;
    if (parent === undefined || !isKept) return [];
    const others = new Map(
      by.flatMap(([own, attribute]) => {
        const info = child.attributes.get(attribute);
        return info === undefined ? [] : [[own, info.schema] as const];
      }),
    );
    const slots = slotsOf(parent.key);
    const itself = new Set(sharedTexts(parent, slots).map((each) => each.name));
    return sharedTexts(parent, slots, others)
      .filter((each) => !itself.has(each.name))
      .map((each) => ({
        path: `keys.${name}.${parent.table.name}`,
        message: `${child.name} refers to ${name} by values of another schema than that of ${each.name}, of which two may have one key: ${each.why} in ${each.source}`,
        remedy: `Give ${each.name} of ${name} and the attribute of ${child.name} that refers to it one schema.`,
      }));
  });
}

/**
 * A guard has the value, its owner's key and expiry as attributes. One that the table has in its key would replace that part of the guard's own key,
 * unless the part is the same.
 */
function replacedInGuard(
  entity: EntityInfo,
  unique: string,
  form: KeyForm,
): Pick<Report, 'message' | 'remedy'> | undefined {
  const { expires } = entity.rules;
  const names = [unique, ...keyVariables(entity), ...(expires === undefined ? [] : [expires])];
  for (const { attribute, template } of slotsOf(form)) {
    const name = names.find((each) => entity.attributes.get(each)?.stored === attribute);
    if (name === undefined || template.source === `{${name}}`) continue;
    return {
      message: `the guard has the ${name} of its owner as ${attribute}, in place of ${template.source}: no other item finds the guard`,
      remedy: `Let the key of ${entity.table.name} have attributes of its own, such as PK and SK, or write {${name}} into the key of the guard in the place of ${template.source}.`,
    };
  }
  return undefined;
}

/** Attributes of which only the shard is in the primary key: it tells items with some of their values apart, and not with others. */
function shardReports(entity: EntityInfo): Report[] {
  const written = slotsOf(entity.key).flatMap(({ template }) => template.variables);
  const whole = new Set(written.filter((each) => shardsOf(each) === undefined).map(({ name }) => name));
  return written
    .filter(({ name }) => !whole.has(name))
    .map(({ name }) => ({
      path: `keys.${entity.name}.${entity.table.name}`,
      message: `two values of ${name} may have one key: it has their shard alone`,
      remedy: `Write {${name}} into the key as well, or the shard of an attribute that is in it.`,
    }));
}

/** A delete that counts its item out at the parent of another value, which the key does not tell from the item's own. */
function otherParentReports(
  { entities }: ResolvedModel,
  { verb, entity, readsFirst }: WritePlan,
): Pick<Report, 'message' | 'remedy'>[] {
  if (verb !== 'deletes' || readsFirst) return [];
  const { same = {} } = entity.rules;
  const shared = sharedTexts(entity, slotsOf(entity.key)).map(({ name }) => name);
  return countedParents(entity).flatMap((parent) => {
    const { same: parents = {} } = entities.get(parent.entity)?.rules ?? {};
    const other = parent.by.find(
      ([own, child]) => shared.includes(child) || (child in same && String(same[child]) !== String(parents[own])),
    );
    if (other === undefined) return [];
    const [own, child] = other;
    return [
      {
        message: `deletes ${entity.name} by a ${child} that may be another than the item's own under the same key, and counts it out at the ${parent.entity} of the other`,
        remedy:
          child in same
            ? `Let the values be the same for ${parent.entity} as well, \`same: { ${own}: ${JSON.stringify(same[child])} }\`, and write its key so.`
            : `Write ${child} into the key of ${entity.name} as it is, or count when you read.`,
      },
    ];
  });
}

/** What makes a sequence give a number twice, or one that an item has. */
function sequenceReports(
  model: ResolvedModel,
  { verb, need, entity }: WritePlan,
): Pick<Report, 'message' | 'remedy'>[] {
  const counters = [...model.entities.values()].flatMap((child) =>
    child.sequences
      .filter(({ parent }) => parent.entity === entity.name)
      .map(({ counter }) => ({ child: child.name, counter })),
  );
  const changed = verb === 'updates' ? changedAttributes(need, entity) : new Set<string>();
  return counters.flatMap(({ child, counter }) => {
    if (changed.has(counter) && !isRaised(need.changes?.[counter]))
      return [
        {
          message: `writes ${entity.name}.${counter}, from which each ${child} takes its number`,
          remedy: `Leave ${counter} to the sequence, or remove it from the sequence and number the items by patterns alone.`,
        },
      ];
    if (verb === 'puts')
      return [
        {
          message: `replaces ${entity.name} with its ${counter}, from which each ${child} takes its number`,
          remedy: `Use \`creates\` if the ${entity.name} is new, and \`updates\` if it is there: neither changes ${counter} of one that is there.`,
        },
      ];
    if (verb === 'upserts' && isRequired(entity, counter))
      return [
        {
          message: `takes ${entity.name}.${counter}, from which each ${child} takes its number, also for one that is there`,
          remedy: `Give ${counter} a default in the schema, \`.default(0)\`: callers can then leave it out.`,
        },
      ];
    return verb === 'deletes' && !isNeverAgain(entity) && !requiresNone(need.given, counter)
      ? [
          {
            message: `deletes ${entity.name} after items of ${child} have taken numbers: created again, it would give the same numbers`,
            remedy: `Delete it on condition that none was given: \`given: { ${counter}: 0 }\`. If no two ${entity.name} ever have one key, say so: \`generated: ['${keyVariables(entity).at(-1) ?? '…'}']\`.`,
          },
        ]
      : [];
  });
}

/** A change that leaves numbers out of a sequence, and gives none twice. */
function isRaised(change: unknown): boolean {
  const { add, times } = Object(change) as Readonly<Record<string, unknown>>;
  return typeof add === 'number' && add > 0 && times === undefined;
}

/** No two items of the entity ever have the same key. */
function isNeverAgain(entity: EntityInfo): boolean {
  return keyVariables(entity).some((name) => entity.rules.generated?.includes(name) === true);
}

/** The condition requires that a count is zero. */
function requiresNone(given: unknown, count: string): boolean {
  const { [count]: test } = (given ?? {}) as Readonly<Record<string, unknown>>;
  const { equals, atMost, below } = Object(test) as Readonly<Record<string, unknown>>;
  return [test, equals, atMost].includes(0) || below === 1;
}

function returnReports({ name, need }: PatternInfo): Report[] {
  // The types do not allow it in a part, but a model in JavaScript may contain it.
  const written: Readonly<Record<string, WriteNeed>> = need.transacts ?? {};
  const parts = Object.entries(written).flatMap(([part, { returns }]): Report[] =>
    returns === undefined
      ? []
      : [{ path: `patterns.${name}.transacts.${part}`, message: `returns the ${returns} item, in a transaction` }],
  );
  if (need.returns === undefined) return parts;
  const single = typeof need.updates === 'string' || (typeof need.deletes === 'string' && need.returns === 'old');
  return single
    ? parts
    : [...parts, { path: `patterns.${name}`, message: `returns the ${need.returns} item, where there is none` }];
}

/** A write, and the pattern that it is a part of. */
interface PatternWrite {
  readonly pattern: PatternInfo;
  readonly write: WritePlan;
}

/** The bounds of a number that an addition may exceed, each with the condition that would keep it. */
function boundReports(
  { pattern, write }: PatternWrite,
  info: AttributeInfo,
  { add, times }: { readonly add: unknown; readonly times?: -1 },
): Report[] {
  const { name, schema } = info;
  const inputSchema = inputSchemasOf({ pattern, write });
  const addition = { write, info, add, times, inputSchema };
  const path = writePath({ pattern, write });
  const added = `add(${typeof add === 'number' ? add : '…'})`;
  const { values, number } = domainOf(schema);
  const amounts = typeof add === 'number' ? Number.isInteger(add) : isWholeInput(add, inputSchema);
  if (values?.some((value) => typeof value === 'number') === true)
    return [
      {
        path,
        message: `${name} of ${write.entity.name} is one of ${values.join(', ')}, and ${added} may give another number`,
        remedy: 'Set the value instead, or let the schema take all whole numbers between two bounds.',
      },
    ];
  if (number?.whole === true && !amounts)
    return [
      {
        path,
        message: `${name} of ${write.entity.name} is a whole number, and ${added} may leave a fraction`,
        remedy: 'Add whole numbers only: where the amount is an input, let its schema say so, `z.int()`.',
      },
    ];
  const { multipleOf } = describe(schema);
  if (multipleOf !== undefined && !isMultiple(add, multipleOf, inputSchema))
    return [
      {
        path,
        message: `${name} of ${write.entity.name} is a multiple of ${multipleOf}, and ${added} may give another number`,
        remedy: `Add multiples of ${multipleOf} only: where the amount is an input, let its schema say so, \`.multipleOf(${multipleOf})\`.`,
      },
    ];
  const range = rangeOfSchema(schema);
  const beyond = exceeded(addition);
  // A condition with a constant suffices where the largest amount is known.
  const { least, most } = amountRange(addition);
  const report = (bound: string, test: string, limit: number): Report => ({
    path,
    message: `${name} of ${write.entity.name} has the bound ${bound}, and ${added} may take it past that`,
    remedy: `Add the condition: \`given: { ${nameText(name)}: { ${test}: ${Number.isFinite(limit) ? limit : sameInput(range, add, times, test)} } }\`.${typeof add === 'number' ? '' : ' Let the schema of the input say which sign it has: `z.number().positive()`.'}`,
  });
  const reports: Report[] = [];
  if (beyond.least) {
    const [bound, test] = range.isAbove ? ['gt', 'above'] : ['min', 'atLeast'];
    reports.push(report(`.${bound}(${range.least})`, test, range.least - least));
  }
  if (beyond.most) {
    const [bound, test] = range.isBelow ? ['lt', 'below'] : ['max', 'atMost'];
    reports.push(report(`.${bound}(${range.most})`, test, range.most - most));
  }
  return reports;
}

/** The schema of an input of a pattern's part, by its name. */
function inputSchemasOf({ pattern, write }: PatternWrite): (input: string) => StandardSchema | undefined {
  return (input) =>
    write.need.takes?.[input] ?? pattern.need.takes?.[input] ?? write.entity.attributes.get(input)?.schema;
}

/** An element that is set beyond the end of its list is appended. */
function elementReports(written: PatternWrite, list: string, index: number, change: unknown): Report[] {
  const { entity } = written.write;
  const info = entity.attributes.get(list) ?? attributeWithin(entity, list);
  const { most } = sizesOf(info?.schema);
  if (index < most || 'remove' in Object(change)) return [];
  return [
    {
      path: writePath(written),
      message: `${list} of ${entity.name} has at most ${counted(most, 'element')}, and ${list}[${index}] is one more`,
      remedy: `Set an element up to ${list}[${most - 1}], or let the schema of ${list} take more elements.`,
    },
  ];
}

/** The bounds of a list or a set that a change may exceed, each with the condition that would keep it. */
function sizeReports({ pattern, write }: PatternWrite, info: AttributeInfo, change: object): Report[] {
  const operands = change as Readonly<Record<string, unknown>>;
  const { name } = info;
  return (['append', 'include', 'exclude', 'remove'] as const).flatMap((kind) => {
    if (!(kind in operands)) return [];
    const inputSchema = inputSchemasOf({ pattern, write });
    return exceededSizes({ write, info, kind, operand: operands[kind], inputSchema }).map(
      ({ test, bound, limit }): Report => {
        const few = bound === 1 ? '1 element' : `${bound} elements`;
        const what =
          test === 'atMost'
            ? `has at most ${few}, and \`${kind}\` may leave it with more`
            : info.fallback === undefined || bound > 1
              ? `has at least ${few}, and \`${kind}\` may leave it with fewer`
              : `has a default, and is read as that when \`${kind}\` takes the last element`;
        const condition = `{ ${nameText(name)}: { size: { ${test}: ${limit} } } }`;
        const whole =
          test === 'atMost' && mayBeMissing(write, info)
            ? `{ any: [{ ${nameText(name)}: { exists: false } }, ${condition}] }`
            : condition;
        return {
          path: writePath({ pattern, write }),
          message: `${name} of ${write.entity.name} ${what}`,
          remedy: Number.isFinite(limit)
            ? `Add the condition: \`given: ${whole}\`.`
            : `Let the schema of the input say how many elements it has at most, and add a condition on the size of ${name}.`,
        };
      },
    );
  });
}

/** A version starts at 1, and each update raises it. */
function versionReports({ name, rules: { lock }, attributes }: EntityInfo): Report[] {
  const schema = lock === undefined ? undefined : attributes.get(lock)?.schema;
  if (lock === undefined || schema === undefined) return [];
  const { least, most, isAbove } = rangeOfSchema(schema);
  const { multipleOf = 1 } = describe(schema);
  const isFirst = least < 1 || (least === 1 && !isAbove);
  return isFirst && most === Number.POSITIVE_INFINITY && Number.isInteger(1 / multipleOf)
    ? []
    : [
        {
          path: `entities.${name}.${lock}`,
          message: `${lock} of ${name} starts at 1 and rises with each update, past what its schema takes`,
          remedy: `Let it be any whole number from 1: \`z.int().min(1)\`.`,
        },
      ];
}

/**
 * Numbers of parents that an entity's items may take past what the parent's schema takes. A condition on the parent does not keep an upper bound: a
 * call may check another parent than the one that counts.
 */
function derivedReports(model: ResolvedModel, child: EntityInfo): Report[] {
  const tallies = countedParents(child).flatMap((parent) =>
    talliesOf(parent).map(([name, of]) => ({ parent: parent.entity, name, of, why: 'adds up' })),
  );
  const counters = child.sequences.map(({ parent, counter }) => ({
    parent: parent.entity,
    name: counter,
    of: undefined,
    why: 'numbers',
  }));
  return [...tallies, ...counters].flatMap(({ parent, name, of, why }): Report[] => {
    const bounds = rangeOfSchema(model.entities.get(parent)?.attributes.get(name)?.schema);
    const amounts = of === undefined ? undefined : rangeOfSchema(child.attributes.get(of)?.schema);
    const [falls, rises] = [(amounts?.least ?? 0) < 0, (amounts?.most ?? 1) > 0];
    const isBelow = falls
      ? bounds.least > Number.NEGATIVE_INFINITY
      : bounds.least > 0 || (bounds.least === 0 && bounds.isAbove);
    const isAbove = rises ? bounds.most < Number.POSITIVE_INFINITY : bounds.most < 0;
    if (!isBelow && !isAbove) return [];
    const limit =
      isBelow || why === 'numbers' || of !== undefined
        ? ''
        : ` To limit it, check the parent in the transaction that creates a ${child.name}: \`{ checks: '${parent}', by: […], given: { ${name}: { below: ${bounds.most} } } }\`.`;
    const positive = of === undefined || !isBelow ? '' : `, or that of ${of} no negative number, \`.min(0)\``;
    return [
      {
        path: `relationships.${parent}.${child.name}`,
        message: `${parent}.${name} ${of === undefined && why !== 'numbers' ? 'counts' : why} ${child.name}${of === undefined ? '' : `.${of}`}, and nothing keeps it within the bounds of its schema`,
        remedy: `Let the schema of ${name} take any such number, ${of === undefined ? '`z.int().min(0)`' : '`z.number()`'}${positive}.${limit}`,
      },
    ];
  });
}

function isMultiple(add: unknown, step: number, inputSchema: (input: string) => StandardSchema | undefined): boolean {
  const schema = isReference(add) ? inputSchema(add.ref) : undefined;
  const amount = schema === undefined ? add : (describe(schema).multipleOf ?? (isWhole(schema) ? 1 : undefined));
  if (typeof amount !== 'number') return false;
  const times = amount / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** What is taken away may be compared with what is there; otherwise the caller computes the limit. */
function sameInput({ least }: NumberRange, add: unknown, times: -1 | undefined, test: string): string {
  const isTaken = times === -1 && least <= 0 && (test === 'atLeast' || test === 'above');
  return isReference(add) && isTaken ? `ref('${add.ref}')` : "ref('limit')";
}

function isWholeInput(add: unknown, inputSchema: (input: string) => StandardSchema | undefined): boolean {
  const schema = isReference(add) ? inputSchema(add.ref) : undefined;
  return schema !== undefined && isWhole(schema);
}

function isWhole(schema: StandardSchema): boolean {
  return domainOf(schema).number?.whole === true;
}

/**
 * The attributes of the partition key that identify an item's owner and that the guard lacks, if the partition holds items of one
 * owner and the sort key identifies the item.
 */
function missingTenant(entity: EntityInfo, { attribute, form }: UniqueInfo): string[] {
  const owner = variableNames(entity.key.partition).filter((name) => name !== 'copy');
  const own = keyVariables(entity).filter((name) => !owner.includes(name));
  // An attribute of the key is unique within its collection without a guard, so the guard makes it unique across all.
  if (owner.length === 0 || own.length === 0 || keyVariables(entity).includes(attribute)) return [];
  const guarded = variableNames(slotsOf(form));
  return owner.filter((name) => !guarded.includes(name));
}

/** The key of a parent with the attributes of the child in its holes, and its table. Undefined if the key has several forms. */
function namedKey({ entities }: ResolvedModel, { entity, by }: ParentInfo): string | undefined {
  const parent = entities.get(entity);
  if (parent === undefined) return undefined;
  const named = new Map(by);
  const texts = slotsOf(parent.key).map(({ template }) =>
    template.parts
      .map((part) => (typeof part === 'string' ? part : `{${named.get(part.name) ?? ''}:${part.encoding}}`))
      .join(''),
  );
  return [parent.table.name, ...texts].join(' / ');
}
