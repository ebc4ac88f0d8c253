import type { InspectedSpace } from './inspected-space.ts';
import type { ReadFinding, ReadPage, ReadWhole } from './read-explanation.ts';

/** Reading more items than this for each one returned gives a finding. */
const readPerReturned = 2;

/** Findings about a read, the most expensive first. */
export function findingsOf({
  subject,
  page,
  whole,
  filtered,
}: {
  readonly subject: InspectedSpace;
  readonly page: ReadPage | undefined;
  readonly whole: ReadWhole | null;
  readonly filtered: ReadonlySet<string>;
}): readonly ReadFinding[] {
  if (page === undefined) return [];
  const findings: ReadFinding[] = [];
  const name = subject.index?.indexName ?? subject.table.tableName;
  if (whole !== null) {
    findings.push({
      code: 'scan',
      message: `This is a scan: it reads all ${whole.items} items of ${name}, for ${whole.reads} read units, however few the conditions keep.`,
      remedy: remedyOf(subject, filtered),
    });
  }
  if (page.read > page.returned * readPerReturned && filtered.size > 0) {
    findings.push({
      code: 'filter-after-read',
      message: `A page reads ${page.read} items to return ${page.returned}: ${[...filtered].join(', ')} is looked at after reading.`,
      remedy:
        'Have the key say what the filter says: in the sort key, or as the key of an index that only such items are in.',
    });
  }
  if (!page.isLast && whole === null) {
    findings.push({
      code: 'more-pages',
      message: `One request does not bring all of it: the first page reads ${page.read} items for ${page.reads} read units.`,
      remedy: 'Read on with LastEvaluatedKey, or narrow the condition on the sort key.',
    });
  }
  return findings;
}

/** Reading by the key that the filter already names is the best remedy. */
function remedyOf({ table }: InspectedSpace, filtered: ReadonlySet<string>): string {
  const places = [
    { name: table.tableName, keys: table.keySchema.partition },
    ...table.globalIndexes.map((each) => ({ name: each.indexName, keys: each.keySchema.partition })),
  ];
  const served = places.find(({ keys }) => keys.every(({ attributeName }) => filtered.has(attributeName)));
  if (served === undefined)
    return 'Query by a partition key: of the table, or of an index that is keyed by what is asked for.';
  const keys = served.keys.map(({ attributeName }) => attributeName).join(' and ');
  return `Query ${served.name} by ${keys}, which the conditions already name.`;
}
