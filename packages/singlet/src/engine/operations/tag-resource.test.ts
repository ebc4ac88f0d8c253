import { describe, expect, test } from 'vitest';
import { onDemandTable } from '../testing/table-requests.ts';
import { testContext, type TestServices, testServices } from '../testing/test-services.ts';
import type { Tag } from '../catalog/table-description.ts';
import { createTable } from './create-table.ts';
import { listTagsOfResource } from './list-tags-of-resource.ts';
import { tagResource } from './tag-resource.ts';
import { untagResource } from './untag-resource.ts';

const arn = 'arn:aws:dynamodb:us-east-1:000000000000:table/Table';
const tag = (key: string, value = ''): Tag => ({ key, value });

async function tableWithTags(...tags: readonly Tag[]): Promise<TestServices> {
  const services = testServices();
  await createTable(services, onDemandTable({ tags }), testContext);
  return services;
}

async function allTags(services: TestServices): Promise<readonly Tag[]> {
  return (await listTagsOfResource(services, { resourceArn: arn }, testContext)).tags;
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Error);
  return `${(error as Error).name}: ${(error as Error).message}`;
}

describe('DB-139 tags', () => {
  test('are added, changed in their place, and taken off', async () => {
    const services = await tableWithTags(tag('a', '1'), tag('b', '2'));
    await tagResource(services, { resourceArn: arn, tags: [tag('a', '3'), tag('ü', 'x y')] }, testContext);
    expect(await allTags(services)).toEqual([tag('a', '3'), tag('b', '2'), tag('ü', 'x y')]);
    await untagResource(services, { resourceArn: arn, tagKeys: ['a', 'none'] }, testContext);
    expect(await allTags(services)).toEqual([tag('b', '2'), tag('ü', 'x y')]);
  });

  test('are listed all at once', async () => {
    const tags = Array.from({ length: 50 }, (_, at) => tag(`key-${at}`));
    const services = await tableWithTags(...tags);
    expect(await listTagsOfResource(services, { resourceArn: arn }, testContext)).toEqual({ tags });
    const attempt = listTagsOfResource(services, { resourceArn: arn, nextToken: 'x' }, testContext);
    expect(await refusal(attempt)).toBe('ValidationException: The provided NextToken is invalid');
  });

  test('there are fifty at most', async () => {
    const services = await tableWithTags(...Array.from({ length: 49 }, (_, at) => tag(`key-${at}`)));
    const tooMany = 'ValidationException: Number of Tags exceed the current limit for the provided ResourceArn';
    const add = (...tags: readonly Tag[]) => tagResource(services, { resourceArn: arn, tags }, testContext);
    expect(await refusal(add(tag('x'), tag('y')))).toBe(tooMany);
    await add(tag('x'));
    await add(tag('x', 'changed'));
    expect(await refusal(add(tag('y')))).toBe(tooMany);
  });

  const rows: readonly (readonly [string, Tag, string])[] = [
    ['an empty key', tag(''), 'The Tag Key provided is invalid, Key: '],
    ['a key too long', tag('k'.repeat(129)), `The Tag Key provided is invalid, Key: ${'k'.repeat(129)}`],
    ['a key of other signs', tag('a?'), 'The Tag Key provided is invalid, Key: a?'],
    ['a value too long', tag('a', 'v'.repeat(257)), `The Tag Value provided is invalid, Value: ${'v'.repeat(257)}`],
    ['a reserved key', tag('aws:a'), 'Tag Key cannot be prefixed with aws:, Key: aws:a'],
  ];
  test.each(rows)('%s', async (_name, refused, message) => {
    const services = await tableWithTags();
    const attempt = tagResource(services, { resourceArn: arn, tags: [refused] }, testContext);
    expect(await refusal(attempt)).toBe(`ValidationException: ${message}`);
  });

  test('the longest key and value', async () => {
    const services = await tableWithTags(tag('k'.repeat(128), 'v'.repeat(256)));
    expect(await allTags(services)).toHaveLength(1);
  });

  test('at least one is needed', async () => {
    const services = await tableWithTags();
    expect(await refusal(tagResource(services, { resourceArn: arn, tags: [] }, testContext))).toBe(
      'ValidationException: Atleast one Tag needs to be provided as Input.',
    );
    expect(await refusal(untagResource(services, { resourceArn: arn, tagKeys: [] }, testContext))).toBe(
      'ValidationException: Atleast one Tag Key needs to be provided as Input.',
    );
  });
});

describe('DB-132 DB-139 resource ARNs', () => {
  const invalid = 'ValidationException: One or more parameter values were invalid: ';
  const elsewhere = 'arn:aws:dynamodb:eu-west-1:000000000000:table/Table';
  const rows: readonly (readonly [string, string])[] = [
    ['', `${invalid}ARNs must start with 'arn:': `],
    ['abcd', `${invalid}ARNs must start with 'arn:': abcd`],
    ['arn:aws:s3:::bucket', `${invalid}Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket`],
    [
      `${arn}/index/gsi`,
      `${invalid}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ${arn}/index/gsi`,
    ],
    [elsewhere, `ValidationException: Invalid TableArn: Invalid ResourceArn provided as input ${elsewhere}`],
    [
      'arn:aws:dynamodb:us-east-1:000000000000:table/ab',
      'ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb:us-east-1:000000000000:table/ab',
    ],
  ];
  test.each(rows)('%s', async (resourceArn, message) => {
    const services = await tableWithTags();
    expect(await refusal(tagResource(services, { resourceArn, tags: [] }, testContext))).toBe(message);
    expect(await refusal(untagResource(services, { resourceArn, tagKeys: [] }, testContext))).toBe(message);
    expect(await refusal(listTagsOfResource(services, { resourceArn }, testContext))).toBe(message);
  });

  test('DB-275 of a table that does not exist', async () => {
    const services = testServices();
    const notFound = `ResourceNotFoundException: Requested resource not found: ResourcArn: ${arn} not found`;
    expect(await refusal(tagResource(services, { resourceArn: arn, tags: [tag('a')] }, testContext))).toBe(notFound);
    expect(await refusal(listTagsOfResource(services, { resourceArn: arn }, testContext))).toBe(notFound);
    expect(await refusal(untagResource(services, { resourceArn: arn, tagKeys: ['a'] }, testContext))).toBe(
      'ResourceNotFoundException: Requested resource not found',
    );
  });

  test('DB-136 of a table that is being created', async () => {
    const services = testServices({ lifecycleDelayMs: 1 });
    await createTable(services, onDemandTable(), testContext);
    expect(await refusal(tagResource(services, { resourceArn: arn, tags: [tag('a')] }, testContext))).toBe(
      'ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: Table',
    );
  });
});
