import { ringCountMax, type RingSpec } from './requests.ts';
import { type ScenarioName, scenarioNames, scenarios } from './scenarios.ts';
import type { SubjectId } from './subject.ts';
import { type TableSpec, wholePartitions } from './workload.ts';

/** The dimensions: each varies one thing and keeps the rest of the base case. */
export const variationNames = ['indexes', 'streams', 'sizes', 'connections', 'workers', 'access', 'sdk'] as const;
type VariationName = (typeof variationNames)[number];
export type GroupName = ScenarioName | VariationName;

/** One kind of load on one table over a number of connections. */
export interface BenchCase {
  /** Unique in a plan: `get`, `sizes/put/10 KB`. */
  readonly id: string;
  /** What distinguishes it within its group; empty if it is alone. */
  readonly title: string;
  readonly ring: RingSpec;
  readonly concurrency: number;
}

/** Cases whose runs are interleaved, so that they can be compared: every case and subject has one run in each round. */
export interface BenchGroup {
  readonly name: GroupName;
  readonly title: string;
  readonly cases: readonly BenchCase[];
  readonly subjects: readonly SubjectId[];
}

export interface PlanOptions {
  readonly groups: ReadonlySet<string>;
  readonly itemCount: number;
  readonly concurrency: number;
  readonly quick: boolean;
}

const baseItemBytes = 1024;
/** Tables with indexes or large items take long to fill, so their cases have smaller tables and a matching base. */
const variedItemCountMax = 50_000;
const variedItemCountQuick = 1000;
const variedTableBytesMax = 100 * 2 ** 20;
const ringCountQuick = 1000;

const overHttp: readonly SubjectId[] = [
  'http-floor',
  'dynalite-memory',
  'dynalite-disk',
  'dynoxide-memory',
  'dynoxide-disk',
  'singlet-memory',
  'singlet-disk',
];
const inProcess: readonly SubjectId[] = ['lmdb', 'in-process-request', 'in-process-handle', 'in-process-memory'];
const onDisk: readonly SubjectId[] = ['http-floor', 'dynalite-disk', 'dynoxide-disk', 'singlet-disk'];
const throughSdk: readonly SubjectId[] = [
  'sdk-http-floor',
  'sdk-dynalite',
  'sdk-dynoxide',
  'sdk-singlet',
  'sdk-in-process',
];

/** Everything that is measured in rounds, in order: the base cases first, while only their table exists. */
export function createPlan(options: PlanOptions): BenchGroup[] {
  const { concurrency } = options;
  const countMax = ringCountOf(options);
  const base: TableSpec = {
    name: 'Bench',
    itemCount: wholePartitions(options.itemCount),
    itemBytes: baseItemBytes,
    indexCount: 0,
    stream: false,
  };
  const variedItemCount = wholePartitions(
    Math.min(options.itemCount, options.quick ? variedItemCountQuick : variedItemCountMax),
  );
  /** A table that differs from the base in the given properties; the base itself if it has the same size. */
  const varied = (change: Partial<TableSpec> = {}): TableSpec => {
    const table = { ...base, itemCount: variedItemCount, ...change };
    if (JSON.stringify(table) === JSON.stringify(base)) return base;
    const { itemCount, itemBytes, indexCount, stream } = table;
    return { ...table, name: `Bench-${itemCount}-${itemBytes}-${indexCount}${stream ? '-stream' : ''}` };
  };
  const caseOf = (
    group: string,
    scenario: ScenarioName,
    table: TableSpec,
    change: { readonly title: string; readonly concurrency?: number },
  ): BenchCase => ({
    id: `${group}/${scenario}/${change.title}`,
    title: `${scenarios[scenario].title}, ${change.title}`,
    ring: { scenario, table, countMax },
    concurrency: change.concurrency ?? concurrency,
  });
  const readAndWrite = ['get', 'put'] as const;
  const variedCount = variedItemCount.toLocaleString('en-US');

  const groups: BenchGroup[] = [
    ...scenarioNames.map((scenario) => ({
      name: scenario,
      title: scenarios[scenario].title,
      cases: [{ id: scenario, title: '', ring: { scenario, table: base, countMax }, concurrency }],
      subjects: [...overHttp, ...inProcess],
    })),
    {
      name: 'sdk',
      title: 'Through the AWS SDK, in one client process',
      cases: (['get', 'put', 'query'] as const).map((scenario) =>
        caseOf('sdk', scenario, base, { title: `${concurrency} at a time` }),
      ),
      subjects: throughSdk,
    },
    {
      name: 'workers',
      title: 'Worker processes of one server',
      cases: (['get', 'query', 'put'] as const).map((scenario) =>
        caseOf('workers', scenario, base, { title: `${concurrency} connections` }),
      ),
      subjects: ['http-floor', 'singlet-disk', 'singlet-workers'],
    },
    {
      name: 'access',
      title: 'Signatures checked and policies evaluated',
      cases: readAndWrite.map((scenario) => caseOf('access', scenario, base, { title: `${concurrency} connections` })),
      subjects: ['http-floor', 'singlet-disk', 'singlet-signed'],
    },
    {
      name: 'connections',
      title: 'Connections',
      cases: readAndWrite.flatMap((scenario) =>
        [1, 32, 256].map((count) =>
          caseOf('connections', scenario, base, {
            title: count === 1 ? '1 connection' : `${count} connections`,
            concurrency: count,
          }),
        ),
      ),
      subjects: onDisk,
    },
    {
      name: 'sizes',
      title: 'Sizes of items',
      cases: readAndWrite.flatMap((scenario) =>
        [100, baseItemBytes, 10 * 1024, 100 * 1024].map((itemBytes) => {
          const itemCount = wholePartitions(Math.min(variedItemCount, Math.floor(variedTableBytesMax / itemBytes)));
          return caseOf('sizes', scenario, varied({ itemBytes, itemCount }), { title: sizeText(itemBytes) });
        }),
      ),
      subjects: onDisk,
    },
    {
      name: 'indexes',
      title: `Global secondary indexes with whole items, ${variedCount} items`,
      cases: (['put', 'update'] as const).flatMap((scenario) =>
        [0, 2, 5].map((indexCount) =>
          caseOf('indexes', scenario, varied({ indexCount }), { title: `${indexCount} indexes` }),
        ),
      ),
      subjects: onDisk,
    },
    {
      name: 'streams',
      title: `A stream of old and new images, ${variedCount} items`,
      cases: (['put', 'update'] as const).flatMap((scenario) =>
        [false, true].map((stream) =>
          caseOf('streams', scenario, varied({ stream }), { title: stream ? 'with a stream' : 'without a stream' }),
        ),
      ),
      subjects: onDisk,
    },
  ];
  return groups.filter(({ name }) => options.groups.has(name));
}

/** The maximum number of requests of a kind that are made in advance. */
export function ringCountOf({ quick }: Pick<PlanOptions, 'quick'>): number {
  return quick ? ringCountQuick : ringCountMax;
}

/** The subjects of a plan, including those that others are measured through, in the order in which they are started. */
export function subjectsOf(groups: readonly BenchGroup[]): ReadonlySet<SubjectId> {
  const wanted = new Set(groups.flatMap(({ subjects }) => subjects));
  const behind = [...wanted].flatMap((id) => servedBy[id] ?? []);
  return new Set([...behind, ...wanted]);
}

/** Subjects that send requests to another's server, or use its data in its process. */
const servedBy: Readonly<Partial<Record<SubjectId, SubjectId>>> = {
  'sdk-http-floor': 'http-floor',
  'sdk-dynalite': 'dynalite-memory',
  'sdk-dynoxide': 'dynoxide-memory',
  'sdk-singlet': 'singlet-disk',
  'sdk-in-process': 'in-process-request',
};

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${bytes / 1024} KB`;
}
