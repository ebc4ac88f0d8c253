import type { Guard } from '../../patterns/value.ts';
import type { EntityInfo, ResolvedModel, WritePlan } from '../../resolve/resolved.ts';
import { changedAttributes } from '../../resolve/slots.ts';
import { keyVariables } from '../../resolve/entities.ts';
import { writeFaults } from '../../resolve/write-faults.ts';
import type { Report } from '../finding.ts';
import { kindOf } from '../probe.ts';
import { writePath, writesOf } from '../residents.ts';
import type { Rule } from '../rule.ts';

/** Rules about what is written. */
export const writeRules: readonly Rule[] = [
  {
    code: 'faulty-write',
    level: 'error',
    ids: ['LB-11', 'S-04'],
    title: 'A write that cannot be sound',
    why: 'What names an item is a condition, and what an update creates is a whole item. Where a pattern says something that cannot be both, a connection refuses to run it.',
    remedy: 'Change the pattern as the message says.',
    look: (model) =>
      writesOf(model).flatMap((each) =>
        writeFaults(each.write).map(({ message }) => ({ path: writePath(each), message })),
      ),
  },
  {
    code: 'undeclared-duplicate',
    level: 'error',
    ids: ['LP-08', 'S-10', 'S-33'],
    title: 'Copied data that is not kept up to date',
    why: 'An attribute of one entity is in another as well, and a pattern changes it at the one place only. From then on the two differ.',
    remedy:
      "Declare the copy: `duplicates: { name: { from: 'Author.name', rule: 'immutable' | 'immediate' | 'stream', found: 'postsOfAuthor' } }`.",
    look: (model) =>
      [...model.entities.values()].flatMap((child) =>
        relatedTo(model, child).flatMap((parent) =>
          [...child.attributes.keys()].flatMap((name): Report[] => {
            const [own, theirs] = [keyVariables(child), keyVariables(parent)];
            if (!parent.attributes.has(name) || own.includes(name) || theirs.includes(name)) return [];
            if (
              Object.hasOwn(child.rules.duplicates ?? {}, name) ||
              !isChanged(model, parent, name) ||
              isChanged(model, child, name)
            )
              return [];
            return [
              {
                path: `entities.${child.name}.${name}`,
                message: `${parent.name}.${name} changes, ${child.name}.${name} stays`,
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
    title: 'A copy whose rule cannot be kept',
    why: 'A copy that is declared immutable must come from an attribute that no pattern changes; one that is kept up to date must be found, by a pattern that reads the copies.',
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
            return isChanged(model, source, attribute)
              ? [{ path, message: `is immutable, and a pattern changes ${duplicate.from}` }]
              : [];
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
    why: 'An item has at most 400 KB and is written as a whole. A list that is appended to costs more with each element, until the write is refused.',
    remedy:
      'Make each element an item of the same collection, or bound it: `given: { entries: { size: { below: 100 } } }`.',
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
          const top = path.split(/[.[]/)[0] ?? path;
          if (boundsSize(write.need.given, top)) return [];
          return [
            { path: writePath({ pattern, write }), message: `${top} of ${write.entity.name} grows without bound` },
          ];
        }),
      ),
  },
  {
    code: 'read-inside-document',
    level: 'hint',
    ids: ['S-27'],
    title: 'A document that is read by its inside',
    why: 'What is inside a list or map cannot be a key. A pattern that looks for it reads everything around it.',
    remedy: 'Give what is looked for an item of its own.',
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
    why: 'Streams, queues and retries deliver at least once. Adding to a number or appending to a list a second time gives another result.',
    remedy: "Set a value, add to a set, or remember what has been done: a condition on the event's id.",
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
    title: 'A put where an item may be',
    why: 'A put without a condition replaces the item there is, with all that others have written to it.',
    remedy:
      'Use `creates` where the item is new, `upserts` where it may exist. Where replacing is meant, a condition says so: `given`.',
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
    why: 'A single write is atomic by itself and takes a condition. As a transaction it costs twice as much.',
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
    title: 'Copies that are written one without the other',
    why: "Two requests can fail between each other: the post is there, its entry in the author's list is not.",
    remedy: 'Write them in one `transacts`.',
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

function relatedTo(model: ResolvedModel, child: EntityInfo): EntityInfo[] {
  return model.model.relationships.flatMap(([parent, , name, rules]) =>
    name === child.name || rules?.through === child.name ? (model.entities.get(parent) ?? []) : [],
  );
}

/** Whether a pattern gives an attribute another value. */
function isChanged(model: ResolvedModel, entity: EntityInfo, attribute: string): boolean {
  return writesOf(model).some(
    ({ write }) =>
      write.entity === entity && (write.verb === 'updates' || write.verb === 'upserts') && changes(write, attribute),
  );
}

function changes(write: WritePlan, attribute: string): boolean {
  return write.verb === 'upserts' || changedAttributes(write.need, write.entity).has(attribute);
}

function creations(model: ResolvedModel, entity: string): string[] {
  return writesOf(model)
    .filter(({ write }) => write.entity.name === entity && (write.verb === 'creates' || write.verb === 'puts'))
    .map(({ pattern }) => pattern.name);
}

/** A condition that keeps the size of an attribute below something. */
function boundsSize(condition: Guard | undefined, attribute: string): boolean {
  if (condition === undefined) return false;
  const alternatives = (condition as { readonly any?: readonly Guard[] }).any;
  if (Array.isArray(alternatives)) return alternatives.some((each: Guard) => boundsSize(each, attribute));
  const test = (condition as Readonly<Record<string, unknown>>)[attribute];
  return typeof test === 'object' && test !== null && 'size' in test;
}

/** The key is chosen by the user, rather than drawn: an item may well be there. */
function keyIsFound(model: ResolvedModel, entity: EntityInfo): boolean {
  return keyVariables(entity).some((name) => {
    const info = entity.attributes.get(name);
    return info !== undefined && /name|email|slug|title/i.test(name) && kindOf(info.schema).text;
  });
}
