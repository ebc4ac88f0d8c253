import { readFileSync } from 'node:fs';

const guide = readFileSync(new URL('../../../../docs/model.md', import.meta.url), 'utf8');

/** The constructs of a model, as the tables of the guide have them in their first columns. */
export function rowsOfGuide(): string[] {
  const sections = guide.slice(guide.indexOf('\n## Section 1'), guide.indexOf('\n## Running'));
  const cells = sections.split('\n').flatMap((line) => /^\| (.*?) +\| /.exec(line)?.[1]?.trim() ?? []);
  return cells.filter((cell) => !['Declare', 'Encoder'].includes(cell) && !/^-+$/.test(cell));
}
