import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/**
 * Comments, messages, names of tests and documents say what happens with a subject and a plain verb. These expressions were
 * common here and read as translated; each has a plain one beside it, most of them in docs/glossary.md.
 */
const idioms: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /\bwhoever\b/i, instead: 'the process, request, caller or reader that is meant' },
  { pattern: /\b[Nn]obody\b/, instead: 'no process, no request, no reader; or the passive' },
  { pattern: /\bowed\b/i, instead: 'pending' },
  { pattern: /\bin its care\b/i, instead: 'owns' },
  { pattern: /\b(takes|took|taken) up\b(?! to)/i, instead: 'resumes; uses' },
  { pattern: /\b(stands|stood)\b|\bstand (in|for)\b/i, instead: 'is; represents; replaces' },
  { pattern: /\blies\b|\b(lie|lay) (in|behind|on)\b/i, instead: 'is in, behind, on' },
  { pattern: /\b(goes|go|went) on\b(?! (demand|the|a|an|its|their) )/i, instead: 'continues' },
  { pattern: /\bbrought to\b/i, instead: 'moved to; for LMDB, a checkpoint' },
  { pattern: /\bknows nothing\b/i, instead: 'does not know' },
  { pattern: /\bcomes? to light\b/i, instead: 'becomes visible, is found' },
  { pattern: /\bis to be had\b/i, instead: 'is available' },
  { pattern: /\banew\b(?! =|[,():])/, instead: 'again; starts over; rebuilt' },
  { pattern: /\bmade-up (items?|ones?|values?|keys?)\b/i, instead: 'sample items; generated values; placeholders' },
  { pattern: /\bmade to hurt\b/i, instead: 'adversarial' },
  { pattern: /\bcalled otherwise\b/i, instead: 'named differently; with another name' },
  { pattern: /\bbehind the (damage|filter|last|limit)\b/i, instead: 'after' },
  { pattern: /\b(minutes|seconds) on end\b/i, instead: 'consecutive; in a row' },
  {
    pattern:
      /(?<!\bthere )\b(is|are) no (action|ARN|attribute|cardinality|condition|fixture|input|item|key|number|part|principal|table|text)\b/i,
    instead: 'is not a',
  },
];

/** Files in which the words are right: lists of the words themselves. */
const exceptions: readonly RegExp[] = [
  /^docs\/glossary\.md$/, // has the words that are not used
  /^packages\/singlet\/test\/language\.test\.ts$/,
];

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** @returns `line: text (instead)` for each idiom in a text. */
function idiomsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      idioms
        .filter(({ pattern }) => pattern.test(line))
        .map(({ pattern, instead }) => `${at + 1}: ${pattern.exec(line)?.[0] ?? ''} (${instead})`),
    );
}

function textFiles(): readonly string[] {
  const patterns = ['*.ts', '*.tsx', '*.tsx', '*.md', '*.mjs', '*.html'];
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => file !== '' && !exceptions.some((exception) => exception.test(file)));
}

describe('the language of the repository', () => {
  test('has plain verbs and subjects', () => {
    const files = textFiles();
    expect(files.length).toBeGreaterThan(1000);
    const found = files.flatMap((file) =>
      idiomsIn(readFileSync(join(root, file), 'utf8')).map((idiom) => `${file}:${idiom}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    ['// Whoever asks is answered.', 'Whoever'],
    [' * What other regions are owed is sent.', 'owed'],
    ["test('goes on after a failure', () => {});", 'goes on'],
    ['The rest stands in the record.', 'stands'],
    ['What a name stands for.', 'stands'],
    ['What was brought to the data file', 'brought to'],
    ['It lies behind the mark.', 'lies'],
    ['a job is taken up by the next start', 'taken up'],
    ['The page is built anew.', 'anew'],
    ['what can be read behind the damage', 'behind the damage'],
    ['"x" is no action: write "*".', 'is no action'],
  ])('is checked: %s', (line, idiom) => {
    expect(idiomsIn(`first\n${line}\n`)).toEqual([expect.stringMatching(`^2: ${idiom} \\(`)]);
  });

  test.each(['a table that goes on demand for', 'takes up to 97 materials', 'go on the list', 'there is no item'])(
    'is not read into: %s',
    (line) => {
      expect(idiomsIn(line)).toEqual([]);
    },
  );
});
