import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * The build runs where only the dependencies are installed. A Node loader hook simulates that: it hides the
 * optional packages. Needs `npm run build`.
 */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const folderOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const manifest = JSON.parse(readFileSync(folderOf('package.json'), 'utf8')) as Manifest;
const optional = Object.keys(manifest.peerDependencies);

const hooks = `
const absent = ${JSON.stringify(optional)};
export async function resolve(specifier, context, next) {
  const name = absent.find((each) => specifier === each || specifier.startsWith(each + '/'));
  if (name === undefined) return next(specifier, context);
  const error = new Error("Cannot find package '" + name + "' imported from " + context.parentURL);
  error.code = 'ERR_MODULE_NOT_FOUND';
  throw error;
}`;

let folder: string;
let hide: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-optional-'));
  writeFileSync(join(folder, 'hooks.mjs'), hooks);
  writeFileSync(
    join(folder, 'hide.mjs'),
    `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(join(folder, 'hooks.mjs')).href)});`,
  );
  hide = pathToFileURL(join(folder, 'hide.mjs')).href;
  writeFileSync(join(folder, 'some.model.ts'), 'export const nothing = 1;');
  writeFileSync(join(folder, 'template.yaml'), 'Resources:\n  Table:\n    Type: AWS::DynamoDB::Table\n');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function node(args: readonly string[]): { readonly status: number | null; readonly out: string; readonly err: string } {
  const run = spawnSync(process.execPath, ['--import', hide, ...args], { cwd: folder, encoding: 'utf8' });
  return { status: run.status, out: run.stdout, err: run.stderr };
}

function script(body: string): ReturnType<typeof node> {
  const database = pathToFileURL(folderOf('dist/index.js')).href;
  writeFileSync(join(folder, 'script.mjs'), `import { createDatabase } from ${JSON.stringify(database)};\n${body}`);
  return node(['script.mjs']);
}

const table = `{
  TableName: 'Things',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
}`;

describe('without the optional packages', () => {
  test('they are all optional, and what is left is the driver and the command line', () => {
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual(['commander', 'lmdb']);
    expect(optional.filter((name) => manifest.peerDependenciesMeta[name]?.optional !== true)).toEqual([]);
  });

  test.each(['undefined', `'data'`])('the database works, on the directory %s', (directory) => {
    const { out, err, status } = script(`
      const database = await createDatabase({ directory: ${directory} });
      await database.request('CreateTable', ${table});
      await database.request('PutItem', { TableName: 'Things', Item: { pk: { S: 'a' } } });
      console.log(JSON.stringify(await database.request('Scan', { TableName: 'Things' })));
      await database.close();`);
    expect([status, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ Items: [{ pk: { S: 'a' } }] });
  });

  test.each([
    ['CSV', '{ InputFormat: "CSV" }', 'Reading CSV', 'csv-parse'],
    ['Ion', '{ InputFormat: "ION" }', 'Reading Ion', 'ion-js'],
    ['Zstandard', '{ InputFormat: "DYNAMODB_JSON", InputCompressionType: "ZSTD" }', 'Reading Zstandard', 'fzstd'],
  ])('an import of %s fails, and says which package to add', (_, input, use, name) => {
    const { out, err, status } = script(`
      import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('buckets/some', { recursive: true });
      writeFileSync('buckets/some/items', 'pk\\na\\n');
      const database = await createDatabase({ buckets: 'buckets' });
      const { ImportTableDescription: { ImportArn } } = await database.request('ImportTable', {
        ...${input}, ClientToken: 'token', S3BucketSource: { S3Bucket: 'some' }, TableCreationParameters: ${table} });
      for (;;) {
        const { ImportTableDescription: found } = await database.request('DescribeImport', { ImportArn });
        if (found.ImportStatus !== 'IN_PROGRESS') { console.log(JSON.stringify(found)); break; }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await database.close();`);
    expect([status, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      ImportStatus: 'FAILED',
      FailureCode: 'MissingPackage',
      FailureMessage: `${use} needs the package ${name}, which is not installed: npm install ${name}`,
    });
  });

  test('an import from S3 fails, and says which package to add', () => {
    const { out } = script(`
      const database = await createDatabase({ buckets: { s3: { region: 'us-east-1' } } });
      const { ImportTableDescription: { ImportArn } } = await database.request('ImportTable', {
        InputFormat: 'DYNAMODB_JSON', ClientToken: 'token', S3BucketSource: { S3Bucket: 'some' }, TableCreationParameters: ${table} });
      for (;;) {
        const { ImportTableDescription: found } = await database.request('DescribeImport', { ImportArn });
        if (found.ImportStatus !== 'IN_PROGRESS') { console.log(found.FailureMessage); break; }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await database.close();`);
    expect(out).toContain('A bucket of S3 needs the package @aws-sdk/client-s3, which is not installed');
  });

  test.each([['--help'], ['serve', '--help'], ['check', '--help'], ['import', '--help'], ['consume', '--help']])(
    'singlet %s %s',
    (...args) => {
      const { status, out } = node([folderOf('bin/singlet.js'), ...args]);
      expect([status, out.startsWith('Usage: singlet')]).toEqual([0, true]);
    },
  );

  test.each([
    [['check', 'some.model.ts'], '@singlet/model'],
    [['ksuid'], '@singlet/model'],
    [['docs', 'some.model.ts'], 'jiti'],
    // It needs two of them, which Node.js looks for at the same time.
    [['consume', 'Things', '--endpoint', 'http://127.0.0.1:9'], '@aws-sdk/client-dynamodb(-streams)?'],
    [
      ['import', 'template.yaml', '--format', 'csv', '--table', 'Things', '--endpoint', 'http://127.0.0.1:9'],
      '@aws-sdk/client-dynamodb',
    ],
    [['deploy', 'template.yaml', '--endpoint', 'http://127.0.0.1:9'], 'yaml'],
    [['serve', '--memory', '--port', '0', '--metrics'], 'prom-client'],
    [['serve', '--memory', '--port', '0', '--traces'], '@opentelemetry/api'],
    [['mcp', 'some.model.ts'], '@modelcontextprotocol/sdk'],
  ])('singlet %j says in one line which package to add', (args, name) => {
    const { status, err } = node([folderOf('bin/singlet.js'), ...args]);
    expect(err).toMatch(
      new RegExp(
        `^singlet: singlet ${args[0]} needs the package (${name}), which is not installed: npm install \\1\n$`,
      ),
    );
    expect(status).toBe(1);
  });
});
