import type { ProverFault } from './prover-faults.ts';

const form = 'migrate/item-form.ts';
const move = 'migrate/move-item.ts';
const run = 'migrate/run.ts';
const attributes = 'versions/diff-attributes.ts';
const entity = 'versions/diff-entity.ts';

/**
 * Faults of the code that compares versions and migrates items. With each, a migration must go wrong, and `migrateScript` must say so: in
 * the tests with the pair of `migrate-witnesses.json`, by command (`npm run migrate:mutations`) in drawn pairs.
 */
export const migrateFaults: readonly ProverFault[] = [
  {
    what: 'an item of a type that another entity had is that entity’s',
    file: entity,
    code: 'if (other === undefined) return [];',
    becomes: 'if (other !== undefined) return []; if (other === undefined) return [];',
  },
  {
    what: 'an item keeps the guard of a value that it had',
    file: move,
    code: 'return [...wanted, ...former].filter((action) => action !== undefined);',
    becomes: 'return wanted.filter((action) => action !== undefined);',
  },
  {
    what: 'guards stay in the old table',
    file: form,
    code: 'const former = formerly.filter((old) => !stays || !guards.some((guard) => sameItem(guard.key, old.key)));',
    becomes: 'const former = formerly.filter((old) => !guards.some((guard) => sameItem(guard.key, old.key)));',
  },
  {
    what: 'an item that is written meanwhile is what was read',
    file: move,
    code: 'value === undefined ? `attribute_not_exists(${placeholder})` : `${placeholder} = ${expression.value(value)}`,',
    becomes: 'value === undefined ? `attribute_not_exists(${placeholder})` : `attribute_exists(${placeholder})`,',
  },
  {
    what: 'an item leaves no index',
    file: entity,
    code: 'if (kept || !isKeyOfAnIndex(after.table, forms)) continue;',
    becomes: 'continue;',
  },
  {
    what: 'an index key is made of the old default',
    file: form,
    code: 'const given = isFormer ? undefined : migrated[name];',
    becomes: 'const given = migrated[name];',
  },
  {
    what: 'an attribute under another stored name is there once',
    file: form,
    code: 'next.stored !== stored &&',
    becomes: 'next.stored === stored &&',
  },
  {
    what: 'a value that a function changed is what was stored',
    file: form,
    code: 'sameValue(toAttributeValue(decoded[name], name), toAttributeValue(next[name], name))',
    becomes: 'decoded[name] !== next',
  },
  {
    what: 'a default that goes is in no key',
    file: attributes,
    code: 'if (isIn(after.indexes.flatMap(({ forms }) => forms)))',
    becomes: 'if (isIn([]))',
  },
  {
    what: 'an application finds what has not moved yet',
    file: 'migrate/connect-during.ts',
    code: 'await moveItem(this.#traffic, form, item);',
    becomes: '',
  },
  {
    what: 'a key is the same under another condition',
    file: entity,
    code: "return `${slots.join('|')} ${form.when === undefined ? '' : canonical(form.when)}`;",
    becomes: "return slots.join('|');",
  },
  {
    what: 'a segment has one page',
    file: run,
    code: 'done: page.last === undefined,',
    becomes: 'done: true,',
  },
  {
    what: 'the pages of an earlier run are done',
    file: 'migrate/progress.ts',
    code: 'known !== undefined && known.attempt === state.attempt',
    becomes: 'known !== undefined',
  },
  {
    what: 'a count is what it was when the children were counted',
    file: 'migrate/count-children.ts',
    code: 'const tests = [stored, activityAttribute(stored)].map((name) => {',
    becomes: 'const tests = [].map((name) => {',
  },
  {
    what: 'a guard of an item’s value is another item’s',
    file: move,
    code: 'if (Object.entries(named).every(([name, value]) => own[name] === value)) return false;',
    becomes: '',
  },
];
