import { describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { readPolicy } from './policy-reader.ts';
import { oracleDecision } from './testing/policy-oracle.ts';
import { decide, readPolicySuite } from './testing/policy-suite.ts';

const suite = readPolicySuite();

describe('the policy suite', () => {
  test('has at least 300 rows, each with its source', () => {
    expect(suite.length).toBeGreaterThanOrEqual(300);
    expect(suite.filter(({ source }) => source === '')).toEqual([]);
    expect(new Set(suite.map(({ source, what }) => `${source} ${what}`)).size).toBe(suite.length);
  });

  test.each(suite)('$source: $what', (row) => {
    expect(decide({ readPolicy, evaluate }, row)).toBe(row.decision);
  });

  // What the second evaluator does not support: numbers of many digits, invalid values, base64 and dates in unusual forms.
  const unknown = /five|9007199254740993|not an address|"QQ==" with "QR=="|::ffff|stringequals|foranyvalue/;
  test.each(
    suite.filter(({ what, source }) => !unknown.test(what) && !/cannot be decided/.test(what) && source !== ''),
  )('the second evaluator on $source: $what', (row) => {
    expect(oracleDecision(row)).toBe(row.decision.split(':', 1)[0]);
  });
});
