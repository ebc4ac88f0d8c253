import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, DynamoError } from '../src/index.ts';
import { exceptions, inputMembers, membersOf, type Standing } from './input-members.ts';
import { inputsOf, type KnownMembers } from './walk-inputs.ts';

/** Every parameter that is accepted without effect is in the documentation. */

let inputs: KnownMembers;
beforeAll(async () => {
  inputs = await inputsOf();
});

const standings = new Map(
  exceptions.flatMap(({ members, standing }) => members.map((name) => [name, standing] as const)),
);
const paths = (of: KnownMembers): readonly string[] =>
  [...of].flatMap(([structure, members]) => [...members.keys()].map((member) => `${structure}.${member}`));

describe('the members of requests', () => {
  test('are all listed, those of the SDK and those of our shapes, and no others', () => {
    const listed = Object.keys(inputMembers).flatMap((structure) =>
      membersOf(structure).map((member) => `${structure}.${member}`),
    );
    expect(listed.toSorted()).toEqual(paths(inputs).toSorted());
    expect(Object.keys(inputMembers).toSorted()).toEqual([...inputs.keys()].toSorted());
  });

  test('are each excepted once at most, and exceptions are members', () => {
    const named = exceptions.flatMap(({ members }) => members);
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
    const known = new Set(paths(inputs));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test('are decoded, unless the action refuses them or has no subject for them', () => {
    const passedOver = [...inputs].flatMap(([structure, members]) =>
      [...members].flatMap(([member, { inShape }]) => (inShape ? [] : [`${structure}.${member}`])),
    );
    expect(passedOver.filter((name) => mayBePassedOver.has(standings.get(name)))).toEqual(passedOver);
  });

  test('are used where they are decoded: the engine names each one outside of a declaration', () => {
    const unused = [...inputs].flatMap(([structure, members]) =>
      [...members.keys()].flatMap((member) => {
        const path = `${structure}.${member}`;
        return standings.get(path) === 'refused' || standings.get(path) === 'no subject' || isUsed(member)
          ? []
          : [path];
      }),
    );
    expect(unused).toEqual([]);
    expect(isUsed('NeverUsedAnywhere')).toBe(false);
  });
});

const mayBePassedOver: ReadonlySet<Standing | undefined> = new Set(['refused', 'no subject']);

const source = fileURLToPath(new URL('../src/', import.meta.url));
const statements = ['engine', 'expressions', 'server/operations']
  .flatMap((layer) =>
    readdirSync(join(source, layer), { recursive: true, encoding: 'utf8' }).map((file) => join(source, layer, file)),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/[\\/]testing[\\/]/.test(file))
  .filter((file) => !file.includes('server/operations') || file.endsWith('legacy-conditions.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  // A declaration in an interface is not a use.
  .join('\n')
  .replaceAll(/^\s*readonly \w+\??:.*$/gm, '');

function isUsed(member: string): boolean {
  const inside = insideNames[member] ?? member.charAt(0).toLowerCase() + member.slice(1);
  return new RegExp(`\\b${inside}\\b`).test(statements);
}

const insideNames: Readonly<Record<string, string>> = {
  SSESpecification: 'sseSpecification',
  SSESpecificationOverride: 'sseSpecificationOverride',
  SSEType: 'sseType',
  KMSMasterKeyId: 'kmsMasterKeyId',
};

test('the documentation has the table of exceptions', () => {
  const file = new URL('../../../docs/compatibility.md', import.meta.url);
  const page = readFileSync(file, 'utf8');
  const [, before = '', after = ''] = /^(.*<!-- parameters -->\n).*(<!-- end of parameters -->.*)$/s.exec(page) ?? [];
  const expected = `${before}\n${parameterTable()}\n${after}`;
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, expected);
  const rowsOf = (text: string): readonly string[] => text.split('\n').map((line) => line.replaceAll(/ +|-+/g, ' '));
  expect(rowsOf(readFileSync(file, 'utf8'))).toEqual(rowsOf(expected));
});

function parameterTable(): string {
  const rows = exceptions.map(({ subject, standing, says }) => `| ${subject} | ${standing}: ${says} |`);
  return ['| Parameter | Here |', '| --- | --- |', ...rows, ''].join('\n');
}

describe('parameters that are refused', () => {
  const table = {
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  };

  test.each<[string, object]>([
    ['GlobalTableSourceArn', { GlobalTableSourceArn: 'arn:aws:dynamodb:us-east-1:111122223333:table/Orders' }],
    ['GlobalTableSettingsReplicationMode', { GlobalTableSettingsReplicationMode: 'ENABLED' }],
  ])('CreateTable with %s makes no table', async (name, parameter) => {
    await using database = await openDatabase();
    await expect(database.request('CreateTable', { ...table, ...parameter })).rejects.toThrow(
      `${name} is not supported`,
    );
    expect(await database.request('ListTables', {})).toEqual({ TableNames: [] });
  });

  test.each<[string, object]>([
    ['GlobalTableSettingsReplicationMode', { GlobalTableSettingsReplicationMode: 'DISABLED' }],
    ['DisassociationProtectionEnabled', { DisassociationProtectionEnabled: false }],
  ])('UpdateTable with %s changes nothing', async (name, parameter) => {
    await using database = await openDatabase();
    await database.request('CreateTable', table);
    const change = { TableName: 'Orders', DeletionProtectionEnabled: true, ...parameter };
    await expect(database.request('UpdateTable', change)).rejects.toThrow(DynamoError);
    await expect(database.request('UpdateTable', change)).rejects.toThrow(`${name} is not supported`);
    expect(await database.request('DescribeTable', { TableName: 'Orders' })).toMatchObject({
      Table: { DeletionProtectionEnabled: false },
    });
  });
});

async function openDatabase() {
  const database = await createDatabase();
  return { request: database.request.bind(database), [Symbol.asyncDispose]: () => database.close() };
}
