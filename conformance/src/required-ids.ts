import { readFileSync } from 'node:fs';

/** Ids of all requirements that the rows name. */
export const requiredIds: readonly string[] = Array.from(
  { length: 282 },
  (_, index) => `DB-${String(index + 1).padStart(3, '0')}`,
);

/** A requirement that no row can test: why, and the file that tests it instead, if one does. */
export interface ShownElsewhere {
  readonly id: string;
  readonly reason: string;
  readonly file: string | undefined;
}

/** The list of them in docs/compatibility.md. */
export function shownElsewhere(): readonly ShownElsewhere[] {
  const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
  const list = page.slice(page.indexOf('## Requirements that no row shows'));
  return Array.from(
    list.matchAll(/^\|\s+(DB-\d{3})\s+\|\s+(.+?)\s+\|\s+(?:\[.+\]\((.+)\)|-)\s+\|$/gm),
    ([, id = '', reason = '', file]) => ({
      id,
      reason,
      file: file?.replace(/^\.\.\//, ''),
    }),
  );
}
