import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { ExpressionKind } from './expression-kind.ts';
import { parseCondition, parseProjection, parseUpdate } from './parse-expression.ts';
import { printExpression } from './print-expression.ts';
import type {
  ActionNode,
  ConditionNode,
  ExpressionTree,
  OperandNode,
  PathElementNode,
  PathNode,
  SetValueNode,
  TermNode,
  UpdateVerb,
  ValueNode,
} from './syntax-tree.ts';

function parse(text: string, kind: ExpressionKind): ExpressionTree {
  if (kind === 'UpdateExpression') return parseUpdate(text);
  return kind === 'ProjectionExpression' ? parseProjection(text) : parseCondition(text, kind);
}

function problem(text: string, kind: ExpressionKind): string {
  try {
    parse(text, kind);
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationException' });
    const { message } = error as Error;
    expect(message.startsWith(`Invalid ${kind}: `)).toBe(true);
    return message.slice(`Invalid ${kind}: `.length);
  }
  return 'accepted';
}

const redundant = 'The expression has redundant parentheses;';

describe('syntax errors name the token and the text from the token before to the one after', () => {
  it.each([
    // Recorded from the service
    ['a-b', '-', 'a-b'],
    ['NOT #x', '<EOF>', '#x'],
    ['attribute_type()', ')', '()'],
    ['#list[abc].#comment = :value', 'abc', '[abc]'],
    ['#list[-1].#comment = :value', '-', '[-1'],
    ['__typename <> :t', '_', '__'],
    ['tenantAgent:abc123-x', ':abc123', 'tenantAgent:abc123-'],
    // Known to be syntax errors
    ['things are not gonna be ok', 'are', 'things are not'],
    ['a > 4', '4', '> 4'],
    ['attribute_exists(Pictures-RearView)', '-', 'Pictures-RearView'],
    ['attribute_exists("Pictures.RearView")', '"', '("Pictures'],
    ['attribute_exists(Pictures..RearView)', '.', '..RearView'],
    ['attribute_exists(Pi#ctures.RearView)', '#ctures', 'Pi#ctures.'],
    ['a.:a < b.:b', ':a', '.:a <'],
    ['a in b, c', 'b', 'in b,'],
    ['a > between', 'between', '> between'],
    ['a in (b,c,)', ')', ',)'],
    ['(a)between(b.(c.d))and(c)', '(', '.(c'],
    ['(a)between(b.c.d)and((c)', '<EOF>', ')'],
    ['#$.b > a', '#', '#$'],
    ['a > :things.stuff', '.', ':things.stuff'],
    ['b[:a] > a', ':a', '[:a]'],
    ['b[#_] > a', '#_', '[#_]'],
    ['ü > a', 'ü', 'ü >'],
    ['(a)between(b.c[4.5].#d)and(:a)', '.', '4.5'],
    ['size(a).b > a', '.', ').b'],
    ['(size(a)).b > a', '.', ').b'],
    ['size(a)[0] > a', '[', ')[0'],
    ['(size(a))[0] > a', '[', ')[0'],
    ['attribute_not_exists(_c)', '_', '(_c'],
    ['attribute_not_exists(c._d)', '_', '._d'],
    ['size(#s) < 10', '10', '< 10'],
    ['pk = :p, sk = :s', ',', ':p, sk'],
    // Where parentheses may open a condition or an operand
    ['(a) AND b = c', 'AND', ') AND b'],
    ['(a AND b = c)', 'AND', 'a AND b'],
    ['(a = b) = c', '=', ') = c'],
    ['(NOT a)', ')', 'a)'],
    ['(a', '<EOF>', 'a'],
    ['a = b)', ')', 'b)'],
    ['a BETWEEN b OR c', 'OR', 'b OR c'],
    ['a BETWEEN b AND', '<EOF>', 'AND'],
    ['a = NOT b', 'NOT', '= NOT b'],
    ['f(a = b)', '=', 'a = b'],
    ['a = (b = c)', '=', 'b = c'],
    ['a BETWEEN (b = c) AND d', '=', 'b = c'],
    ['a IN ((b) = c)', '=', ') = c'],
    ['a = b  ', 'accepted', ''],
    ['a =  ', '<EOF>', '=  '],
    ['  ', '<EOF>', ''],
  ])('condition %s', (text, token, near) => {
    const expected = token === 'accepted' ? token : `Syntax error; token: "${token}", near: "${near}"`;
    expect(problem(text, 'FilterExpression')).toBe(expected);
  });

  it.each([
    // Recorded from the service
    ['INVALID SYNTAX HERE', 'INVALID', 'INVALID SYNTAX'],
    ['ADD numx', '<EOF>', 'numx'],
    ['SET note = :v +', '<EOF>', '+'],
    ['SET numx = numx * :v', '*', 'numx * :v'],
    ['SET numx = numx / :v', '/', 'numx / :v'],
    ['ADD numx 1', '1', 'numx 1'],
    ['DELETE setx a', 'a', 'setx a'],
    ['SET #list[0.#comment = :value', '.', '0.#comment'],
    ['SET a = if_not_exists(a, 0)', '0', ', 0)'],
    // Known to be syntax errors
    ['whatever', 'whatever', 'whatever'],
    ['set a', '<EOF>', 'a'],
    ['set a=set', 'set', '=set'],
    ['remove a = b', '=', 'a = b'],
    ['add a = b', '=', 'a = b'],
    ['delete a if_not_exist(b)', 'if_not_exist', 'a if_not_exist('],
    ['add abort b', 'b', 'abort b'],
    ['remove a b', 'b', 'a b'],
    ['set a b', 'b', 'a b'],
    ['set :a = b', ':a', 'set :a ='],
    ['remove :a', ':a', 'remove :a'],
    ['set a[1] = "eight"', '"', '= "eight'],
    ['set a[1] = 1', '1', '= 1'],
    ['SET if_not_exist(a, b) = a', '(', 'if_not_exist(a'],
    ['set (a = (b + c))', '(', 'set (a'],
    ['set a = (b.c).d + e', '.', ').d'],
    ['set a = (b.c)[0] + e', '[', ')[0'],
    ['set a = b + c + d', '+', 'c + d'],
    ['set a = (b + c) + d', '+', ') + d'],
    ['REMOVE #a :user', ':user', '#a :user'],
    ['SET #phone.#mobile :cell', ':cell', '#mobile :cell'],
    ['SET a = :a, SET b = :b', 'SET', ', SET b'],
    ['SET a = :a b = :b', 'b', ':a b ='],
    ['SET a = f(b + c)', '+', 'b + c'],
    ['SET a = b + (c + d)', '+', 'c + d'],
    ['SET a = (b = c)', '=', 'b = c'],
  ])('update %s', (text, token, near) => {
    expect(problem(text, 'UpdateExpression')).toBe(`Syntax error; token: "${token}", near: "${near}"`);
  });

  it.each([
    // Recorded from the service
    ['#list[].#comment', ']', '[].'],
    ['l[a]', 'a', '[a]'],
    ['l[001]', '0', '001'],
    ['l[１２３]', '１', '[１２'],
    // Known to be syntax errors
    ['a b', 'b', 'a b'],
    ['a,', '<EOF>', ','],
    ['(a)', '(', '(a'],
    [':a', ':a', ':a'],
  ])('projection %s (DB-197)', (text, token, near) => {
    expect(problem(text, 'ProjectionExpression')).toBe(`Syntax error; token: "${token}", near: "${near}"`);
  });
});

describe('parentheses (DB-209, DB-223)', () => {
  it.each([
    'a=a and a > ((views))',
    '(a)between(((b.c)).d)and(c)', // before the syntax error that follows
    'a > whatever((:things), ((a)))',
    'a=a AND ((a=a AND a=a)) AND a=a',
    'a=a OR ((a=a OR a=a)) OR a=a',
    'a=a AND ((a=a AND (a=a AND a=a)))',
    '((attribute_not_exists(pk)))',
    '((#pk = :pk)) AND ((#sk = :sk))',
  ])('are redundant in %s', (text) => {
    expect(problem(text, 'ConditionExpression')).toBe(redundant);
  });

  it.each([
    '(attribute_not_exists(pk)) AND (attribute_not_exists(s))',
    '(attribute_not_exists(pk) AND (attribute_not_exists(s)))',
    '((a) = :b)',
    '(((a) = (:b)) OR c = d)',
    '( ( ( size ( #a )) < #b.Maximum ) AND ( #c > :d ) )',
    'NOT (a = b) AND NOT NOT c = d',
  ])('are allowed in %s', (text) => {
    expect(problem(text, 'ConditionExpression')).toBe('accepted');
  });

  it.each([
    ['set a = (b + c)', 'accepted'],
    ['set a = ((b.c.d)+(e))', 'accepted'],
    ['set a = ((b))', redundant],
    ['set a = ((b + c))', redundant],
  ])('in updates: %s', (text, expected) => {
    expect(problem(text, 'UpdateExpression')).toBe(expected);
  });
});

describe('limits of the parser (DB-120)', () => {
  const tooMany = 'The expression contains too many operators; operator count: 301';
  it.each([
    ['299 operators', Array.from({ length: 150 }, () => 'a=b').join(' OR '), 'accepted'],
    ['exactly 300', `NOT ${Array.from({ length: 150 }, () => 'a=b').join(' OR ')}`, 'accepted'],
    ['301 operators', Array.from({ length: 151 }, () => 'a=b').join(' OR '), tooMany],
    ['more are not counted', 'NOT '.repeat(1000) + 'a=b', tooMany],
    ['functions do not count', Array.from({ length: 301 }, () => 'f(a)').join(' OR '), 'accepted'],
    ['IN counts as one', `a IN (${Array.from({ length: 400 }, () => 'b').join(',')})`, 'accepted'],
  ])('%s', (_, text, expected) => {
    expect(problem(text, 'FilterExpression')).toBe(expected);
  });

  it.each([
    ['('.repeat(4096), '<EOF>', '('],
    ['f('.repeat(2048), '<EOF>', '('],
    ['NOT '.repeat(1024), '<EOF>', 'NOT '],
    ['a' + '[0]'.repeat(1365), '<EOF>', ']'],
    ['a.'.repeat(2048), '<EOF>', '.'],
  ])('any depth of nesting is read without recursion', (text, token, near) => {
    expect(problem(text, 'FilterExpression')).toBe(`Syntax error; token: "${token}", near: "${near}"`);
  });

  it('in updates + and - count, = does not', () => {
    const sums = Array.from({ length: 301 }, (_, index) => `a${index}=b+c`).join(',');
    expect(problem(`SET ${sums}`, 'UpdateExpression')).toBe(tooMany);
    expect(problem(`SET ${sums.replaceAll('+c', '')}`, 'UpdateExpression')).toBe('accepted');
  });
});

describe('golden trees', () => {
  it.each(['ConditionExpression', 'UpdateExpression', 'ProjectionExpression'] as const)('%s', (kind) => {
    const file = new URL(`./testdata/${kind}.txt`, import.meta.url);
    const golden = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const texts = golden.split('\n').flatMap((line) => (line.startsWith('> ') ? [line.slice(2)] : []));
    expect(texts.length).toBeGreaterThan(0);
    const regenerated = texts.map((text) => `> ${text}\n${describeTree(parse(text, kind), 1)}\n`).join('\n');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, regenerated);
    else expect(regenerated).toBe(golden);
  });
});

/** One node per line: its kind, its text and position, then its parts, indented. */
function describeTree(node: ExpressionTree | TermNode | ActionNode, depth: number): string {
  const { kind, start, end, ...parts } = node;
  const lines = [`${'  '.repeat(depth)}${[kind, ...words(parts)].join(' ')} ${start}-${end}`];
  for (const [name, part] of Object.entries(parts)) {
    if (name === 'elements') continue;
    for (const child of Array.isArray(part) ? part : [part]) {
      if (child !== null && typeof child === 'object') lines.push(describeTree(child, depth + 1));
    }
  }
  return lines.join('\n');
}

function words(parts: Readonly<Record<string, unknown>>): string[] {
  if (Array.isArray(parts['elements'])) {
    return (parts['elements'] as PathElementNode[]).map((element) =>
      element.kind === 'index' ? `[${element.digits}]` : element.name,
    );
  }
  return Object.values(parts).filter((part) => typeof part === 'string');
}

describe('printing', () => {
  it('parse(print(tree)) equals the tree, but for positions', () => {
    fc.assert(
      fc.property(fc.oneof(conditionArbitrary, updateArbitrary, projectionArbitrary), (tree) => {
        const text = printExpression(tree);
        expect(withoutPositions(parse(text, kindOf(tree)))).toEqual(withoutPositions(tree));
      }),
      { numRuns: 500 },
    );
  });

  it('positions delimit the text of every node', () => {
    fc.assert(
      fc.property(fc.oneof(conditionArbitrary, updateArbitrary, projectionArbitrary), (tree) => {
        const text = printExpression(tree);
        const check = (node: ExpressionTree): void => {
          expect(text.slice(node.start, node.end)).toBe(printExpression(node));
          if ('left' in node) [node.left, node.right].forEach((side) => check(side as ConditionNode));
          if ('inner' in node) check(node.inner as ConditionNode);
        };
        check(parse(text, kindOf(tree)));
      }),
    );
  });
});

function kindOf(tree: ExpressionTree): ExpressionKind {
  if (tree.kind === 'update') return 'UpdateExpression';
  return tree.kind === 'projection' ? 'ProjectionExpression' : 'ConditionExpression';
}

function withoutPositions(node: unknown): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value)),
  );
}

// Trees that a parser can make. Positions are left at zero.
const at = { start: 0, end: 0 };
const nameArbitrary = fc.constantFrom('a', 'b1', 'Camel_case');
const pathArbitrary: fc.Arbitrary<PathNode> = fc
  .tuple(
    fc.oneof(
      nameArbitrary.map((name): PathElementNode => ({ kind: 'attribute', name })),
      nameArbitrary.map((name): PathElementNode => ({ kind: 'placeholder', name: `#${name}` })),
    ),
    fc.array(
      fc.oneof(
        nameArbitrary.map((name): PathElementNode => ({ kind: 'attribute', name })),
        fc.nat({ max: 2000 }).map((index): PathElementNode => ({ kind: 'index', digits: String(index) })),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([first, rest]) => ({ kind: 'path', elements: [first, ...rest], ...at }));
const valueArbitrary: fc.Arbitrary<ValueNode> = nameArbitrary.map((name) => ({
  kind: 'value',
  name: `:${name}`,
  ...at,
}));

const { operand: operandArbitrary } = fc.letrec<{ operand: OperandNode; bare: OperandNode }>((tie) => ({
  bare: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'operand' },
    pathArbitrary,
    valueArbitrary,
    fc.record({
      kind: fc.constant('call' as const),
      functionName: fc.constantFrom('size', 'contains', 'anything'),
      operands: fc.array(tie('operand'), { minLength: 1, maxLength: 3, depthIdentifier: 'operand' }),
      start: fc.constant(0),
      end: fc.constant(0),
    }),
  ),
  operand: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'operand' },
    tie('bare'),
    tie('bare').map((inner): OperandNode => ({ kind: 'group', inner, ...at })),
  ),
}));

function group(inner: ConditionNode): ConditionNode {
  return inner.kind === 'group' ? inner : { kind: 'group', inner, ...at };
}

const { condition: conditionArbitrary } = fc.letrec<{ condition: ConditionNode; simple: ConditionNode }>((tie) => ({
  simple: fc.oneof(
    fc
      .tuple(operandArbitrary, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), operandArbitrary)
      .map(([left, comparator, right]): ConditionNode => ({ kind: 'comparison', comparator, left, right, ...at })),
    fc
      .tuple(operandArbitrary, operandArbitrary, operandArbitrary)
      .map(([operand, lower, upper]): ConditionNode => ({ kind: 'between', operand, lower, upper, ...at })),
    fc
      .tuple(operandArbitrary, fc.array(operandArbitrary, { minLength: 1, maxLength: 3 }))
      .map(([operand, candidates]): ConditionNode => ({ kind: 'in', operand, candidates, ...at })),
    fc
      .array(operandArbitrary, { minLength: 1, maxLength: 2 })
      .map((operands): ConditionNode => ({ kind: 'call', functionName: 'begins_with', operands, ...at })),
  ),
  condition: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'condition' },
    tie('simple'),
    tie('condition').map(group),
    // Operands that would be parsed differently are put in parentheses.
    tie('condition').map((inner): ConditionNode => ({
      kind: 'not',
      inner: inner.kind === 'and' || inner.kind === 'or' ? group(inner) : inner,
      ...at,
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]): ConditionNode => ({
      kind: 'and',
      left: left.kind === 'or' ? group(left) : left,
      right: right.kind === 'or' || right.kind === 'and' ? group(right) : right,
      ...at,
    })),
    fc.tuple(tie('condition'), tie('condition')).map(([left, right]): ConditionNode => ({
      kind: 'or',
      left,
      right: right.kind === 'or' ? group(right) : right,
      ...at,
    })),
  ),
}));

const setValueArbitrary: fc.Arbitrary<SetValueNode> = fc.oneof(
  operandArbitrary,
  fc
    .tuple(operandArbitrary, fc.constantFrom('+', '-'), operandArbitrary)
    .map(([left, operator, right]): SetValueNode => ({ kind: 'arithmetic', operator, left, right, ...at })),
  fc.tuple(operandArbitrary, operandArbitrary).map(([left, right]): SetValueNode => ({
    kind: 'group',
    inner: { kind: 'arithmetic', operator: '+', left, right, ...at },
    ...at,
  })),
);

function actionArbitrary(verb: UpdateVerb): fc.Arbitrary<ActionNode> {
  if (verb === 'REMOVE') return pathArbitrary.map((path) => ({ kind: 'remove', path, ...at }));
  if (verb === 'SET') {
    return fc.tuple(pathArbitrary, setValueArbitrary).map(([path, value]) => ({ kind: 'set', path, value, ...at }));
  }
  const kind = verb === 'ADD' ? 'add' : 'delete';
  return fc.tuple(pathArbitrary, valueArbitrary).map(([path, value]) => ({ kind, path, value, ...at }));
}

const updateArbitrary: fc.Arbitrary<ExpressionTree> = fc
  .array(
    fc
      .constantFrom<UpdateVerb>('SET', 'REMOVE', 'ADD', 'DELETE')
      .chain((verb) =>
        fc
          .array(actionArbitrary(verb), { minLength: 1, maxLength: 3 })
          .map((actions) => ({ kind: 'section' as const, verb, actions, ...at })),
      ),
    { minLength: 1, maxLength: 4 },
  )
  .map((sections) => ({ kind: 'update', sections, ...at }));

const projectionArbitrary: fc.Arbitrary<ExpressionTree> = fc
  .array(pathArbitrary, { minLength: 1, maxLength: 4 })
  .map((paths) => ({ kind: 'projection', paths, ...at }));
