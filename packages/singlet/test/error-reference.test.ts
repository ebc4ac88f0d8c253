import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { errorClasses, type ErrorText, errorTexts, errorTextsIn } from './error-texts.ts';

/*
 * docs/errors.md and docs/error-codes.md are generated from the places in the sources that make errors.
 * `UPDATE_GOLDEN=1 npx vitest run packages/singlet/test/error-reference.test.ts` rewrites them.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['packages/singlet/src', 'packages/model/src'].map((folder) => root + folder);
const classes = errorClasses(folders);
const errors = folders.flatMap((folder) => errorTextsIn(folder, [...classes.keys()]));

/** Classes of the engine that have the name of another on the wire. */
const wireNames: Readonly<Record<string, string>> = {
  MalformedValueException: 'ValidationException',
  RequestRefusedException: 'ValidationException',
};

const isServiceError = ({ name }: ErrorText): boolean => isA(name, 'DynamoError') || !classes.has(name);

function isA(name: string, base: string): boolean {
  const own = classes.get(name);
  return name === base || (own !== undefined && isA(own, base));
}

const introductions = {
  'docs/errors.md': `# Errors of the service

The errors with which a server answers requests: look up an error by its name in the answer. An ellipsis represents a part that varies: a
name, a number, a path. Texts that the code composes of parts, such as those of expressions, are listed as parts.
[compatibility.md](compatibility.md) explains how they were compared with the service. This page is generated from the sources.
`,
  'docs/error-codes.md': `# Errors of programs

The errors of the library, the toolkit and the commands, which are not answers to requests: look up an error by its class or its text. If an
error has a stable code, the code is before the text; compare the code in programs, because texts may change. An ellipsis represents a part
that varies. This page is generated from the sources.
`,
};

function reference(introduction: string, all: readonly ErrorText[]): string {
  const byName = new Map<string, Set<string>>();
  for (const { name, code, text } of all) {
    const known = wireNames[name] ?? name;
    const line = code === undefined ? quoted(text) : `\`${code}\`: ${quoted(text)}`;
    byName.set(known, (byName.get(known) ?? new Set()).add(line));
  }
  const sections = [...byName.entries()].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    introduction,
    ...sections.map(([name, lines]) => `## ${name}\n\n${[...lines].map((line) => `- ${line}\n`).join('')}`),
  ].join('\n');
}

/** A text as code, whatever it contains. */
function quoted(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``;
}

test.each([
  ['docs/errors.md', errors.filter(isServiceError)],
  ['docs/error-codes.md', errors.filter((error) => !isServiceError(error))],
] as const)('%s has every error that the sources make', (page, all) => {
  const generated = reference(introductions[page], all);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(root + page, generated);
  expect(readFileSync(root + page, 'utf8')).toBe(generated);
});

test('the sources are read: classes, codes, templates, and texts in pieces', () => {
  expect(errors.length).toBeGreaterThan(700);
  expect(isA('DamagedValueError', 'StorageError')).toBe(true);
  const planted = [
    "throw new StorageError('full', `The disk of ${path} is ${'f' + `u${1}`} full`, { cause });",
    "throw new ValidationException('One piece, ' + 'and another');",
    "throw new ValidationException('SNB'.includes(type) ? 'This is one text' : 'This is another');",
    "super('ThrottlingException', 'Too many of them', { status: 400 });",
    "super('damaged', 'Not a name but a code');",
    "throw new Map(['not an error']);",
    'throw new StorageError(code, text);',
  ].join('\n');
  expect(errorTexts(planted, ['StorageError', 'ValidationException'])).toEqual([
    { name: 'StorageError', code: 'full', text: 'The disk of … is … full' },
    { name: 'ValidationException', code: undefined, text: 'One piece, and another' },
    { name: 'ValidationException', code: undefined, text: 'This is one text' },
    { name: 'ValidationException', code: undefined, text: 'This is another' },
    { name: 'ThrottlingException', code: undefined, text: 'Too many of them' },
  ]);
});
