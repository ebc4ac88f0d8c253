import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { wellFormed } from '../keys/template.ts';
import { InputError } from '../model-error.ts';
import { inputNamed, isAttribute, isReference } from '../patterns/condition.ts';
import { holds } from '../patterns/evaluate.ts';
import type { Condition, Guard } from '../patterns/value.ts';
import { toAttributeValue } from './attribute-value.ts';
import { plainPlaceholder } from './input-values.ts';
import type { Values } from './item-codec.ts';

const comparators: Readonly<Record<string, string>> = {
  equals: '=',
  not: '<>',
  atLeast: '>=',
  atMost: '<=',
  above: '>',
  below: '<',
};

/** Names and values of one request's expressions. Every name and value goes through a placeholder. */
export class Expression {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, AttributeValue> = {};
  #count = 0;

  /** The placeholder of an attribute. */
  name(stored: string): string {
    const placeholder = plainPlaceholder(stored) ?? `#n${this.#count++}`;
    this.names[placeholder] = stored;
    return placeholder;
  }

  /** The placeholder of a value. */
  value(value: AttributeValue): string {
    const placeholder = `:v${this.#count++}`;
    this.values[placeholder] = value;
    return placeholder;
  }

  /** The members of a request that hold names and values; none if there are none. */
  attributes(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  } {
    return {
      ...(Object.keys(this.names).length > 0 ? { ExpressionAttributeNames: this.names } : {}),
      ...(Object.keys(this.values).length > 0 ? { ExpressionAttributeValues: this.values } : {}),
    };
  }
}

/** What a condition or change refers to: stored names of attributes, and the pattern's input. */
export interface Scope {
  readonly stored: (attribute: string) => string;
  readonly input: Values;
  /** The default of an attribute: items that are older than the attribute meet a condition by it. */
  readonly fallback?: (attribute: string) => unknown;
  /** An expression that tests whether the item exists, for items that may be missing. */
  readonly exists?: (expression: Expression) => string;
}

/** A document path such as `addresses.{label}.city`, with its inputs filled in. */
export function pathOf(expression: Expression, path: string, scope: Scope): string {
  return pathText(expression, pathSteps(path, scope));
}

/** The text of a path by stored names. */
export function pathText(expression: Expression, steps: readonly (string | number)[]): string {
  return steps
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${expression.name(step)}`))
    .join('');
}

/** The steps of a path by stored names: attributes and entries of maps by name, elements of lists by number. */
export function pathSteps(path: string, { stored, input }: Pick<Scope, 'stored' | 'input'>): (string | number)[] {
  if (/^\w+$/.test(path)) return [stored(path)];
  return path.split('.').flatMap((segment, depth) => {
    const [, written = segment, indexes = ''] = /^(.*?)((?:\[\d+\])*)$/.exec(segment) ?? [];
    const [, variable] = /^\{(.+)\}$/.exec(written) ?? [];
    const name = variable === undefined ? written : wellFormed(String(inputNamed(input, variable)), variable);
    const elements = [...indexes.matchAll(/\[(\d+)\]/g)].map(([, index]) => Number(index));
    return [depth === 0 ? stored(name) : name, ...elements];
  });
}

/** The text of a condition. */
export function conditionText(expression: Expression, condition: Guard, scope: Scope): string {
  const { any } = condition as { readonly any?: unknown };
  const isAny = Array.isArray(any);
  const tests = isAny
    ? any.map((each) => conditionText(expression, each as Guard, scope))
    : Object.entries(condition).flatMap(([path, test]) => testTexts(expression, path, test, scope));
  // The service refuses parentheses around parentheses.
  return tests.length === 1 ? (tests[0] ?? '') : `(${tests.join(isAny ? ' OR ' : ' AND ')})`;
}

function testTexts(expression: Expression, path: string, test: unknown, scope: Scope): string[] {
  if (!comparesAttributes(test)) return constantTexts(expression, path, test, scope);
  return Object.entries(test).flatMap(([kind, given]) =>
    isAttribute(given)
      ? [pairText(expression, kind, [path, given.attribute], scope)]
      : constantTexts(expression, path, { [kind]: given as unknown }, scope),
  );
}

/** Whether a test compares with another attribute of the item. */
function comparesAttributes(test: unknown): test is object {
  return typeof test === 'object' && test !== null && Object.values(test).some(isAttribute);
}

/** One side of a comparison of two attributes: the stored value, or the default for an item that is older than the attribute. */
interface Side {
  readonly text: string;
  readonly when?: string;
  readonly fallback?: unknown;
}

/** A comparison of two attributes of the item. A missing item has no attributes, and so no defaults either. */
function pairText(expression: Expression, kind: string, paths: readonly [string, string], scope: Scope): string {
  // `not` is the negation of equality, so it includes missing attributes.
  if (kind === 'not') return `NOT ${pairText(expression, 'equals', paths, scope)}`;
  const comparator = comparators[kind];
  if (comparator === undefined)
    throw new InputError('unknown-comparison', kind, 'is not a comparison of two attributes of an item');
  const [lefts, rights] = [sidesOf(expression, paths[0], scope), sidesOf(expression, paths[1], scope)];
  const pairs = lefts.flatMap((left) =>
    rights.flatMap((right) => {
      const guards = [left.when, right.when].filter((text) => text !== undefined);
      if (left.fallback === undefined || right.fallback === undefined)
        return [[...guards, `${left.text} ${comparator} ${right.text}`].join(' AND ')];
      const known = holds({ left: { [kind]: { attribute: 'right' } } }, { left: left.fallback, right: right.fallback });
      return known
        ? [[...guards, ...[scope.exists?.(expression)].filter((text) => text !== undefined)].join(' AND ')]
        : [];
    }),
  );
  return `(${pairs.map((text) => (pairs.length > 1 ? `(${text})` : text)).join(' OR ')})`;
}

function sidesOf(expression: Expression, path: string, scope: Scope): Side[] {
  const stored = pathOf(expression, path, scope);
  const fallback = /^\w+$/.test(path) ? scope.fallback?.(path) : undefined;
  if (fallback === undefined) return [{ text: stored }];
  return [
    { text: stored },
    {
      text: expression.value(toAttributeValue(fallback, 'condition')),
      when: `attribute_not_exists(${stored})`,
      fallback,
    },
  ];
}

function constantTexts(expression: Expression, path: string, test: unknown, scope: Scope): string[] {
  if (scope.fallback === undefined) return plainTexts(expression, path, test, scope);
  const top = /^[^.[]*/.exec(path)?.[0] ?? path;
  const fallback = scope.fallback(top);
  if (fallback === undefined) return plainTexts(expression, path, test, scope);
  const condition = { [path]: test } as Condition;
  const onDefault = holds(condition, { [top]: fallback }, scope.input);
  const onMissing = holds(condition, {}, scope.input);
  const plain = plainTexts(expression, path, test, scope);
  if (onDefault === onMissing) return plain;
  const name = expression.name(scope.stored(top));
  const text = plain.length === 1 ? (plain[0] ?? '') : `(${plain.join(' AND ')})`;
  const exists = scope.exists?.(expression);
  if (onDefault) {
    const missing = `attribute_not_exists(${name})`;
    return [`(${text} OR ${exists === undefined ? missing : `(${exists} AND ${missing})`})`];
  }
  const stored = `attribute_exists(${name}) AND ${text}`;
  return [exists === undefined ? `(${stored})` : `(NOT ${exists} OR (${stored}))`];
}

function plainTexts(expression: Expression, path: string, test: unknown, scope: Scope): string[] {
  const name = pathOf(expression, path, scope);
  if (Array.isArray(test)) return [`${name} IN (${test.map((value) => operand(expression, value, scope)).join(', ')})`];
  if (typeof test !== 'object' || test === null || isReference(test))
    return [`${name} = ${operand(expression, test, scope)}`];
  return Object.entries(test).flatMap(([kind, value]) => comparisonText(expression, name, kind, value, scope));
}

function comparisonText(expression: Expression, name: string, kind: string, value: unknown, scope: Scope): string[] {
  const comparator = comparators[kind];
  if (comparator !== undefined) return [`${name} ${comparator} ${operand(expression, value, scope)}`];
  switch (kind) {
    case 'exists':
      return [`attribute_${value === true ? '' : 'not_'}exists(${name})`];
    case 'begins':
      return [`begins_with(${name}, ${operand(expression, value, scope)})`];
    case 'contains':
      return [`contains(${name}, ${operand(expression, value, scope)})`];
    case 'lacks':
      return [`(attribute_not_exists(${name}) OR NOT contains(${name}, ${operand(expression, value, scope)}))`];
    case 'size':
      return Object.entries(value as object).flatMap(([inner, bound]) =>
        comparisonText(expression, `size(${name})`, inner, bound, scope),
      );
    default:
      throw new InputError('unknown-comparison', kind, 'is not a comparison');
  }
}

function operand(expression: Expression, value: unknown, { input }: Scope): string {
  const resolved = isReference(value) ? inputNamed(input, value.ref) : value;
  return expression.value(toAttributeValue(resolved, 'condition'));
}
