import type { AttributeValue, UncheckedAttributeMap } from '../values/attribute-value.ts';
import { attributeNameProblem, checkExpressionValue } from '../values/check-attribute-value.ts';
import { attributeValueSizeBytes } from '../values/item-size.ts';
import { serviceLimits } from '../values/limits.ts';
import { DynamoError, ValidationException } from '../values/service-error.ts';
import { utf8ByteLength } from '../values/utf8.ts';
import type { ValueCheckLayer } from '../values/value-check-layer.ts';
import type { DocumentPath, PathElement } from './document-path.ts';
import type { ExpressionKind } from './expression-kind.ts';
import { invalidExpression, pathTooDeep, undefinedName, undefinedValue } from './expression-problem.ts';
import type { PathNode, ValueNode } from './syntax-tree.ts';

/**
 * What the placeholders of one request stand for, and which of them its expressions have used.
 *
 * @see DynamoDB Developer Guide, "Expression attribute names" and "Using expression attribute values"
 */
export class Placeholders {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, AttributeValue>;
  readonly #usedNames = new Set<string>();
  readonly #usedValues = new Set<string>();

  /**
   * Checks names first, then values; of each that there are some, then the placeholders, then what they stand for.
   *
   * @throws {ValidationException}
   */
  constructor(
    names: Readonly<Record<string, string>> | undefined,
    values: UncheckedAttributeMap | undefined,
    layer: ValueCheckLayer,
  ) {
    this.#names = readNames(names);
    this.#values = readValues(values, layer);
    checkSizes(this.#names, this.#values);
  }

  /**
   * The path a path node stands for.
   *
   * @throws {ValidationException} if a name is not defined, or the path is too deep.
   */
  path({ elements }: PathNode, kind: ExpressionKind): DocumentPath {
    const path = elements.map((element): PathElement => {
      if (element.kind === 'index') return Number(element.digits);
      return element.kind === 'attribute' ? element.name : this.#name(element.name, kind);
    });
    if (path.length > serviceLimits.nestingDepthMax) throw invalidExpression(kind, pathTooDeep(path.length));
    return path;
  }

  /** Looks up the names of a path, without its depth being checked. */
  checkNames({ elements }: PathNode, kind: ExpressionKind): void {
    for (const element of elements) {
      if (element.kind === 'placeholder') this.#name(element.name, kind);
    }
  }

  #name(placeholder: string, kind: ExpressionKind): string {
    const name = this.#names.get(placeholder);
    if (name === undefined) throw invalidExpression(kind, undefinedName(placeholder));
    this.#usedNames.add(placeholder);
    return name;
  }

  /** @throws {ValidationException} if the value is not defined. */
  value({ name }: ValueNode, kind: ExpressionKind): AttributeValue {
    const value = this.#values.get(name);
    if (value === undefined) throw invalidExpression(kind, undefinedValue(name));
    this.#usedValues.add(name);
    return value;
  }

  /**
   * To be called after all expressions of the request.
   *
   * @throws {ValidationException} if a name or value was not used.
   */
  checkAllUsed(): void {
    checkUsed('ExpressionAttributeNames', this.#names, this.#usedNames);
    checkUsed('ExpressionAttributeValues', this.#values, this.#usedValues);
  }
}

type Parameter = 'ExpressionAttributeNames' | 'ExpressionAttributeValues';

function readNames(names: Readonly<Record<string, string>> | undefined): Map<string, string> {
  const entries = Object.entries(names ?? {});
  if (names !== undefined && entries.length === 0) {
    throw new ValidationException('ExpressionAttributeNames must not be empty');
  }
  for (const [placeholder, name] of entries) {
    const sizeBytes = utf8ByteLength(placeholder);
    if (sizeBytes > serviceLimits.placeholderBytesMax) {
      throw invalidKey('ExpressionAttributeNames', `${longPlaceholder} size of key: ${sizeBytes}`);
    }
    checkPlaceholder('ExpressionAttributeNames', placeholder, /^#[0-9A-Za-z_]+$/);
    const problem = attributeNameProblem(name);
    if (problem !== undefined) {
      throw new ValidationException(
        `ExpressionAttributeNames contains invalid value: ${problem} for key ${placeholder}`,
      );
    }
  }
  return new Map(entries);
}

function readValues(values: UncheckedAttributeMap | undefined, layer: ValueCheckLayer): Map<string, AttributeValue> {
  const entries = Object.entries(values ?? {});
  if (values !== undefined && entries.length === 0) {
    throw new ValidationException('ExpressionAttributeValues must not be empty');
  }
  for (const [placeholder] of entries) {
    if (utf8ByteLength(placeholder) > serviceLimits.placeholderBytesMax) {
      throw invalidKey('ExpressionAttributeValues', longPlaceholder); // without the size, unlike for names
    }
    checkPlaceholder('ExpressionAttributeValues', placeholder, /^:[0-9A-Za-z_]+$/);
  }
  return new Map(
    entries.map(([placeholder, value]) => {
      try {
        return [placeholder, checkExpressionValue(value, layer)];
      } catch (error) {
        throw layer === 'older' && error instanceof DynamoError ? invalidValue(error, placeholder) : error;
      }
    }),
  );
}

const longPlaceholder = 'The expression attribute map contains a key that is too long;';

function checkPlaceholder(parameter: Parameter, placeholder: string, pattern: RegExp): void {
  if (!pattern.test(placeholder)) throw invalidKey(parameter, `Syntax error; key: "${placeholder}"`);
}

function invalidKey(parameter: Parameter, problem: string): ValidationException {
  return new ValidationException(`${parameter} contains invalid key: ${problem}`);
}

function invalidValue({ message }: DynamoError, placeholder: string): ValidationException {
  return new ValidationException(`ExpressionAttributeValues contains invalid value: ${message} for key ${placeholder}`);
}

/** Assumed: sizes are taken as those of items are, after all else was checked. */
function checkSizes(names: ReadonlyMap<string, string>, values: ReadonlyMap<string, AttributeValue>): void {
  let namesBytes = 0;
  for (const [placeholder, name] of names) namesBytes += utf8ByteLength(placeholder) + utf8ByteLength(name);
  let valuesBytes = 0;
  for (const [placeholder, value] of values) {
    valuesBytes += utf8ByteLength(placeholder) + attributeValueSizeBytes(value);
  }
  const max = serviceLimits.expressionValuesBytesMax;
  if (namesBytes > max) throw new ValidationException('ExpressionAttributeNames exceeds max size');
  if (valuesBytes > max) throw new ValidationException('ExpressionAttributeValues exceeds max size');
  if (namesBytes + valuesBytes > max) {
    throw new ValidationException(
      'Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size',
    );
  }
}

function checkUsed(parameter: Parameter, defined: ReadonlyMap<string, unknown>, used: ReadonlySet<string>): void {
  if (used.size === defined.size) return; // only what is defined can have been used
  const unused = [...defined.keys()].filter((placeholder) => !used.has(placeholder));
  throw new ValidationException(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`);
}
