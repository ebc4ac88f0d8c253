import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createDatabase, type Database } from 'singlet';
import { BenchError } from '../bench-error.ts';
import { watchOtherLoad } from '../process-cpu.ts';
import { textTable } from '../text-table.ts';

/*
 * Singlet on PostgreSQL against plain `pg` that does the same work, one call at a time for each request, on the same server and in the same run.
 * Both have the same durability: every write is on disk when it is answered. Rounds alternate, so that other load affects both alike.
 */

export const postgresHelpText = `Compares Singlet on PostgreSQL with plain pg.

  npm run bench -- postgres --url postgres://HOST/DATABASE [options]

  --url URL        a database in which two schemas may be created and dropped
  --seconds N      of each measurement (3)
  --rounds N       measurements of each (3)
  --flying N       concurrent requests (64)
`;

/** At least this many times the rate of plain pg. */
const leastRatio = { get: 2, put: 1.1, 'conditional update': 1, 'transaction of 2': 1.5, 'query of 20': 0.6 } as const;
type Work = keyof typeof leastRatio;
const works = Object.keys(leastRatio) as readonly Work[];

const itemCount = 2_000;
const collectionSize = 20;
const collectionCount = itemCount / collectionSize;
/** Connections of plain pg: as many as served it best in the trial. */
const plainConnections = 16;
const data = 'x'.repeat(300);

interface Subject {
  readonly name: string;
  readonly call: Readonly<Record<Work, (partition: number, position: number) => Promise<unknown>>>;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly url: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly flying: number;
}

/** `npm run bench -- postgres`. @returns the exit code: 1 if a ratio is too small. */
export async function benchPostgres(argv: readonly string[]): Promise<number> {
  const options = optionsOf(argv);
  if (options === 'help') {
    process.stdout.write(postgresHelpText);
    return 0;
  }
  const suffix = randomUUID().slice(0, 8);
  const schemas = { singlet: `bench_singlet_${suffix}`, plain: `bench_plain_${suffix}` };
  const admin = new pg.Client({ connectionString: options.url });
  await admin.connect();
  const otherLoad = watchOtherLoad();
  const subjects: Subject[] = [];
  try {
    subjects.push(await openSinglet(options.url, schemas.singlet), await openPlain(options.url, schemas.plain));
    const rates = await measure(subjects, options);
    const share = otherLoad();
    const isEnough = report(rates, options);
    if (share !== undefined)
      process.stdout.write(`Other processes used ${Math.round(share * 100)} % of the machine.\n`);
    return isEnough ? 0 : 1;
  } finally {
    for (const { close } of subjects) await close();
    for (const schema of Object.values(schemas)) await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  }
}

function optionsOf(argv: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      url: { type: 'string' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      flying: { type: 'string', default: '64' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.url === undefined) throw new BenchError('usage', '--url names the database to measure on');
  const numberOf = (flag: 'seconds' | 'rounds' | 'flying'): number => {
    const value = Number(values[flag]);
    if (value > 0) return value;
    throw new BenchError('usage', `--${flag} takes a number above 0`);
  };
  return {
    url: values.url,
    seconds: numberOf('seconds'),
    rounds: numberOf('rounds'),
    flying: numberOf('flying'),
  };
}

type Rates = ReadonlyMap<string, readonly number[]>;

async function measure(subjects: readonly Subject[], { seconds, rounds, flying }: Options): Promise<Rates> {
  const rates = new Map<string, number[]>();
  for (const work of works) {
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, call } of subjects) {
        const rate = await rateOf(call[work], { flying, durationMs: seconds * 1000 });
        // The first round warms up: prepared statements, caches, compiled code.
        if (round > 0) rates.set(`${work} ${name}`, [...(rates.get(`${work} ${name}`) ?? []), rate]);
      }
    }
  }
  return rates;
}

/** Calls a second. */
async function rateOf(
  call: (partition: number, position: number) => Promise<unknown>,
  { flying, durationMs }: { readonly flying: number; readonly durationMs: number },
): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      await call(Math.floor(Math.random() * collectionCount), Math.floor(Math.random() * collectionSize));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: flying }, caller));
  return (count * 1000) / (performance.now() - startMs);
}

function report(rates: Rates, { rounds, flying }: Options): boolean {
  const median = (key: string): number => {
    const sorted = (rates.get(key) ?? []).toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  let isEnough = true;
  const rows = works.map((work) => {
    const [ours, plain] = [median(`${work} Singlet`), median(`${work} pg`)];
    const ratio = ours / plain;
    const isMet = ratio >= leastRatio[work];
    isEnough &&= isMet;
    const figures = [ours.toFixed(0), plain.toFixed(0), ratio.toFixed(2), leastRatio[work].toFixed(1)];
    return [work, ...figures, isMet ? 'yes' : 'no'];
  });
  process.stdout.write(
    `${textTable(['', 'Singlet /s', 'pg /s', 'ratio', 'at least', 'met'], rows)}\nMedian of ${rounds}, ${flying} requests at a time.\n`,
  );
  return isEnough;
}

async function openSinglet(url: string, schema: string): Promise<Subject> {
  const store = new URL(url);
  store.searchParams.set('schema', schema);
  const database: Database = await createDatabase({ store: store.href });
  const TableName = 'Bench';
  await database.request('CreateTable', {
    TableName,
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const keyOf = (partition: number, position: number): object => ({
    pk: { S: `partition ${partition}` },
    sk: { S: `position ${position}` },
  });
  const put = async (partition: number, position: number): Promise<unknown> =>
    database.request('PutItem', {
      TableName,
      Item: { ...keyOf(partition, position), version: { N: '0' }, data: { S: data } },
    });
  const update = (partition: number, position: number): object => ({
    TableName,
    Key: keyOf(partition, position),
    UpdateExpression: 'ADD version :one',
    ConditionExpression: 'attribute_exists(version)',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
  await filled(put);
  return {
    name: 'Singlet',
    call: {
      get: async (partition, position) =>
        database.request('GetItem', { TableName, Key: keyOf(partition, position), ConsistentRead: true }),
      put,
      'conditional update': async (partition, position) => database.request('UpdateItem', update(partition, position)),
      'transaction of 2': async (partition, position) =>
        database.request('TransactWriteItems', {
          TransactItems: [
            { Update: update(partition, position) },
            { Update: update((partition + 1) % collectionCount, position) },
          ],
        }),
      'query of 20': async (partition) =>
        database.request('Query', {
          TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: `partition ${partition}` } },
          ConsistentRead: true,
        }),
    },
    close: async () => database.close(),
  };
}

async function openPlain(url: string, schema: string): Promise<Subject> {
  const pool = new pg.Pool({ connectionString: url, max: plainConnections });
  const table = `${schema}.item`;
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(
    `CREATE TABLE ${table} (pk text, sk text, version int8 NOT NULL, item bytea NOT NULL, PRIMARY KEY (pk, sk)) WITH (fillfactor = 85)`,
  );
  const itemOf = (version: number): Buffer => Buffer.from(JSON.stringify({ version: { N: `${version}` }, data }));
  const key = (partition: number, position: number): string[] => [`partition ${partition}`, `position ${position}`];
  const put = async (partition: number, position: number): Promise<unknown> =>
    pool.query({
      name: 'put',
      text: `INSERT INTO ${table} (pk, sk, version, item) VALUES ($1, $2, 0, $3) ON CONFLICT (pk, sk) DO UPDATE SET version = ${table.split('.')[1]}.version + 1, item = excluded.item`,
      values: [...key(partition, position), itemOf(0)],
    });
  const read = { name: 'get', text: `SELECT version, item FROM ${table} WHERE pk = $1 AND sk = $2` };
  const change = {
    name: 'change',
    text: `UPDATE ${table} SET version = version + 1, item = $4 WHERE pk = $1 AND sk = $2 AND version = $3`,
  };
  await filled(put);
  return {
    name: 'pg',
    call: {
      get: async (partition, position) => pool.query({ ...read, values: key(partition, position) }),
      put,
      // Reads, decides, and writes if nothing has changed; otherwise again.
      'conditional update': async (partition, position) => {
        for (;;) {
          const { rows } = await pool.query<{ version: string }>({ ...read, values: key(partition, position) });
          const version = Number(rows[0]?.version);
          const values = [...key(partition, position), version, itemOf(version + 1)];
          if ((await pool.query({ ...change, values })).rowCount === 1) return;
        }
      },
      'transaction of 2': async (partition, position) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          // In one order: otherwise two of them may wait for each other.
          const partitions = [partition, (partition + 1) % collectionCount].toSorted((a, b) => a - b);
          for (const each of partitions) {
            const { rows } = await client.query<{ version: string }>({
              name: 'lock',
              text: `${read.text} FOR UPDATE`,
              values: key(each, position),
            });
            const version = Number(rows[0]?.version);
            await client.query({ ...change, values: [...key(each, position), version, itemOf(version + 1)] });
          }
          await client.query('COMMIT');
        } finally {
          client.release();
        }
      },
      'query of 20': async (partition) =>
        pool.query({
          name: 'query',
          text: `SELECT sk, version, item FROM ${table} WHERE pk = $1 ORDER BY sk LIMIT ${collectionSize}`,
          values: [`partition ${partition}`],
        }),
    },
    close: async () => pool.end(),
  };
}

async function filled(put: (partition: number, position: number) => Promise<unknown>): Promise<void> {
  for (let partition = 0; partition < collectionCount; partition += 1) {
    await Promise.all(Array.from({ length: collectionSize }, async (_, position) => put(partition, position)));
  }
}
