import { itemBytes } from '../../cost/item-size.ts';
import type { PatternInfo } from '../../resolve/resolved.ts';
import type { Report } from '../finding.ts';
import { queriesOf } from '../residents.ts';
import type { Rule } from '../rule.ts';

/** What an item may have, and from which size on it is worth a thought. */
const itemBytesMax = 400 * 1024;
const itemBytesNoteworthy = 100 * 1024;
const pageBytesMax = 1024 * 1024;
const transactionActionsMax = 100;

/** Rules about what the service takes in one item and in one request. */
export const sizeRules: readonly Rule[] = [
  {
    code: 'item-size',
    level: 'warning',
    ids: ['LP-09', 'LB-5', 'S-84'],
    title: 'Items near the largest that there may be',
    why: 'An item has at most 400 KB, its attribute names included, and every write pays for the whole of it. One that is expected to have a quarter of that has something in it that could be an item, or an object, of its own.',
    remedy:
      'Keep what is read apart in items of its own (a summary beside the content, a document in parts), and large files in an object store.',
    look: ({ entities }) =>
      [...entities.values()].flatMap(({ name, rules }): Report[] => {
        const bytes = rules.expects?.bytes ?? 0;
        if (bytes < itemBytesNoteworthy) return [];
        return [
          {
            path: `entities.${name}.expects`,
            message: `${name} is expected to have ${kilobytes(bytes)} of the 400 KB that an item may have`,
            level: bytes > itemBytesMax ? 'error' : 'warning',
          },
        ];
      }),
  },
  {
    code: 'more-than-a-request',
    level: 'error',
    ids: ['LB-9', 'S-45'],
    title: 'More than one request takes',
    why: 'A query reads at most 1 MB, and a transaction has at most 100 actions. A page that is larger comes in parts, and a transaction that is larger is refused.',
    remedy: 'Ask for less at a time, or write in parts that may be there one without the other.',
    look: (model) => [
      ...[...model.patterns.values()].flatMap(actionReports),
      ...[...model.patterns.values()].flatMap(({ name, need: { limit } }): Report[] =>
        limit === undefined || (Number.isInteger(limit) && limit > 0)
          ? []
          : [{ path: `patterns.${name}.limit`, message: `a page of ${limit} items: it has at least one` }],
      ),
      ...queriesOf(model).flatMap(({ name, need: { limit }, plan }): Report[] => {
        const largest = Math.max(0, ...plan.parts.filter(({ many }) => many).map(({ entity }) => itemBytes(entity)));
        const indexed = plan.streams.some(({ place }) => place.project !== 'ALL');
        if (limit === undefined || indexed || limit * largest <= pageBytesMax) return [];
        return [
          {
            path: `patterns.${name}.limit`,
            message: `${limit} items of ${kilobytes(largest)} are more than the 1 MB that one query reads`,
            level: 'warning',
          },
        ];
      }),
    ],
  },
];

function actionReports({ name, plan, need }: PatternInfo): Report[] {
  if (plan?.kind !== 'write' || plan.operations.at(-1) !== 'TransactWriteItems') return [];
  const actions = plan.writes.reduce(
    (sum, { many, entity }) => sum + (many ? (need.volume?.most ?? 1) : 1) * (entity.rules.copies ?? 1),
    0,
  );
  return actions <= transactionActionsMax
    ? []
    : [
        {
          path: `served.${name}`,
          message: `comes to ${actions} actions of the 100 that a transaction may have`,
        },
      ];
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${Math.round(bytes)} bytes` : `${Math.round(bytes / 1024)} KB`;
}
