import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parsePolicy } from '../src/access/policy/policy-document.ts';
import { tenantStatements } from './tenant-requests.ts';

/** The policies of docs/policies.md. */
const policies = [
  ...readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8').matchAll(/```json\n(.*?)```/gs),
].map(([, text = '']) => text);

test('the policies on the page are policies', () => {
  expect(policies.length).toBeGreaterThan(1);
  for (const text of policies) expect(parsePolicy(text, 'identity').statements).toHaveLength(1);
});

test('the policy of tenants is the one that is tested', () => {
  expect((JSON.parse(policies[0] ?? '') as { Statement: unknown }).Statement).toEqual(tenantStatements);
});
