import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../systems/testing/drawn.ts';
import { requiredIds, shownElsewhere } from './src/required-ids.ts';
import { allRows, rowsBySubject } from './src/rows/index.ts';
import { runRow } from './src/run-row.ts';
import { capabilitiesNotYet, databaseTarget } from './src/targets.ts';
import type { DatabaseTargetOptions, Target } from './src/targets.ts';

describe('the rows', () => {
  test('have unique ids', () => {
    const ids = allRows.map((row) => row.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('say where the fact is from and what they cover', () => {
    for (const row of allRows) {
      expect(row.source, row.id).toMatch(/^(AWS documentation: |recorded: |assumed: )/);
      expect(row.covers, row.id).not.toEqual([]);
      for (const id of row.covers) expect(id, row.id).toMatch(/^DB-\d{3}$/);
      expect(row.steps, row.id).not.toEqual([]);
    }
  });

  test('cover every requirement, or the documentation says why not and what shows it', () => {
    const covered = new Set(allRows.flatMap((row) => row.covers));
    const elsewhere = new Map(shownElsewhere().map((each) => [each.id, each]));
    expect(requiredIds.filter((id) => !covered.has(id) && !elsewhere.has(id))).toEqual([]);
    expect([...elsewhere.keys()].filter((id) => covered.has(id))).toEqual([]);
  });

  test('are told apart from what other files show, which name the requirement', () => {
    for (const { id, reason, file } of shownElsewhere()) {
      expect(reason.length, id).toBeGreaterThan(10);
      if (file !== undefined) expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'), id).toContain(id);
    }
  });
});

/**
 * Each row by each way to ask and in each place to keep data, but not in every combination of the two: neither knows of the other. All rows over HTTP
 * and in memory, and those that the run has drawn in a directory: the stores have a contract of their own, which both keep.
 */
const ways: readonly {
  readonly via: DatabaseTargetOptions['via'];
  readonly kept: 'in memory' | 'in a directory' | 'encrypted in a directory';
}[] = [
  { via: 'http', kept: 'in memory' },
  { via: 'in process', kept: 'in a directory' },
  { via: 'in process', kept: 'encrypted in a directory' },
];

for (const { via, kept } of ways) {
  describe(`${via}, ${kept}`, () => {
    let directory: string | undefined;
    let target: Target;

    beforeAll(async () => {
      directory = kept === 'in memory' ? undefined : await mkdtemp(join(tmpdir(), 'conformance-'));
      target = await databaseTarget({
        via,
        ...(directory === undefined ? {} : { directory, encrypted: kept === 'encrypted in a directory' }),
      });
    });

    afterAll(async () => {
      await target.close();
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    });

    for (const [subject, rows] of Object.entries(rowsBySubject)) {
      describe(subject, () => {
        const possible = rows.filter(
          ({ needs }) =>
            !needs.some((capability) => capabilitiesNotYet.includes(capability)) &&
            !(kept === 'in a directory' && needs.includes('encryption')),
        );
        for (const row of kept === 'in memory' ? possible : drawn(`${subject} ${kept}`, possible)) {
          test(`${row.id} (${row.covers.join(', ')})`, () => runRow(row, target));
        }
      });
    }
  });
}
