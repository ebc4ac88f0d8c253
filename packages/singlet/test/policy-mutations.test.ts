import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { decide, type Evaluator, readPolicySuite } from '../src/access/policy/testing/policy-suite.ts';

/*
 * The policy suite is given faulty evaluators, and must find each fault: the sources are copied, one line is changed, and the
 * copy decides on the rows.
 */

interface Fault {
  readonly what: string;
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

const faults: readonly Fault[] = [
  {
    what: 'a missing key under ForAllValues is false',
    file: 'compiled-condition.ts',
    line: "if (operator.isIfExists || quantifier === 'ForAllValues') return true;",
    becomes: 'if (operator.isIfExists) return true;',
  },
  {
    what: 'a missing key under ForAnyValue is true',
    file: 'compiled-condition.ts',
    line: "if (operator.isIfExists || quantifier === 'ForAllValues') return true;",
    becomes: 'if (operator.isIfExists || quantifier !== undefined) return true;',
  },
  {
    what: 'IfExists is not looked at',
    file: 'compiled-condition.ts',
    line: "if (operator.isIfExists || quantifier === 'ForAllValues') return true;",
    becomes: "if (quantifier === 'ForAllValues') return true;",
  },
  {
    what: 'a missing key under a negated operator is false',
    file: 'compiled-condition.ts',
    line: 'return quantifier === undefined && condition.isNegated;',
    becomes: 'return false;',
  },
  {
    what: 'a set of an empty string is not empty',
    file: 'compiled-condition.ts',
    line: "if (values.every((one) => one === '')) return true;",
    becomes: '',
  },
  {
    what: 'one value is enough for ForAllValues',
    file: 'compiled-condition.ts',
    line: "if (quantifier === 'ForAnyValue') return",
    becomes: 'if (quantifier !== undefined) return',
  },
  {
    what: 'a key with several values needs no set operator',
    file: 'compiled-condition.ts',
    line: "if (quantifier === undefined) return typeof value === 'string' ? isFulfilledBy(condition, value, context) : 'unknown';",
    becomes:
      "if (quantifier === undefined) return some(typeof value === 'string' ? [value] : value, (one) => isFulfilledBy(condition, one, context));",
  },
  {
    what: 'Null is asked the other way round',
    file: 'compiled-condition.ts',
    line: 'String(value === undefined)',
    becomes: 'String(value !== undefined)',
  },
  {
    what: 'one condition is enough',
    file: 'compiled-policy.ts',
    line: 'if (truth === false) return false;',
    becomes: 'if (truth === true) return true;',
  },
  {
    what: 'what cannot be decided does not deny',
    file: 'compiled-policy.ts',
    line: "return truth === 'unknown' ? !isAllow : truth;",
    becomes: 'return truth === true && (isAllow || true);',
  },
  {
    what: 'what cannot be decided allows',
    file: 'compiled-policy.ts',
    line: "return truth === 'unknown' ? !isAllow : truth;",
    becomes: 'return truth !== false || !isAllow;',
  },
  {
    what: 'a variable without a value in NotResource allows',
    file: 'compiled-policy.ts',
    line: "if (match === 'no-value' && isExcluded && isAllow) result = 'unknown';",
    becomes: '',
  },
  {
    what: 'NotResource is Resource',
    file: 'compiled-policy.ts',
    line: "return result === 'unknown' ? result : isExcluded;",
    becomes: "return result === 'unknown' ? result : false;",
  },
  {
    what: 'NotAction is Action',
    file: 'compiled-policy.ts',
    line: '!== source.actions.isExcluded',
    becomes: '',
  },
  {
    what: 'variables count in policies of 2008',
    file: 'compiled-policy.ts',
    line: "const hasVariables = document.version === '2012-10-17';",
    becomes: 'const hasVariables = true;',
  },
  {
    what: 'the case of actions counts',
    file: 'compiled-policy.ts',
    line: 'pattern.toLowerCase()',
    becomes: 'pattern',
  },
  {
    what: 'a wildcard runs across colons',
    file: 'arn-pattern.ts',
    line: "if (parts.length !== arn.length || arn.length !== partCount) return 'no-match';",
    becomes:
      "if (parts.length > 0) return matchesPattern(parts.map(({ text }) => text).join(':'), arn.join(':')) ? 'match' : 'no-match';",
  },
  {
    what: 'ARNs are not completed',
    file: 'arn-pattern.ts',
    line: "isCompleted && text.startsWith('arn:')",
    becomes: 'isCompleted && text.length === 0',
  },
  {
    what: 'a wildcard in the value of a variable is one',
    file: 'text-template.ts',
    line: "filled.push({ kind: 'literal', text });",
    becomes: "filled.push({ kind: 'text', text });",
  },
  {
    what: '${*} is a wildcard',
    file: 'text-template.ts',
    line: "return { kind: 'literal', text: inner };",
    becomes: "return { kind: 'text', text: inner };",
  },
  {
    what: 'the default takes the place of a value',
    file: 'text-template.ts',
    line: 'value === undefined ? part.fallback : value',
    becomes: 'part.fallback ?? value',
  },
  {
    what: 'a variable without a value is an empty text',
    file: 'text-template.ts',
    line: "if (typeof text !== 'string') return undefined;",
    becomes: "if (typeof text !== 'string') { filled.push({ kind: 'literal', text: '' }); continue; }",
  },
  {
    what: 'numbers are compared as texts',
    file: 'value-test.ts',
    line: 'return canonicalizeNumber(text);',
    becomes: 'return canonicalizeNumber(text) === text ? text : text;',
  },
  {
    what: 'StringEquals knows wildcards',
    file: 'value-test.ts',
    line: 'textTest(value, hasVariables, ({ text }, asked) => text === asked);',
    becomes: 'textTest(value, hasVariables, ({ text }, asked) => matchesPattern(text, asked));',
  },
  {
    what: 'a wildcard takes one character at least',
    file: 'wildcard.ts',
    line: 'afterStar = textAt;',
    becomes: 'afterStar = ++textAt;',
  },
  {
    what: 'a range of addresses has one bit less',
    file: 'ip-range.ts',
    line: 'BigInt(range.bits - range.prefixBits)',
    becomes: 'BigInt(Math.max(0, range.bits - range.prefixBits - 8))',
  },
  ...(['identity', 'boundary', 'session'] as const).map((type) => ({
    what: `a Deny in the ${type} policy is not looked at`,
    file: 'evaluate.ts',
    line: `if (${type}?.isAllow === false) return denied('${type}', ${type});`,
    becomes: '',
  })),
  {
    what: 'a Deny in the resource policy is not looked at',
    file: 'evaluate.ts',
    line: 'if (!isAllow) return { denial: statement };',
    becomes: 'if (!isAllow) continue;',
  },
  {
    what: 'the first statement that applies decides',
    file: 'evaluate.ts',
    line: 'allowing = statement;',
    becomes: 'return statement;',
  },
  {
    what: 'the boundary does not limit',
    file: 'evaluate.ts',
    line: "if (boundaries !== undefined && boundary === undefined) return notAllowed('boundary', request);",
    becomes: '',
  },
  {
    what: 'the session policy does not limit',
    file: 'evaluate.ts',
    line: "if (sessions !== undefined && session === undefined) return notAllowed('session', request);",
    becomes: '',
  },
  {
    what: 'an identity policy is enough in another account',
    file: 'evaluate.ts',
    line: "if (!isOwn && grant === undefined) return notAllowed('resource', request);",
    becomes: '',
  },
  {
    what: 'a resource policy is enough in another account',
    file: 'evaluate.ts',
    line: "if (isOwn && grant !== undefined && grant.named !== 'account') return",
    becomes: "if (grant !== undefined && grant.named !== 'account') return",
  },
  {
    what: 'naming the account grants to all of its principals',
    file: 'evaluate.ts',
    line: "if (isOwn && grant !== undefined && grant.named !== 'account') return",
    becomes: 'if (isOwn && grant !== undefined) return',
  },
  {
    what: 'naming the role goes past its session policy',
    file: 'evaluate.ts',
    line: "if (isOwn && grant?.named === 'itself') return",
    becomes: "if (isOwn && grant !== undefined && grant.named !== 'account') return",
  },
  {
    what: 'naming the session is limited by its session policy',
    file: 'evaluate.ts',
    line: "if (isOwn && grant?.named === 'itself') return",
    becomes: "if (isOwn && grant?.named === 'itself' && sessions === undefined) return",
  },
  {
    what: 'a condition on aws:PrincipalArn names no caller',
    file: 'evaluate.ts',
    line: "namesByCondition(statement) ? 'itself' : direct",
    becomes: 'direct',
  },
  {
    what: 'the root user of another account needs no policy',
    file: 'evaluate.ts',
    line: 'if (isOwn && isRoot)',
    becomes: 'if (isRoot)',
  },
  {
    what: 'a policy can lock the root user out',
    file: 'evaluate.ts',
    line: 'denial !== undefined && !(isRoot && isOwn && isUndeniable(request.action))',
    becomes: 'denial !== undefined',
  },
  {
    what: 'NotPrincipal spares who is named without the account',
    file: 'request-principal.ts',
    line: "return !(isItself && (principal.kind !== 'session' || isRole) && isAccount);",
    becomes: "return !(isItself && (principal.kind !== 'session' || isRole));",
  },
  {
    what: 'NotPrincipal spares a session named without its role',
    file: 'request-principal.ts',
    line: "return !(isItself && (principal.kind !== 'session' || isRole) && isAccount);",
    becomes: 'return !(isItself && isAccount);',
  },
  {
    what: 'NotPrincipal spares a principal with a boundary',
    file: 'request-principal.ts',
    line: 'if (hasBoundary) return true;',
    becomes: '',
  },
];

const source = fileURLToPath(new URL('../src/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'singlet-policy-faults-'));
cpSync(join(source, 'values'), join(folder, 'values'), { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @param fault - undefined: the sources as they are. */
async function evaluatorWith(name: string, fault: Fault | undefined): Promise<Evaluator> {
  const copy = join(folder, name, 'policy');
  cpSync(join(source, 'access/policy'), copy, { recursive: true });
  if (fault !== undefined) {
    const path = join(copy, fault.file);
    const text = readFileSync(path, 'utf8');
    const line = formatted(fault.line);
    expect(text.match(line)?.length, `${fault.file} has the line once`).toBe(1);
    writeFileSync(
      path,
      text.replace(line, () => fault.becomes),
    );
  }
  const evaluate = (await import(join(copy, 'evaluate.ts'))) as Pick<Evaluator, 'evaluate'>;
  const reader = (await import(join(copy, 'policy-reader.ts'))) as Pick<Evaluator, 'readPolicy'>;
  return { evaluate: evaluate.evaluate, readPolicy: reader.readPolicy };
}

/** Matches a piece of code regardless of the formatter's line breaks. */
function formatted(code: string): RegExp {
  const escaped = code.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const open = escaped.replaceAll(/\\[({]/g, (bracket) => String.raw`${bracket}\s*`);
  const closed = open.replaceAll(/\\[)}]/g, (bracket) => String.raw`,?\s*${bracket}`);
  return new RegExp(closed.replaceAll(/ +/g, String.raw`\s*`), 'g');
}

const suite = readPolicySuite();
const wrongRows = (evaluator: Evaluator): number =>
  suite.filter((row) => decide(evaluator, row) !== row.decision).length;

describe('the policy suite finds faults of an evaluator', () => {
  test('and none where there is none', async () => {
    expect(wrongRows(await evaluatorWith('sound', undefined))).toBe(0);
  });

  test.each(faults.map((fault, at) => ({ ...fault, at })))('$what', async (fault) => {
    expect(wrongRows(await evaluatorWith(`fault-${fault.at}`, fault))).toBeGreaterThan(0);
  });
});
