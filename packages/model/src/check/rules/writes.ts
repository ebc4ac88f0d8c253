import type { Need } from '../../patterns/need.ts';
import type { Guard } from '../../patterns/value.ts';
import { childOf } from '../../entities/relationship.ts';
import { domainOf } from '../../keys/domain.ts';
import { isReference } from '../../patterns/condition.ts';
import type { EntityInfo, PatternInfo, ResolvedModel, WritePlan } from '../../resolve/resolved.ts';
import { changedAttributes, computedOf, talliesOf } from '../../resolve/slots.ts';
import { keyVariables } from '../../resolve/entities.ts';
import { writeFaults } from '../../resolve/write-faults.ts';
import type { Report } from '../finding.ts';
import { kindOf } from '../probe.ts';
import { writePath, writesOf } from '../residents.ts';
import { sizesOf } from '../size-change.ts';
import { mayBeMissing } from '../sum-range.ts';
import { attributeWithin, parentPaths } from '../within-documents.ts';
import type { Rule } from '../rule.ts';

/** Rules about what is written. */
export const writeRules: readonly Rule[] = [
  {
    code: 'faulty-write',
    level: 'error',
    ids: ['LB-11', 'S-04'],
    title: 'A write that cannot be correct',
    why: 'The attributes that identify an item are a condition, and an update that creates an item must write all of it. If the pattern contradicts that, a connection refuses to run it.',
    remedy: 'Change the pattern as the message suggests.',
    look: (model) => [
      ...writesOf(model).flatMap((each) =>
        writeFaults(each.write).map(({ message }) => ({ path: writePath(each), message })),
      ),
      ...writesOf(model).flatMap((each) =>
        [...writtenTwice(each.write), ...computedFromOther(each.write)].map((report) => ({
          path: writePath(each),
          ...report,
        })),
      ),
      ...[...model.patterns.values()].flatMap(conflictsInTransaction),
    ],
  },
  {
    code: 'without-effect',
    level: 'error',
    ids: ['LB-11'],
    title: 'A part of a pattern that has no effect',
    why: 'Each verb uses some parts of a pattern and ignores the others. The condition of a write is `given`: an update with `where` changes the item whatever its attributes are. A transaction has the conditions of its parts and none of its own, and a create takes whole items, whatever `sets` and `changes` say.',
    remedy:
      'Remove it, or declare it where it has an effect: the condition of a write in `given`, that of a read in `where`, and what concerns one write of a transaction in its part.',
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need }) => {
        const path = `patterns.${name}`;
        const parts = Object.entries<Need>(need.transacts ?? {});
        return [
          ...withoutEffect(path, need),
          ...parts.flatMap(([part, each]) => withoutEffect(`${path}.transacts.${part}`, each)),
        ];
      }),
  },
  {
    code: 'undeclared-duplicate',
    level: 'error',
    ids: ['LP-08', 'S-10', 'S-33'],
    title: 'Copied data that is not kept up to date',
    why: 'An attribute of one entity also exists in another, and a pattern changes it in only one place. From then on the two differ. An attribute that refers to another parent is not a copy.',
    remedy:
      "Declare the copy: `duplicates: { name: { from: 'Author.name', rule: 'immutable' | 'immediate' | 'stream', found: 'postsOfAuthor' } }`. If it refers to another parent, declare that relationship. If it is a different fact with the same name, accept the finding, or rename it.",
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        relatedTo(model, child).flatMap((parent) =>
          [...child.attributes.keys()].flatMap((name): Report[] => {
            const [own, theirs] = [keyVariables(child), keyVariables(parent)];
            if (!parent.attributes.has(name) || own.includes(name) || theirs.includes(name)) return [];
            if (
              Object.hasOwn(child.rules.duplicates ?? {}, name) ||
              references(model, child).has(name) ||
              !isChanged(model, parent, name) ||
              isChanged(model, child, name)
            )
              return [];
            return [
              {
                path: `entities.${child.name}.${name}`,
                message: `${parent.name}.${name} changes, ${child.name}.${name} stays`,
                remedy: `If it is a copy, declare it: \`duplicates: { ${name}: { from: '${parent.name}.${name}', rule: 'stream', found: '…' } }\`, with the pattern that finds the copies. If it refers to another parent, declare that relationship. If it is another fact of the same name, say so beside the keys: \`{ ${child.name}: { accepts: { 'undeclared-duplicate': '…' } } }\`.`,
              },
            ];
          }),
        ),
      ),
  },
  {
    code: 'broken-duplicate',
    level: 'error',
    ids: ['LP-08', 'S-28', 'S-33'],
    title: 'A copy that cannot follow its rule',
    why: 'A copy that is declared immutable must come from an attribute that no pattern changes; a copy that is kept up to date needs a pattern that finds it.',
    remedy: 'Choose `immediate` or `stream` and name the pattern that finds the copies: `found`.',
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        Object.entries(child.rules.duplicates ?? {}).flatMap(([name, duplicate]): Report[] => {
          if (duplicate === undefined) return [];
          const [from = '', attribute = ''] = duplicate.from.split('.');
          const source = model.entities.get(from);
          const path = `entities.${child.name}.duplicates.${name}`;
          if (source === undefined || !source.attributes.has(attribute))
            return [{ path, message: `there is no ${duplicate.from}` }];
          if (duplicate.rule === 'immutable') {
            if (isChanged(model, source, attribute))
              return [{ path, message: `is immutable, and a pattern changes ${duplicate.from}` }];
            const cause = changesWithOthers(model, source, attribute);
            return cause === undefined
              ? []
              : [{ path, message: `is immutable, and ${duplicate.from} changes with ${cause}` }];
          }
          if (duplicate.found === undefined)
            return [
              {
                path,
                message: 'does not say which pattern finds the copies',
                remedy: 'Add `found`, the name of a pattern that reads them.',
              },
            ];
          return model.patterns.has(duplicate.found)
            ? []
            : [{ path, message: `there is no pattern ${duplicate.found}` }];
        }),
      ),
  },
  {
    code: 'unbounded-attribute',
    level: 'warning',
    ids: ['LP-09', 'LB-5', 'S-27'],
    title: 'An attribute that grows with every write',
    why: 'An item has at most 400 KB and is written as a whole. A growing list costs more with each appended element, until the write is refused.',
    remedy:
      'Store each element as an item of the same collection, or bound the list: `given: { entries: { size: { below: 100 } } }`. If the attribute may be missing: `given: { any: [{ entries: { exists: false } }, { entries: { size: { below: 100 } } }] }`.',
    look: (model) =>
      writesOf(model).flatMap(({ pattern, write }) =>
        Object.entries(write.need.changes ?? {}).flatMap(([path, change]): Report[] => {
          const grows =
            typeof change === 'object' &&
            change !== null &&
            ('append' in change || ('include' in change && typeof change.include === 'object'));
          const removes = typeof change === 'object' && change !== null && 'remove' in change;
          const nested = path.includes('{') && !removes;
          if (!grows && !nested) return [];
          if (isOneOfFew({ pattern, write }, path, change)) return [];
          const top = path.split(/[.[]/)[0] ?? path;
          if (boundsSize(write.need.given, top, (tests) => addsNothing(tests, path, change))) return [];
          // The rule about bounds reports what exceeds the size that a schema states.
          const { schema } = write.entity.attributes.get(path) ?? attributeWithin(write.entity, path) ?? {};
          if (grows && sizesOf(schema).most < Number.POSITIVE_INFINITY) return [];
          return [
            {
              path: writePath({ pattern, write }),
              message: `${top} of ${write.entity.name} grows without bound`,
              remedy: `Store each element as an item of the same collection, or bound it: \`given: ${sizeCondition(top, write, nested)}\`.`,
            },
          ];
        }),
      ),
  },
  {
    code: 'read-inside-document',
    level: 'hint',
    ids: ['S-27'],
    title: 'A document that is read by its content',
    why: 'An element of a list or map cannot be a key. A pattern that searches for it reads the whole document.',
    remedy: 'Store each element that is searched for as a separate item.',
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need }) =>
        Object.keys(need.reads === undefined ? {} : (need.where ?? {}))
          .filter((path) => /[.[]/.test(path))
          .map((path) => ({ path: `patterns.${name}`, message: `looks for ${path}` })),
      ),
  },
  {
    code: 'not-idempotent',
    level: 'warning',
    ids: ['LP-11'],
    title: 'A change that counts twice when it is repeated',
    why: 'Streams, queues and retries deliver at least once. Adding to a number or appending to a list twice gives a different result.',
    remedy: "Set a value, add to a set, or record processed events: use a condition on the event's id.",
    look: (model) =>
      writesOf(model).flatMap(({ pattern, write }): Report[] => {
        if (!/stream|queue|consumer|handler|job|event|lambda|worker/i.test(pattern.need.actor ?? '')) return [];
        const guarded =
          write.need.given !== undefined ||
          write.entity.rules.lock !== undefined ||
          pattern.need.transacts !== undefined;
        const repeats = Object.entries(write.need.changes ?? {}).filter(
          ([, change]) => typeof change === 'object' && change !== null && ('add' in change || 'append' in change),
        );
        if (guarded || repeats.length === 0) return [];
        return [
          {
            path: writePath({ pattern, write }),
            message: `${repeats.map(([path]) => path).join(', ')} changes again with each delivery`,
          },
        ];
      }),
  },
  {
    code: 'put-replaces',
    level: 'warning',
    ids: ['LP-25', 'LB-7'],
    title: 'A put that may replace an item',
    why: 'A put without a condition replaces an existing item, and discards what others have written to it.',
    remedy:
      'Use `creates` if the item is new, and `upserts` if it may exist. If replacing is intended, add a condition: `given`.',
    look: (model) =>
      writesOf(model).flatMap(({ pattern, write }): Report[] => {
        if (write.verb !== 'puts' || write.need.given !== undefined) return [];
        const other = writesOf(model).some(
          ({ write: each }) =>
            each.entity === write.entity &&
            (each.verb === 'creates' || each.verb === 'updates' || each.verb === 'upserts'),
        );
        const { entity } = write;
        if (!other && !keyIsFound(model, entity)) return [];
        return [{ path: writePath({ pattern, write }), message: `replaces whatever ${entity.name} is there` }];
      }),
  },
  {
    code: 'transaction-of-one',
    level: 'hint',
    ids: ['LP-15'],
    title: 'A transaction with one action',
    why: 'A single write is atomic and can have a condition. As a transaction it costs twice as much.',
    remedy: 'Write it as `creates`, `updates` or `deletes` without `transacts`.',
    look: ({ patterns }) =>
      [...patterns.values()].flatMap(({ name, need, plan }): Report[] => {
        const parts = Object.values(need.transacts ?? {});
        if (parts.length !== 1 || plan?.kind !== 'write') return [];
        const [write] = plan.writes;
        if (write === undefined || write.many || write.entity.unique.length > 0 || write.entity.parents.length > 0)
          return [];
        return [{ path: `patterns.${name}`, message: `its only action is ${write.verb} ${write.entity.name}` }];
      }),
  },
  {
    code: 'copies-apart',
    level: 'warning',
    ids: ['LB-8'],
    title: 'Copies that are written separately',
    why: "A failure between two requests leaves one copy without the other: the post exists, but not its entry in the author's list.",
    remedy: 'Write both in one `transacts`.',
    look: (model) =>
      [...model.entities.values()].flatMap((child): Report[] => {
        const sources = new Set(
          Object.values(child.rules.duplicates ?? {}).flatMap((each) =>
            each === undefined ? [] : [each.from.split('.')[0] ?? ''],
          ),
        );
        return [...sources].flatMap((source) => {
          const apart = creations(model, child.name).filter((pattern) => !creations(model, source).includes(pattern));
          const sourceKey = model.entities.get(source);
          if (
            sourceKey === undefined ||
            apart.length === 0 ||
            keyVariables(sourceKey).join() !== keyVariables(child).join()
          )
            return [];
          return apart.map((pattern) => ({
            path: `patterns.${pattern}`,
            message: `creates ${child.name} without the ${source} it is a copy of`,
          }));
        });
      }),
  },
];

/** What each verb uses. Other rules report `returns`, `orCreates` and `rekeys`. */
const used: Readonly<Record<string, readonly string[]>> = {
  // prettier-ignore
  reads: [
    'by', 'aka', 'among', 'range', 'where', 'filters', 'takes', 'order', 'window', 'limit', 'attributes', 'consistent', 'count', 'each',
    'expired', 'unproven',
  ],
  transacts: [],
  creates: ['given', 'takes', 'expired'],
  puts: ['given', 'takes'],
  upserts: ['given', 'takes'],
  updates: ['by', 'sets', 'maySet', 'changes', 'given', 'takes'],
  deletes: ['by', 'given', 'takes', 'mustExist'],
  checks: ['by', 'given', 'takes', 'mustExist'],
};

/** What some verb uses. What remains, such as a remark or a rate, is about any pattern. */
const usedBySome = new Set(Object.values(used).flat());

function withoutEffect(path: string, need: Need): Report[] {
  const [verb, ...others] = Object.keys(used).filter((each) => each in need);
  if (verb === undefined || others.length > 0) return [];
  return Object.entries(need)
    .filter(([name, value]) => usedBySome.has(name) && used[verb]?.includes(name) !== true && value !== undefined)
    .flatMap(([name, value]): Report[] => {
      // An update needs its item anyway. What is false asks for nothing.
      if (verb === 'updates' && name === 'mustExist' && value === true) return [];
      if (name === 'mustExist' ? verb !== 'updates' && value === false : value === false) return [];
      return [{ path, message: `\`${verb}\` does not use \`${name}\`` }];
    });
}

/** Parts of a transaction that write one item, whatever the inputs are, and can never be one action. */
function conflictsInTransaction({ name, plan }: PatternInfo): Report[] {
  // Only an item whose key has no variables is certainly the same.
  const writes = plan?.kind === 'write' ? plan.writes.filter(({ entity }) => keyVariables(entity).length === 0) : [];
  return writes.flatMap((write, i) =>
    writes.slice(i + 1).flatMap((other): Report[] => {
      if (write.entity !== other.entity) return [];
      const why = conflictOf(write, other) ?? conflictOf(other, write);
      if (why === undefined) return [];
      return [
        {
          path: `patterns.${name}.transacts.${other.part ?? ''}`,
          message: `${write.part ?? ''} and ${other.part ?? ''} write one item, the ${write.entity.name}, and ${why}`,
          remedy: 'Make them one part, or two transactions.',
        },
      ];
    }),
  );
}

function conflictOf(one: WritePlan, other: WritePlan): string | undefined {
  const makes = ({ verb }: WritePlan): boolean => verb === 'creates' || verb === 'puts' || verb === 'upserts';
  if (makes(one) && makes(other)) return 'an item is created once';
  if (one.verb === 'deletes' && other.verb !== 'checks') return 'a deleted item is not written';
  if (one.verb !== 'updates' || other.verb !== 'updates') return undefined;
  const both = [...settings(one)].find(([attribute, value]) => {
    const second = settings(other).get(attribute);
    return second !== undefined && value.value !== second.value;
  });
  return both === undefined ? undefined : `${both[0]} gets two values`;
}

/** The attributes that an update sets to a constant. Inputs of two parts may be equal. */
function settings({ need }: WritePlan): Map<string, { readonly value: unknown }> {
  const constants = Object.entries(need.changes ?? {}).flatMap(([path, change]: [string, unknown]) =>
    typeof change === 'object' && change !== null ? [] : [[path, { value: change }] as const],
  );
  return new Map(constants);
}

function relatedTo(model: ResolvedModel, child: EntityInfo): EntityInfo[] {
  return model.model.relationships.flatMap((each) =>
    childOf(each) === child.name ? (model.entities.get(each[0]) ?? []) : [],
  );
}

/** The attributes of a child that identify its parents. */
function references(model: ResolvedModel, child: EntityInfo): Set<string> {
  const names = model.model.relationships.flatMap((each) => {
    const [parent, , , { by = {} } = {}] = each;
    const info = childOf(each) === child.name ? model.entities.get(parent) : undefined;
    return info === undefined ? [] : keyVariables(info).map((name) => by[name] ?? name);
  });
  return new Set(names);
}

/** Whether a pattern changes the value of an attribute. */
function isChanged(model: ResolvedModel, entity: EntityInfo, attribute: string): boolean {
  return writesOf(model).some(
    ({ write }) =>
      write.entity === entity && (write.verb === 'updates' || write.verb === 'upserts') && changes(write, attribute),
  );
}

/** The writes that change an attribute although no pattern names it: of children that are counted, summed or numbered, and of versions. */
function changesWithOthers(
  { entities, ...model }: ResolvedModel,
  source: EntityInfo,
  attribute: string,
): string | undefined {
  if (source.rules.lock === attribute) return 'each update';
  for (const child of entities.values()) {
    const counted = child.parents.filter(({ entity }) => entity === source.name).flatMap(talliesOf);
    const numbered = child.sequences.filter(({ parent }) => parent.entity === source.name);
    if (counted.some(([tally]) => tally === attribute) || numbered.some(({ counter }) => counter === attribute))
      return `each ${child.name}`;
  }
  const { from = [] } = computedOf(source.rules).find(([name]) => name === attribute)?.[1] ?? {};
  return from
    .map((each) => changesWithOthers({ entities, ...model }, source, each))
    .find((cause) => cause !== undefined);
}

function changes(write: WritePlan, attribute: string): boolean {
  return write.verb === 'upserts' || changedAttributes(write.need, write.entity).has(attribute);
}

function creations(model: ResolvedModel, entity: string): string[] {
  return writesOf(model)
    .filter(({ write }) => write.entity.name === entity && (write.verb === 'creates' || write.verb === 'puts'))
    .map(({ pattern }) => pattern.name);
}

/** Whether the entries of a document, or the elements of a set, are all constants and inputs with a few values, such as an enumeration. */
function isOneOfFew(
  { pattern, write }: { readonly pattern: PatternInfo; readonly write: WritePlan },
  path: string,
  change: unknown,
): boolean {
  const { append, include } = Object(change) as Readonly<Record<string, unknown>>;
  if (append !== undefined) return false;
  const inputs = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (isReference(include)) inputs.push(include.ref);
  return inputs.every((name) => {
    const schema = write.need.takes?.[name] ?? pattern.need.takes?.[name] ?? write.entity.attributes.get(name)?.schema;
    return schema !== undefined && domainOf(schema).values !== undefined;
  });
}

/**
 * Whether a condition keeps an attribute from growing without bound: each of its alternatives does.
 *
 * @param isIdle - whether nothing is added where tests of attributes hold.
 */
function boundsSize(condition: Guard | undefined, attribute: string, isIdle: (tests: Tests) => boolean): boolean {
  if (condition === undefined) return false;
  const { any: alternatives, ...tests } = condition as Tests & { readonly any?: readonly Guard[] };
  if (Array.isArray(alternatives) && alternatives.every((each: Guard) => boundsSize(each, attribute, isIdle)))
    return true;
  const { exists, size } = testsOf(tests[attribute]);
  return exists === false || (size !== undefined && isUpperBound(size)) || isIdle(tests);
}

/** What an update computes from the value that names its item, although the item may have another value that counts as the same. */
function computedFromOther({ verb, need, entity }: WritePlan): Pick<Report, 'message' | 'remedy'>[] {
  if (verb !== 'updates') return [];
  const { same = {} } = entity.rules;
  const changed = changedAttributes(need, entity);
  return computedOf(entity.rules).flatMap(([name, { from }]) => {
    if (need.orCreates !== true && !from.some((each) => changed.has(each))) return [];
    const other = from.find((each) => each in same && need.by?.some((by) => by === each) === true);
    if (other === undefined) return [];
    return [
      {
        message: `${name} is computed from ${other}, of which the item may have another value that counts as the same`,
        remedy: `Write both with \`upserts\`, or compute ${name} from other attributes.`,
      },
    ];
  });
}

/** Attributes that one update would change twice, which the service refuses: by the pattern, or by the lock. */
function writtenTwice({ verb, need, entity }: WritePlan): Pick<Report, 'message' | 'remedy'>[] {
  const paths = [...(need.sets ?? []), ...(need.maySet ?? []), ...Object.keys(need.changes ?? {})];
  const { lock } = entity.rules;
  const twice = paths.flatMap((path, i) =>
    paths.slice(0, i).flatMap((other) => {
      const inner = [path, other].find((each) => parentPaths(each).includes(each === path ? other : path));
      const outer = inner === path ? other : path;
      if (path !== other && inner === undefined) return [];
      return [
        {
          message: inner === undefined ? `${path} is changed twice` : `${outer} is set, and ${inner} within it as well`,
          remedy: 'Let the pattern change it once.',
        },
      ];
    }),
  );
  if (verb !== 'updates' || lock === undefined || !paths.includes(lock)) return twice;
  return [
    ...twice,
    {
      message: `${lock} is the version of ${entity.name}, which each update takes and increments: no pattern sets it`,
      remedy: `Leave ${lock} out of \`sets\` and \`changes\`: it is an input already.`,
    },
  ];
}

/** Conditions by the path that they are about. */
type Tests = Readonly<Record<string, unknown>>;

/** Whether a change adds nothing: the entry that it writes, or the element that it includes, is there already. */
function addsNothing(tests: Tests, path: string, change: unknown): boolean {
  const { exists, contains } = testsOf(tests[path]);
  if (path.includes('{')) return exists === true;
  const { include } = change as { readonly include?: unknown };
  return include !== undefined && JSON.stringify(contains) === JSON.stringify(include);
}

function testsOf(condition: unknown): { readonly [test in 'exists' | 'size' | 'contains']?: unknown } {
  return typeof condition === 'object' && condition !== null ? condition : {};
}

function isUpperBound(size: unknown): boolean {
  return typeof size !== 'object' || size === null || ['below', 'atMost', 'equals'].some((test) => test in size);
}

/** The condition that keeps an attribute small, and lets the first element in if it may be missing. Nothing is written within what is missing. */
function sizeCondition(attribute: string, { entity, need }: WritePlan, nested: boolean): string {
  const small = `{ ${attribute}: { size: { below: 100 } } }`;
  const info = entity.attributes.get(attribute) ?? { optional: false, fallback: undefined };
  return nested || !mayBeMissing({ need }, info) ? small : `{ any: [{ ${attribute}: { exists: false } }, ${small}] }`;
}

/** The user chooses the key, so an item with it may well exist. */
function keyIsFound(model: ResolvedModel, entity: EntityInfo): boolean {
  return keyVariables(entity).some((name) => {
    const info = entity.attributes.get(name);
    return info !== undefined && /name|email|slug|title/i.test(name) && kindOf(info.schema).text;
  });
}
