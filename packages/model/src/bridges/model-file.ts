import { type Draft, type DraftEntity, formsOf, identifier, storageOf } from './draft.ts';
import { scalarText, zodText } from './shape.ts';
import { Code, comments, Noted, sourceText } from './source-text.ts';

/** How the file of a draft is written. */
export interface ModelFileOptions {
  /** What `model` and `entity` are imported from. `@singlet/model` by default. */
  readonly entry?: string;
}

/** The draft as a TypeScript file with zod schemas, in the four sections of a model, its remarks as comments. */
export function modelFile(draft: Draft, { entry = '@singlet/model' }: ModelFileOptions = {}): string {
  const { name, notes, tables, entities, patterns } = draft;
  const storage = Object.fromEntries(
    entities.flatMap((each) => {
      const own = storageOf(each);
      return own === undefined ? [] : [[each.name, own]];
    }),
  );
  const section = (value: unknown, indent = 2): string => sourceText(value, indent, lineMin);
  const keys = section(Object.fromEntries(entities.map((each) => [each.name, chart(each)])), 4);
  const stored = Object.keys(storage).length === 0 ? '' : `\n    ${section(storage, 4)},`;
  return [
    "import { z } from 'zod';\n",
    `import { entity, model } from ${scalarText(entry)};\n\n`,
    ...comments(notes),
    `export const ${identifier(name, 'value')} = model(${scalarText(name)})\n`,
    '  // 1. What there is, and how it is related\n',
    `  .entities(${section(Object.fromEntries(entities.map((each) => [each.name, entityCode(each)])))})\n`,
    '  .relationships([])\n\n',
    '  // 2. What the application needs: so far only what the keys can serve\n',
    `  .patterns(${section(Object.fromEntries(patterns.map((each) => [each.name, new Noted(each.notes, each.need)])))})\n\n`,
    '  // 3. Keys and indexes\n',
    `  .tables(${section(tables)})\n`,
    `  .keys(\n    ${keys},${stored}\n  )\n\n`,
    '  // 4. How each pattern is served\n',
    `  .served(${section(Object.fromEntries(patterns.map((each) => [each.name, each.served])))});\n`,
  ].join('');
}

/** Sections are written with one line for each member, however short they are. */
const lineMin = 120;

function entityCode({ attributes, rules = {}, notes }: DraftEntity): Noted {
  const schemas = Object.fromEntries(
    attributes.map((each) => {
      const after =
        each.fallback === undefined ? (each.optional ? '.optional()' : '') : `.default(${scalarText(each.fallback)})`;
      return [each.name, new Noted(each.notes ?? [], new Code(`${zodText(each.shape)}${each.checks ?? ''}${after}`))];
    }),
  );
  if (Object.keys(rules).length === 0) return new Noted(notes, new Code(`entity(${sourceText(schemas, 4, lineMin)})`));
  const inner = ' '.repeat(6);
  const text = `${inner}${sourceText(schemas, 6, lineMin)},\n${inner}${sourceText(rules, 6)},\n`;
  return new Noted(notes, new Code(`entity(\n${text}    )`));
}

function chart({ keys }: DraftEntity): object {
  return Object.fromEntries(keys.map((key) => [key.place, new Noted(key.notes, formsOf(key))]));
}
