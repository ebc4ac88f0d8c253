import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { AttributeMap, AttributeValue } from '../values/attribute-value.ts';
import { compileExpressions } from './compile-expressions.ts';
import { attributeSource } from './document-path.ts';

/**
 * Conditions are generated as trees of a small language defined here, and written with placeholders for everything.
 * The oracle evaluates the trees on items decoded to JavaScript values; the evaluator gets the text.
 */
type Term =
  | { readonly is: 'path'; readonly path: readonly (string | number)[] }
  | { readonly is: 'value'; readonly value: AttributeValue }
  | { readonly is: 'size'; readonly of: Term };

type Test =
  | {
      readonly is: 'compare';
      readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
      readonly terms: readonly [Term, Term];
    }
  | { readonly is: 'between'; readonly terms: readonly [Term, Term, Term] }
  | { readonly is: 'in'; readonly term: Term; readonly among: readonly Term[] }
  | { readonly is: 'exists'; readonly path: Term; readonly wanted: boolean }
  | { readonly is: 'type'; readonly path: Term; readonly tag: string }
  | { readonly is: 'begins' | 'contains'; readonly terms: readonly [Term, Term] }
  | { readonly is: 'not'; readonly test: Test }
  | { readonly is: 'and' | 'or'; readonly tests: readonly [Test, Test] };

// The oracle

/** A decoded value: its type, and something that compares as the value does. */
type Decoded = readonly [string, unknown];

function decode(value: AttributeValue): Decoded {
  if ('N' in value) return ['N', Number(value.N)]; // the generated numbers are small
  if ('B' in value) return ['B', Buffer.from(value.B, 'base64').toString('latin1')];
  if ('L' in value) return ['L', value.L.map(decode)];
  if ('M' in value) {
    return [
      'M',
      Object.entries(value.M)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, v]) => [name, decode(v)]),
    ];
  }
  if ('SS' in value) return ['SS', value.SS.toSorted()];
  if ('NS' in value) return ['NS', value.NS.map(Number).toSorted((a, b) => a - b)];
  if ('BS' in value) return ['BS', value.BS.toSorted()];
  return Object.entries(value)[0] as Decoded;
}

function lookUp(term: Term, item: AttributeMap): Decoded | undefined {
  if (term.is === 'value') return decode(term.value);
  if (term.is === 'size') {
    const value = lookUp(term.of, item);
    if (value === undefined || ['N', 'BOOL', 'NULL'].includes(value[0])) return undefined;
    return ['N', (value[1] as string).length];
  }
  const value = term.path.reduce<AttributeValue | undefined>(step, { M: item });
  return value && decode(value);
}

function step(value: AttributeValue | undefined, element: string | number): AttributeValue | undefined {
  if (value === undefined) return undefined;
  if (typeof element === 'number') return 'L' in value ? value.L[element] : undefined;
  return 'M' in value && Object.keys(value.M).includes(element) ? value.M[element] : undefined;
}

function same(a: Decoded | undefined, b: Decoded | undefined): boolean {
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

function less(a: Decoded | undefined, b: Decoded | undefined): boolean {
  if (a === undefined || b === undefined || a[0] !== b[0] || !['S', 'N', 'B'].includes(a[0])) return false;
  if (a[0] === 'S') return Buffer.compare(Buffer.from(a[1] as string), Buffer.from(b[1] as string)) < 0;
  return (a[1] as string | number) < (b[1] as string | number);
}

function lessOrSame(a: Decoded | undefined, b: Decoded | undefined): boolean {
  return less(a, b) || (same(a, b) && ['S', 'N', 'B'].includes(a?.[0] ?? ''));
}

function oracle(test: Test, item: AttributeMap): boolean {
  const at = (term: Term): Decoded | undefined => lookUp(term, item);
  switch (test.is) {
    case 'compare': {
      const [a, b] = [at(test.terms[0]), at(test.terms[1])];
      const results = {
        '=': same(a, b),
        '<>': !same(a, b),
        '<': less(a, b),
        '>': less(b, a),
        '<=': lessOrSame(a, b),
        '>=': lessOrSame(b, a),
      };
      return results[test.operator];
    }
    case 'between':
      return lessOrSame(at(test.terms[1]), at(test.terms[0])) && lessOrSame(at(test.terms[0]), at(test.terms[2]));
    case 'in':
      return test.among.some((candidate) => same(at(test.term), at(candidate)));
    case 'exists':
      return (at(test.path) !== undefined) === test.wanted;
    case 'type':
      return at(test.path)?.[0] === test.tag;
    case 'begins': {
      const [a, b] = [at(test.terms[0]), at(test.terms[1])];
      if (a === undefined || b === undefined || a[0] !== b[0] || !['S', 'B'].includes(a[0])) return false;
      return (a[1] as string).startsWith(b[1] as string);
    }
    case 'contains': {
      const [a, b] = [at(test.terms[0]), at(test.terms[1])];
      if (a === undefined || b === undefined) return false;
      if (a[0] === 'L') return (a[1] as Decoded[]).some((element) => same(element, b));
      if (a[0] === b[0] && ['S', 'B'].includes(a[0])) return (a[1] as string).includes(b[1] as string);
      if (a[0] === 'BS' && b[0] === 'B')
        return (a[1] as string[]).includes(Buffer.from(b[1] as string, 'latin1').toString('base64'));
      return a[0] === `${b[0]}S` && (a[1] as unknown[]).includes(b[1]);
    }
    case 'not':
      return !oracle(test.test, item);
    case 'and':
      return oracle(test.tests[0], item) && oracle(test.tests[1], item);
    case 'or':
      return oracle(test.tests[0], item) || oracle(test.tests[1], item);
  }
}

// The text

class Writer {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, AttributeValue> = {};

  write(test: Test): string {
    switch (test.is) {
      case 'compare':
        return `${this.term(test.terms[0])} ${test.operator} ${this.term(test.terms[1])}`;
      case 'between':
        return `${this.term(test.terms[0])} between ${this.term(test.terms[1])} and ${this.term(test.terms[2])}`;
      case 'in':
        return `${this.term(test.term)} IN (${test.among.map((term) => this.term(term)).join(', ')})`;
      case 'exists':
        return `attribute_${test.wanted ? '' : 'not_'}exists(${this.term(test.path)})`;
      case 'type':
        return `attribute_type(${this.term(test.path)}, ${this.value({ S: test.tag })})`;
      case 'begins':
        return `begins_with(${this.term(test.terms[0])}, ${this.term(test.terms[1])})`;
      case 'contains':
        return `contains(${this.term(test.terms[0])}, ${this.term(test.terms[1])})`;
      case 'not':
        return `NOT ${test.test.is === 'and' || test.test.is === 'or' ? `(${this.write(test.test)})` : this.write(test.test)}`;
      case 'and':
        return test.tests.map((part) => (part.is === 'or' ? `(${this.write(part)})` : this.write(part))).join(' AND ');
      case 'or':
        return test.tests.map((part) => this.write(part)).join(' OR ');
    }
  }

  term(term: Term): string {
    if (term.is === 'value') return this.value(term.value);
    if (term.is === 'size') return `size(${this.term(term.of)})`;
    const steps = term.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${this.name(step)}`));
    return steps.join('').slice(1);
  }

  name(name: string): string {
    const placeholder = `#n${Object.keys(this.names).length}`;
    this.names[placeholder] = name;
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:v${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

// Few names, positions and scalars, so that paths lead somewhere and values meet

const nameArbitrary = fc.constantFrom('a', 'b', 'c d', '__proto__');
const stringArbitrary = fc.constantFrom('', 'a', 'ab', 'é', '\u{1F600}', '\uFFFD');
const numberArbitrary = fc.constantFrom('0', '1', '2', '10', '-1', '0.5');
const binaryArbitrary = fc.constantFrom('', 'AA==', 'AAE=', '/w==');
const scalarArbitrary: fc.Arbitrary<AttributeValue> = fc.oneof(
  stringArbitrary.map((S) => ({ S })),
  numberArbitrary.map((N) => ({ N })),
  binaryArbitrary.map((B) => ({ B })),
);

function setOf(elements: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> {
  return fc.uniqueArray(elements, { minLength: 1, maxLength: 3 });
}

const { value: valueArbitrary } = fc.letrec<{ value: AttributeValue; map: AttributeMap }>((tie) => ({
  map: fc.uniqueArray(fc.tuple(nameArbitrary, tie('value')), { selector: ([name]) => name, maxLength: 3 }).map(mapOf),
  value: fc.oneof(
    { maxDepth: 2 },
    scalarArbitrary,
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true as const }),
    setOf(stringArbitrary).map((SS) => ({ SS })),
    setOf(numberArbitrary).map((NS) => ({ NS })),
    setOf(binaryArbitrary).map((BS) => ({ BS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    tie('map').map((M) => ({ M })),
  ),
}));

function mapOf(entries: readonly (readonly [string, AttributeValue])[]): AttributeMap {
  return Object.fromEntries(entries); // also defines a property named __proto__
}

const itemArbitrary = fc
  .uniqueArray(fc.tuple(nameArbitrary, valueArbitrary), { selector: ([name]) => name })
  .map(mapOf);

const pathArbitrary: fc.Arbitrary<Term> = fc
  .tuple(nameArbitrary, fc.array(fc.oneof(nameArbitrary, fc.nat({ max: 2 })), { maxLength: 2 }))
  .map(([first, rest]) => ({ is: 'path', path: [first, ...rest] }));
const sizeArbitrary: fc.Arbitrary<Term> = pathArbitrary.map((of) => ({ is: 'size', of }));
const literalArbitrary = valueArbitrary.map((value): Term => ({ is: 'value', value }));
const scalarTermArbitrary = fc.oneof(
  pathArbitrary,
  sizeArbitrary,
  scalarArbitrary.map((value): Term => ({ is: 'value', value })),
);
const prefixArbitrary = fc.oneof(
  pathArbitrary,
  fc
    .oneof(
      stringArbitrary.map((S) => ({ S })),
      binaryArbitrary.map((B) => ({ B })),
    )
    .map((value): Term => ({ is: 'value', value })),
);
const termArbitrary = fc.oneof(pathArbitrary, sizeArbitrary, literalArbitrary);

const { test: testArbitrary } = fc.letrec<{ test: Test }>((tie) => ({
  test: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(termArbitrary, fc.constantFrom('=' as const, '<>' as const), termArbitrary)
      .map(([a, operator, b]): Test => ({ is: 'compare', operator, terms: [a, b] })),
    fc
      .tuple(
        scalarTermArbitrary,
        fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
        scalarTermArbitrary,
      )
      .map(([a, operator, b]): Test => ({ is: 'compare', operator, terms: [a, b] })),
    fc.tuple(scalarTermArbitrary, pathArbitrary, scalarTermArbitrary).map((terms): Test => ({ is: 'between', terms })),
    fc
      .tuple(termArbitrary, fc.array(termArbitrary, { minLength: 1, maxLength: 4 }))
      .map(([term, among]): Test => ({ is: 'in', term, among })),
    fc.tuple(pathArbitrary, fc.boolean()).map(([path, wanted]): Test => ({ is: 'exists', path, wanted })),
    fc
      .tuple(pathArbitrary, fc.constantFrom('S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS'))
      .map(([path, tag]): Test => ({ is: 'type', path, tag })),
    fc.tuple(prefixArbitrary, prefixArbitrary).map((terms): Test => ({ is: 'begins', terms })),
    fc.tuple(termArbitrary, termArbitrary).map((terms): Test => ({ is: 'contains', terms })),
    tie('test').map((test): Test => ({ is: 'not', test })),
    fc
      .tuple(fc.constantFrom('and' as const, 'or' as const), tie('test'), tie('test'))
      .map(([is, a, b]): Test => ({ is, tests: [a, b] })),
  ),
}));

describe('the evaluator agrees with an oracle (DB-223, DB-230, DB-231)', () => {
  it('on any condition and item', () => {
    let evaluatedCount = 0;
    let trueCount = 0;
    fc.assert(
      fc.property(testArbitrary, fc.array(itemArbitrary, { minLength: 1, maxLength: 4 }), (test, items) => {
        const writer = new Writer();
        const text = writer.write(test);
        const { condition } = tryCompile(text, writer);
        if (condition === undefined) return;
        for (const item of items) {
          const expected = oracle(test, item);
          expect(condition.evaluate(attributeSource(item)), text).toBe(expected);
          evaluatedCount += 1;
          if (expected) trueCount += 1;
        }
      }),
      { numRuns: 2000 },
    );
    // The generated conditions are neither refused nor decided by chance alone.
    expect(evaluatedCount).toBeGreaterThan(1000);
    expect(trueCount).toBeGreaterThan(evaluatedCount / 10);
    expect(trueCount).toBeLessThan((evaluatedCount * 9) / 10);
  });
});

/** Only one kind of generated condition is refused: comparing a path with itself. */
function tryCompile(text: string, { names, values }: Writer): Partial<ReturnType<typeof compileExpressions>> {
  try {
    return compileExpressions(
      {
        conditionExpression: text,
        ...(Object.keys(names).length > 0 && { expressionAttributeNames: names }),
        ...(Object.keys(values).length > 0 && { expressionAttributeValues: values }),
      },
      'PutItem',
    );
  } catch (error) {
    expect((error as Error).message).toContain('The first operand must be distinct from the remaining operands');
    return {};
  }
}
