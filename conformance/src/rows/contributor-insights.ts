import { anyNumber, matching, messageContaining, partial } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, assumed, docs } from '../sources.ts';
import type { Call, CallOptions } from '../steps.ts';
import { call, check } from '../steps.ts';
import { hashTable, rangeTable, table } from '../tables.ts';

const INSIGHTS = docs('CloudWatch Contributor Insights for DynamoDB: How it works');

const update = (action: string, more: JsonObject = {}): Call =>
  call('UpdateContributorInsights', { TableName: '$T', ContributorInsightsAction: action, ...more });
const enable = (more: JsonObject = {}): Call => update('ENABLE', more);
const disable = (more: JsonObject = {}): Call => update('DISABLE', more);
const describe = (more: JsonObject = {}, options: CallOptions = {}): Call =>
  call('DescribeContributorInsights', { TableName: '$T', ...more }, options);
const describeUntil = (more: JsonObject = {}): Call => describe(more, { eventually: true });
const list = (more: JsonObject = {}, options: CallOptions = {}): Call =>
  call('ListContributorInsights', { TableName: '$T', ...more }, options);

const all = { ContributorInsightsMode: 'ACCESSED_AND_THROTTLED_KEYS' };
const throttledOnly = { ContributorInsightsMode: 'THROTTLED_KEYS' };
const gsi = { IndexName: 'gsi1' };
const indexed = table('pk:S / sk:S', { gsis: { gsi1: 'a:S' }, lsis: { lsi1: 'pk:S / b:S' } });

const rules = (...names: readonly string[]): unknown =>
  names.map((name) => matching(new RegExp(`^DynamoDBContributorInsights-${name}-[a-zA-Z0-9_.-]+-[0-9]{13}$`)));
const enabled = (mode: JsonObject, ...names: readonly string[]): JsonObject => ({
  TableName: '$T',
  ContributorInsightsStatus: 'ENABLED',
  LastUpdateDateTime: anyNumber,
  ContributorInsightsRuleList: rules(...names),
  ...mode,
});
const noIndex = (name: string): string => `Requested resource not found: Index: ${name} not found for table: $T`;

export const contributorInsightsRows: readonly Row[] = [
  row('contributor-insights/off-at-first', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      describe().gives({ TableName: '$T', ContributorInsightsStatus: 'DISABLED' }),
      list().gives({ ContributorInsightsSummaries: [] }),
    ],
  }),
  row('contributor-insights/enabled', 'DB-139', `${ACK_2026}; ${INSIGHTS}`, {
    table: hashTable,
    steps: [
      enable().gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLING', ...all }),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      list().gives({
        ContributorInsightsSummaries: [{ TableName: '$T', ContributorInsightsStatus: 'ENABLED', ...all }],
      }),
    ],
  }),
  row('contributor-insights/rules-with-a-sort-key', 'DB-139', `${INSIGHTS}; AWS CLI reference`, {
    table: rangeTable,
    steps: [enable().succeeds(), describeUntil().gives(enabled(all, 'PKC', 'SKC', 'PKT', 'SKT'))],
  }),
  row('contributor-insights/throttled-keys-only', 'DB-139', `${ACK_2026}; ${INSIGHTS}`, {
    table: rangeTable,
    steps: [
      enable(throttledOnly).gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLING', ...throttledOnly }),
      describeUntil().gives(enabled(throttledOnly, 'PKT', 'SKT')),
    ],
  }),
  row('contributor-insights/change-of-mode', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      enable(throttledOnly).gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLING', ...throttledOnly }),
      describeUntil().gives(enabled(throttledOnly, 'PKT')),
      // Without a mode it is the default again, not the previous one.
      enable().gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLING', ...all }),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
    ],
  }),
  row('contributor-insights/rules-keep-their-names-through-a-change-of-mode', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      check('PKT is called as it was', async ({ succeed, expect }) => {
        const names = async (): Promise<unknown> => {
          const { ContributorInsightsRuleList: found } = await succeed('DescribeContributorInsights', {
            TableName: '$T',
          });
          return (found as readonly string[] | undefined)?.find((name) => name.includes('-PKT-'));
        };
        const before = await names();
        await succeed('UpdateContributorInsights', {
          TableName: '$T',
          ContributorInsightsAction: 'ENABLE',
          ...throttledOnly,
        });
        let after = await names();
        for (let attempt = 0; after === undefined && attempt < 100; attempt += 1) after = await names();
        expect('the name of the rule', after, before);
      }),
    ],
  }),
  row('contributor-insights/enabled-twice', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      enable().gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLED', ...all }),
      enable(all).gives({ TableName: '$T', ContributorInsightsStatus: 'ENABLED', ...all }),
    ],
  }),
  row('contributor-insights/disabled', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      // The mode is not checked.
      disable(throttledOnly).gives({ TableName: '$T', ContributorInsightsStatus: 'DISABLING', ...all }),
      describeUntil().gives({
        TableName: '$T',
        ContributorInsightsStatus: 'DISABLED',
        LastUpdateDateTime: anyNumber,
        ...all,
      }),
      list().gives({ ContributorInsightsSummaries: [] }),
      disable().givesPartly({ ContributorInsightsStatus: 'DISABLED' }),
    ],
  }),
  row('contributor-insights/disabled-without-having-been-enabled', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [disable().givesPartly({ TableName: '$T', ContributorInsightsStatus: 'DISABLED' })],
  }),
  row('contributor-insights/of-an-index', 'DB-139', ACK_2026, {
    table: indexed,
    steps: [
      enable(gsi).gives({ TableName: '$T', ...gsi, ContributorInsightsStatus: 'ENABLING', ...all }),
      describeUntil(gsi).gives({ ...enabled(all, 'PKC', 'PKT'), ...gsi }),
      describe().gives({ TableName: '$T', ContributorInsightsStatus: 'DISABLED' }),
      list().gives({
        ContributorInsightsSummaries: [{ TableName: '$T', ...gsi, ContributorInsightsStatus: 'ENABLED', ...all }],
      }),
    ],
  }),
  row('contributor-insights/pages-of-one-table', 'DB-139', ACK_2026, {
    table: indexed,
    steps: [
      enable().succeeds(),
      enable(gsi).succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'SKC', 'PKT', 'SKT')),
      describeUntil(gsi).gives({ ...enabled(all, 'PKC', 'PKT'), ...gsi }),
      check('the table, then the index', async ({ succeed, expect }) => {
        const first = await succeed('ListContributorInsights', { TableName: '$T', MaxResults: 1 });
        const second = await succeed('ListContributorInsights', {
          TableName: '$T',
          MaxResults: 1,
          NextToken: first['NextToken'],
        });
        expect('the first page', first['ContributorInsightsSummaries'], [
          { TableName: '$T', ContributorInsightsStatus: 'ENABLED', ...all },
        ]);
        expect('the second page', second, {
          ContributorInsightsSummaries: [{ TableName: '$T', ...gsi, ContributorInsightsStatus: 'ENABLED', ...all }],
        });
      }),
    ],
  }),
  row('contributor-insights/pages-of-all-tables', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      describeUntil().gives(enabled(all, 'PKC', 'PKT')),
      check('it is found by reading to the end', async ({ succeed, expect, tableName }) => {
        const names: unknown[] = [];
        let token: unknown;
        do {
          const page = await succeed('ListContributorInsights', {
            MaxResults: 20,
            ...(token !== undefined && { NextToken: token }),
          });
          names.push(...(page['ContributorInsightsSummaries'] as readonly JsonObject[]).map((one) => one['TableName']));
          token = page['NextToken'];
        } while (token !== undefined);
        expect('how often it is listed', names.filter((name) => name === tableName('T')).length, 1);
      }),
    ],
  }),
  row('contributor-insights/no-such-index', 'DB-139 DB-275', ACK_2026, {
    table: indexed,
    steps: [
      // Local indexes have no insights.
      enable({ IndexName: 'lsi1' }).fails('ResourceNotFoundException', noIndex('lsi1')),
      describe({ IndexName: 'lsi1' }).fails('ResourceNotFoundException', noIndex('lsi1')),
      enable({ IndexName: 'nope' }).fails('ResourceNotFoundException', noIndex('nope')),
      describe({ IndexName: 'nope' }).fails('ResourceNotFoundException', noIndex('nope')),
    ],
  }),
  row('contributor-insights/no-such-table', 'DB-139 DB-275', ACK_2026, {
    steps: ['UpdateContributorInsights', 'DescribeContributorInsights', 'ListContributorInsights'].map((action) =>
      call(action, {
        TableName: 'conf-absent',
        ...(action.startsWith('Update') && { ContributorInsightsAction: 'ENABLE' }),
      }).fails('ResourceNotFoundException', 'Requested resource not found: Table: conf-absent not found'),
    ),
  }),
  row('contributor-insights/wrong-parameters', 'DB-139 DB-273', ACK_2026, {
    table: hashTable,
    steps: [
      update('').invalid(
        "Value '' at 'contributorInsightsAction' failed to satisfy constraint: Member must satisfy enum value set: [ENABLE, DISABLE]",
      ),
      enable({ ContributorInsightsMode: '' }).invalid(
        "Value '' at 'contributorInsightsMode' failed to satisfy constraint: Member must satisfy enum value set: [THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS]",
      ),
      enable({ IndexName: '' }).invalid('IndexName must be at least 3 characters long and at most 255 characters long'),
      describe({ IndexName: '' }).invalid(
        'IndexName must be at least 3 characters long and at most 255 characters long',
      ),
    ],
  }),
  row('contributor-insights/too-many-results-asked-for', 'DB-139 DB-273', docs('API_ListContributorInsights'), {
    table: hashTable,
    steps: [list({ MaxResults: 101 }).invalid(messageContaining('less than or equal to 100'))],
  }),
  row('contributor-insights/the-table-stays-active', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      enable().succeeds(),
      call('DescribeTable', { TableName: '$T' }).gives({ Table: partial({ TableStatus: 'ACTIVE' }) }),
    ],
  }),
  row('contributor-insights/table-by-arn', 'DB-139', assumed('as in the other actions on tables'), {
    table: hashTable,
    steps: [
      call('DescribeTable', { TableName: '$T' }, { saves: { arn: 'Table.TableArn' } }).succeeds(),
      call('DescribeContributorInsights', { TableName: '$arn' }).givesPartly({ ContributorInsightsStatus: 'DISABLED' }),
    ],
  }),
];
