import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamoError } from '../values/service-error.ts';
import { bindStatement } from './bind-statement.ts';
import { typeNames } from './keywords.ts';
import { tokenize } from './lexer.ts';
import { parseStatement } from './parse-statement.ts';
import { printStatement } from './print-statement.ts';
import type { ExpressionNode, PathNode, Span } from './syntax-tree.ts';

const parse = (text: string): ExpressionNode => parseStatement(text).root;

/** The text with which a statement is refused; `accepted` when it can be parsed. */
function problem(text: string): string {
  try {
    parse(text);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return error.message.replace("Statement wasn't well formed, can't be processed: ", '');
  }
}

describe('tokens', () => {
  it.each([
    ['a--b\n.c', ['identifier a', '. .', 'identifier c']],
    ['a /* * */b', ['identifier a', 'identifier b']],
    ['1.e5', ['number 1.e5']],
    ['.5-.5', ['number .5', 'operator -', 'number .5']],
    ['1.5.2', ['number 1.5', 'number .2']],
    ['<<<>>>', ['<< <<', 'operator <>', '>> >>']],
    ['"a""b"\'c\'\'d\'', ['quotedIdentifier a"b', "string c'd"]],
    ['not  in is not', ['operator not_in', 'operator is_not']],
    ['"not" in', ['quotedIdentifier not', 'operator in']],
    ['Modified NEW', ['keyword modified_new']],
    ['$a_1 Size', ['identifier $a_1', 'keyword size']],
    ['a!=b', ['identifier a', 'operator <>', 'identifier b']],
  ])('%s', (text, expected) => {
    expect(
      tokenize(text)
        .slice(0, -1)
        .map((token) => `${token.type} ${token.text}`),
    ).toEqual(expected);
  });

  it.each(['#', '`', '!', '&', "'open", '"open', '/* open', 'é', '1e', '1e+', '\u{1d11e}', '\\'])(
    '%s is not a token',
    (text) => {
      expect(problem(text)).toBe('');
    },
  );
});

describe('golden trees', () => {
  it('statements', () => {
    const file = new URL('./testdata/statements.txt', import.meta.url);
    const golden = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const texts = golden.split('\n').flatMap((line) => (line.startsWith('> ') ? [line.slice(2)] : []));
    expect(texts.length).toBeGreaterThan(0);
    const regenerated = texts
      .map((text) => `> ${text}\n< ${printStatement(parse(text))}\n${describeTree(parse(text), 1)}\n`)
      .join('\n');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, regenerated);
    else expect(regenerated).toBe(golden);
  });
});

/** One node per line: its kind, its contents, its position and name, then its parts, indented. */
function describeTree(value: object, depth: number): string {
  const node = value as Partial<Span> & { kind?: string; head?: Span };
  const { start, end, head, kind, ...parts } = node;
  const words = Object.entries(parts).flatMap(([name, part]) =>
    typeof part === 'string' || typeof part === 'number' || typeof part === 'boolean' ? [`${name}=${part}`] : [],
  );
  const place = start === undefined ? '' : ` ${start}-${end}`;
  const named = head === undefined ? '' : ` @${head.start}-${head.end}`;
  const lines = [`${'  '.repeat(depth)}${[kind ?? '·', ...words].join(' ')}${place}${named}`];
  for (const part of Object.values(parts)) {
    for (const child of Array.isArray(part) ? (part as unknown[]) : [part]) {
      if (typeof child === 'object' && child !== null) lines.push(describeTree(child, depth + 1));
    }
  }
  return lines.join('\n');
}

// Trees

const at = { start: 0, end: 0, head: { start: 0, end: 0 } };
const nameArbitrary = fc.constantFrom('a', 'Total', 'size', 'select', 'a"b', 'a b', '', '#');

const { expression, path } = fc.letrec<{ expression: ExpressionNode; path: PathNode; atom: ExpressionNode }>((tie) => ({
  path: fc
    .record({
      root: nameArbitrary,
      elements: fc.array(
        fc.oneof(
          nameArbitrary.map((name) => ({ kind: 'name' as const, name, start: 0, end: 0 })),
          fc.nat(9).map((digit) => ({
            kind: 'index' as const,
            index: { kind: 'number' as const, text: String(digit), ...at },
            start: 0,
            end: 0,
          })),
        ),
        { maxLength: 3 },
      ),
    })
    .map((parts): PathNode => ({ kind: 'path', ...parts, ...at })),
  atom: fc.oneof(
    fc.constantFrom<ExpressionNode>(
      { kind: 'boolean', value: true, ...at },
      { kind: 'null', ...at },
      { kind: 'missing', ...at },
      { kind: 'number', text: '-1.5e3', ...at },
      { kind: 'number', text: '0', ...at },
    ),
    fc.constantFrom('', 'x', "it's", '--', '"').map((value): ExpressionNode => ({ kind: 'string', value, ...at })),
    tie('path'),
  ),
  expression: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tie('atom'),
    fc
      .record({
        kind: fc.constantFrom('list' as const, 'bag' as const),
        elements: fc.array(tie('expression'), { maxLength: 3 }),
      })
      .map((parts): ExpressionNode => ({ ...parts, ...at })),
    fc
      .array(fc.record({ key: tie('expression'), value: tie('expression') }), { maxLength: 2 })
      .map((members): ExpressionNode => ({ kind: 'struct', members, ...at })),
    fc
      .record({
        functionName: fc.constantFrom('size', 'begins_with'),
        operands: fc.array(tie('expression'), { maxLength: 2 }),
      })
      .map((parts): ExpressionNode => ({ kind: 'call', ...parts, ofAll: false, ...at })),
    fc
      .record({ operator: fc.constantFrom('-' as const, '+' as const, 'not' as const), operand: tie('expression') })
      // A sign before a number is part of the number.
      .filter(({ operator, operand }) => operator === 'not' || operand.kind !== 'number')
      .map((parts): ExpressionNode => ({ kind: 'unary', ...parts, ...at })),
    fc
      .record({
        operator: fc.constantFrom(
          '=' as const,
          '<>' as const,
          '<' as const,
          '>=' as const,
          'and' as const,
          'or' as const,
          'in' as const,
          'like' as const,
          '+' as const,
          '-' as const,
          '*' as const,
          '||' as const,
        ),
        left: tie('expression'),
        right: tie('expression'),
        negated: fc.boolean(),
      })
      .map((parts): ExpressionNode => {
        const negated = parts.negated && (parts.operator === 'in' || parts.operator === 'like');
        // The contents of parentheses after IN are a list, so nothing there needs parentheses of its own.
        const right: ExpressionNode =
          parts.operator === 'in' ? { kind: 'list', elements: [parts.right], ...at } : parts.right;
        return { kind: 'binary', ...parts, right, negated, ...at };
      }),
    fc
      .record({ operand: tie('expression'), lower: tie('expression'), upper: tie('expression'), negated: fc.boolean() })
      .map((parts): ExpressionNode => ({ kind: 'between', ...parts, ...at })),
    fc
      .record({
        operand: tie('expression'),
        typeName: fc.constantFrom(...new Set(typeNames.values())),
        negated: fc.boolean(),
      })
      .map((parts): ExpressionNode => ({ kind: 'is', ...parts, ...at })),
  ),
}));

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const returning = optional(
  fc.record({
    which: fc.constantFrom('all' as const, 'modified' as const),
    version: fc.constantFrom('old' as const, 'new' as const),
  }),
);
const source = fc.record({ expression: path, aliased: fc.boolean() });
const selectArbitrary = fc
  .record({
    modifier: fc.constantFrom(undefined, 'distinct' as const),
    columns: optional(fc.array(fc.record({ expression, aliased: fc.boolean() }), { minLength: 1, maxLength: 3 })),
    from: source,
    joined: fc.boolean(),
    where: optional(expression),
    orderBy: optional(
      fc.array(fc.record({ expression, direction: fc.constantFrom(undefined, 'asc' as const, 'desc' as const) }), {
        minLength: 1,
        maxLength: 2,
      }),
    ),
  })
  .map((parts): ExpressionNode => ({ kind: 'select', ...parts, unsupported: [], ...at }));
const actions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), path, value: expression }),
    fc.record({ kind: fc.constant('remove' as const), path }),
  ),
  { minLength: 1, maxLength: 3 },
);
const statementArbitrary: fc.Arbitrary<ExpressionNode> = fc.oneof(
  expression,
  selectArbitrary,
  selectArbitrary.map((select): ExpressionNode => ({
    kind: 'call',
    functionName: 'exists',
    operands: [select],
    ofAll: false,
    ...at,
  })),
  fc
    .record({ target: path, value: expression, returning })
    .map((parts): ExpressionNode => ({ kind: 'insert', form: 'value', ...parts, ...at })),
  fc
    .record({
      form: fc.constantFrom('update' as const, 'from' as const),
      source,
      actions,
      where: optional(expression),
      returning,
    })
    .map((parts): ExpressionNode => ({ kind: 'update', ...parts, ...at })),
  fc
    .record({ source, where: optional(expression), returning })
    .map((parts): ExpressionNode => ({ kind: 'delete', ...parts, ...at })),
);

/** A tree without its positions. */
function shapeOf(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(shapeOf);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([name]) => name !== 'start' && name !== 'end' && name !== 'head');
  return Object.fromEntries(entries.map(([name, value]) => [name, shapeOf(value)]));
}

describe('printing', () => {
  it('parse(print(tree)) equals the tree, but for positions', () => {
    fc.assert(
      fc.property(statementArbitrary, (tree) => {
        expect(shapeOf(parse(printStatement(tree)))).toEqual(shapeOf(tree));
      }),
      { numRuns: 500 },
    );
  });
});

// Anything

const wordArbitrary = fc.constantFrom(
  ...'SELECT * FROM WHERE INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ALL OLD NEW MODIFIED AND OR NOT IN BETWEEN IS MISSING NULL ORDER BY ASC DESC LIMIT GROUP HAVING EXISTS ( ) [ ] { } << >> , . : ; ? = <> < <= + - * / || \'a\' \'\' "t" "" t a b.c a[0] 1 1e3 -1 .5 true begins_with attribute_exists size set_add list_append contains COUNT AS x JOIN ON'.split(
    ' ',
  ),
);

describe('whatever the text is', () => {
  const neverMoreThanAServiceError = (text: string): void => {
    try {
      const statement = parseStatement(text);
      printStatement(statement.root);
      bindStatement(
        statement,
        Array.from({ length: statement.parameterCount }, () => ({ S: 'p' })),
      );
    } catch (error) {
      expect(error, text).toBeInstanceOf(DynamoError);
    }
  };

  it('words in any order', () => {
    fc.assert(
      fc.property(fc.array(wordArbitrary, { maxLength: 24 }), (words) => neverMoreThanAServiceError(words.join(' '))),
      { numRuns: 5000 },
    );
  });

  it('valid statements with a piece cut out, doubled or replaced', () => {
    const statements = readFileSync(new URL('./testdata/statements.txt', import.meta.url), 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('> ') ? [line.slice(2)] : []));
    fc.assert(
      fc.property(
        fc.constantFrom(...statements),
        fc.nat(200),
        fc.nat(20),
        fc.oneof(fc.constant(''), wordArbitrary, fc.string()),
        (statement, from, length, replacement) =>
          neverMoreThanAServiceError(`${statement.slice(0, from)}${replacement}${statement.slice(from + length)}`),
      ),
      { numRuns: 5000 },
    );
  });

  it('any characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), neverMoreThanAServiceError), { numRuns: 2000 });
  });

  it.each([
    '('.repeat(8192),
    '['.repeat(8192),
    '{'.repeat(8192),
    "{'a':".repeat(1638),
    'f('.repeat(4096),
    'NOT '.repeat(2048),
    '-'.concat(' -'.repeat(4095)),
    'a.'.repeat(4096),
    'a'.concat('[0]'.repeat(2730)),
    'a['.repeat(4096),
    'select a from '.repeat(585),
    `SELECT * FROM t WHERE ${'a=1 OR '.repeat(1160)}a=1`,
    `SELECT * FROM t WHERE ${'a=1 AND '.repeat(1000)}a=1`,
    `SELECT * FROM t WHERE ${'a='.repeat(4000)}1`,
    `SELECT * FROM t WHERE ${'a+'.repeat(4000)}1 = 1`,
    `SELECT * FROM t WHERE a${' IS NULL'.repeat(1000)}`,
    `SELECT * FROM t WHERE ${'(a=1 OR '.repeat(250)}a=1${')'.repeat(250)}`,
    `SELECT * FROM t WHERE a IN [${'1,'.repeat(4000)}1]`,
    'EXISTS('.repeat(1000),
    `UPDATE t ${'SET a=1 '.repeat(1000)}`,
    'INSERT INTO t VALUE '.concat('<<'.repeat(4000)),
  ])('deep and long statements are refused or served, never overrun the stack: %#', (text) => {
    expect(text.length).toBeLessThanOrEqual(8192);
    neverMoreThanAServiceError(text);
  });

  it('parses many alternatives', () => {
    expect(problem(`SELECT * FROM t WHERE ${'a=1 OR '.repeat(1160)}a=1`)).toBe('accepted');
  });
});
