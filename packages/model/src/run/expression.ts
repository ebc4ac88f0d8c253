import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { InputError } from '../model-error.ts';
import type { Condition, InputReference } from '../patterns/value.ts';
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

  /** The parts of a request that hold names and values; none where there are none. */
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
}

/** A document path such as `addresses.{label}.city`, with inputs in their places. */
export function pathOf(expression: Expression, path: string, { stored, input }: Scope): string {
  return path
    .split('.')
    .map((segment, depth) => {
      const [, written = segment, indexes = ''] = /^(.*?)((?:\[\d+\])*)$/.exec(segment) ?? [];
      const [, variable] = /^\{(.+)\}$/.exec(written) ?? [];
      const name = variable === undefined ? written : String(inputNamed(input, variable));
      return expression.name(depth === 0 ? stored(name) : name) + indexes;
    })
    .join('.');
}

/** The text of a condition. */
export function conditionText(expression: Expression, condition: Condition, scope: Scope): string {
  const { any } = condition as { readonly any?: unknown };
  if (Array.isArray(any)) {
    return `(${any.map((each) => conditionText(expression, each as Condition, scope)).join(' OR ')})`;
  }
  const tests = Object.entries(condition).flatMap(([path, test]) => testTexts(expression, path, test, scope));
  return tests.length === 1 ? (tests[0] ?? '') : `(${tests.join(' AND ')})`;
}

function testTexts(expression: Expression, path: string, test: unknown, scope: Scope): string[] {
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

/** The input of that name, which must be there. */
export function inputNamed(input: Values, name: string): unknown {
  const value = input[name];
  if (value === undefined) throw new InputError('missing-input', name, 'is needed and missing');
  return value;
}

/** Whether a value stands for an input. */
export function isReference(value: unknown): value is InputReference {
  return typeof value === 'object' && value !== null && 'ref' in value;
}
