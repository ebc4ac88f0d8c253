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
 * What the placeholders of one request represent, and which of them its expressions have used.
 *
 * @see DynamoDB Developer Guide, "Expression attribute names" and "Using expression attribute values"
 */
export class Placeholders {
  readonly #names: Defined<string>;
  readonly #values: Defined<AttributeValue>;

  /**
   * Checks names first, then values. Of each: that there are some, then the placeholders, then what they represent.
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
   * The document path of a path node.
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

  /** Looks up the names of a path, without checking its depth. */
  checkNames({ elements }: PathNode, kind: ExpressionKind): void {
    for (const element of elements) {
      if (element.kind === 'placeholder') this.#name(element.name, kind);
    }
  }

  #name(placeholder: string, kind: ExpressionKind): string {
    const name = this.#names.use(placeholder);
    if (name === undefined) throw invalidExpression(kind, undefinedName(placeholder));
    return name;
  }

  /** @throws {ValidationException} if the value is not defined. */
  value({ name }: ValueNode, kind: ExpressionKind): AttributeValue {
    const value = this.#values.use(name);
    if (value === undefined) throw invalidExpression(kind, undefinedValue(name));
    return value;
  }

  /**
   * Must be called after all expressions of the request.
   *
   * @throws {ValidationException} if a name or value was not used.
   */
  checkAllUsed(): void {
    checkUsed('ExpressionAttributeNames', this.#names);
    checkUsed('ExpressionAttributeValues', this.#values);
  }
}

/** Placeholders, what they represent, and which of them were used. Most requests have a few, which are searched one by one. */
class Defined<T> {
  readonly entries: readonly (readonly [string, T])[];
  readonly #places: ReadonlyMap<string, number> | undefined;
  readonly #isUsed: boolean[];

  constructor(entries: readonly (readonly [string, T])[]) {
    this.entries = entries;
    this.#isUsed = entries.map(() => false);
    if (entries.length > fewPlaceholders) this.#places = new Map(entries.map(([placeholder], at) => [placeholder, at]));
  }

  /** @returns undefined for a placeholder that is not defined. */
  use(placeholder: string): T | undefined {
    const at = this.#places?.get(placeholder) ?? this.entries.findIndex(([each]) => each === placeholder);
    const entry = this.entries[at];
    if (entry === undefined) return undefined;
    this.#isUsed[at] = true;
    return entry[1];
  }

  unused(): readonly string[] {
    if (!this.#isUsed.includes(false)) return none;
    return this.entries.flatMap(([placeholder], at) => (this.#isUsed[at] === true ? [] : [placeholder]));
  }
}

const fewPlaceholders = 8;
const none: readonly string[] = [];

const nothing = new Defined<never>([]);

type Parameter = 'ExpressionAttributeNames' | 'ExpressionAttributeValues';

function readNames(names: Readonly<Record<string, string>> | undefined): Defined<string> {
  if (names === undefined) return nothing;
  const entries = Object.entries(names);
  if (entries.length === 0) {
    throw new ValidationException('ExpressionAttributeNames must not be empty');
  }
  for (const [placeholder, name] of entries) {
    const sizeBytes = utf8ByteLength(placeholder);
    if (sizeBytes > serviceLimits.placeholderBytesMax) {
      throw invalidKey('ExpressionAttributeNames', `${longPlaceholder} size of key: ${sizeBytes}`);
    }
    checkPlaceholder('ExpressionAttributeNames', placeholder, namePattern);
    const problem = attributeNameProblem(name);
    if (problem !== undefined) {
      throw new ValidationException(
        `ExpressionAttributeNames contains invalid value: ${problem} for key ${placeholder}`,
      );
    }
  }
  return new Defined(entries);
}

function readValues(values: UncheckedAttributeMap | undefined, layer: ValueCheckLayer): Defined<AttributeValue> {
  if (values === undefined) return nothing;
  const entries = Object.entries(values);
  if (entries.length === 0) {
    throw new ValidationException('ExpressionAttributeValues must not be empty');
  }
  for (const [placeholder] of entries) {
    if (utf8ByteLength(placeholder) > serviceLimits.placeholderBytesMax) {
      throw invalidKey('ExpressionAttributeValues', longPlaceholder); // without the size, unlike for names
    }
    checkPlaceholder('ExpressionAttributeValues', placeholder, valuePattern);
  }
  return new Defined(
    entries.map(([placeholder, value]): readonly [string, AttributeValue] => {
      try {
        return [placeholder, checkExpressionValue(value, layer)];
      } catch (error) {
        throw layer === 'older' && error instanceof DynamoError ? invalidValue(error, placeholder) : error;
      }
    }),
  );
}

const namePattern = /^#[0-9A-Za-z_]+$/;
const valuePattern = /^:[0-9A-Za-z_]+$/;
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

/** Assumed: sizes are computed as those of items are, after all other checks. */
function checkSizes(names: Defined<string>, values: Defined<AttributeValue>): void {
  let namesBytes = 0;
  for (const [placeholder, name] of names.entries) namesBytes += utf8ByteLength(placeholder) + utf8ByteLength(name);
  let valuesBytes = 0;
  for (const [placeholder, value] of values.entries) {
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

function checkUsed(parameter: Parameter, defined: Defined<unknown>): void {
  const unused = defined.unused();
  if (unused.length === 0) return;
  throw new ValidationException(`Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`);
}
