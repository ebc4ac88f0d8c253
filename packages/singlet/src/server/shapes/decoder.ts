import type { RequestContext } from '../../engine/index.ts';
import { type DynamoError, ValidationException } from '../../values/service-error.ts';
import { SerializationException } from '../serialization-exception.ts';
import { booleanFrom, checkAttributeMap, checkAttributeValue } from './attribute-value-json.ts';
import type { Constraint } from './constraint.ts';
import { notList, notMap, notScalar, notStructure, type Position } from './json-type.ts';
import { renderValue } from './render-value.ts';
import type { ListNode, MapNode, MemberNode, NumberNode, Shape, ShapeNode, StructureNode } from './shape.ts';
import { looksLikeArn, tableNameFromArn } from './table-arn.ts';
import { messageName, wireName } from './wire-name.ts';

/**
 * Turns the parsed body of a request into the engine's request object.
 *
 * @throws {SerializationException} at the first value of the wrong JSON type, in the order of the body.
 * @throws {ValidationException} with all violated constraints (at most ten) in the order of the shape.
 */
export type Decode<T> = (json: unknown, action: string, context: RequestContext) => T;

/**
 * Compiles a shape. Decoding takes two passes, because the service reports wrong types before anything else: `check`
 * follows the body and throws, `decode` follows the shape, converts and takes note of violations. Only when there are
 * some, `report` words them; requests that are in order never build a path or a message.
 */
export function compileDecoder<T>(shape: Shape<T>): Decode<T> {
  const decoder = compile(shape);
  return (json, action, context) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new SerializationException();
    decoder.check(json);
    const pass = new DecodePass(action, context);
    const decoded = decoder.decode(json, pass);
    if (pass.violated) throw violation(decoder, json);
    if (pass.failure !== undefined) throw pass.failure;
    // The members of a shape are typed by the engine's request, so that what they decode to together is that request.
    return decoded as T;
  };
}

/** What one decoding takes note of. */
class DecodePass {
  violated = false;
  /** The first table ARN that cannot be followed; reported when no constraint is violated. */
  failure: DynamoError | undefined;
  readonly #action: string;
  readonly #context: RequestContext;

  constructor(action: string, context: RequestContext) {
    this.#action = action;
    this.#context = context;
  }

  resolveArn(arn: string): string {
    try {
      return tableNameFromArn(arn, this.#action, this.#context);
    } catch (error) {
      this.failure ??= error as DynamoError; // it throws nothing else
      return arn;
    }
  }
}

/** Where a value stands, spelled as messages do: `requestItems.t.member.keys` and `RequestItems.t.member.Keys`. */
interface Path {
  readonly echoed: string;
  readonly unechoed: string;
}

interface Problem {
  readonly text: string;
  readonly alone: 'envelope' | 'plain' | undefined;
}

interface Decoder {
  /** Throws unless the JSON types are right. Never called with null. */
  check(json: unknown): void;
  /** Converts what `check` let pass. */
  decode(json: unknown, pass: DecodePass): unknown;
  /** Words the violations that `decode` took note of. */
  report(json: unknown, path: Path, problems: Problem[]): void;
}

const problemsMax = 10;

function violation(decoder: Decoder, json: unknown): ValidationException {
  const problems: Problem[] = [];
  decoder.report(json, { echoed: '', unechoed: '' }, problems);
  const lonely = problems.find((problem) => problem.alone !== undefined);
  if (lonely?.alone === 'plain') return new ValidationException(lonely.text);
  const listed = lonely === undefined ? problems.slice(0, problemsMax) : [lonely];
  const texts = listed.map((problem) => problem.text).join('; ');
  return new ValidationException(`${listed.length} validation error${listed.length > 1 ? 's' : ''} detected: ${texts}`);
}

function compile(shape: ShapeNode, position: Position = 'field'): Decoder {
  switch (shape.kind) {
    case 'string':
      return scalarDecoder(shape, shape.constraints, checkString, identity);
    case 'tableName':
      return tableNameDecoder(shape, shape.constraints);
    case 'boolean':
      return scalarDecoder(shape, [], checkBoolean, booleanFrom);
    case 'integer':
    case 'long':
    case 'double':
      return numberDecoder(shape);
    case 'list':
      return listDecoder(shape, position);
    case 'map':
      return mapDecoder(shape, position);
    case 'structure':
      return structureDecoder(shape, position);
    case 'attributeValue':
      return unconstrained((json) => checkAttributeValue(json, position));
    case 'attributeMap':
    case 'item':
      return unconstrained((json) => checkAttributeMap(json, position));
  }
}

const identity = (json: unknown): unknown => json;

function unconstrained(check: (json: unknown) => void): Decoder {
  return { check, decode: identity, report: () => undefined };
}

function scalarDecoder(
  shape: ShapeNode,
  constraints: readonly Constraint[],
  check: (json: unknown) => void,
  convert: (json: unknown) => unknown,
): Decoder {
  return {
    check,
    decode(json, pass) {
      const value = convert(json);
      if (!allHold(constraints, value)) pass.violated = true;
      return value;
    },
    report: (json, path, problems) => reportConstraints(shape, constraints, convert(json), path, problems),
  };
}

function allHold(constraints: readonly Constraint[], value: unknown): boolean {
  for (const constraint of constraints) {
    if (!constraint.holds(value)) return false;
  }
  return true;
}

function reportConstraints(
  shape: ShapeNode,
  constraints: readonly Constraint[],
  value: unknown,
  path: Path,
  problems: Problem[],
): void {
  for (const constraint of constraints) {
    if (!constraint.holds(value))
      problems.push({ text: wordProblem(shape, constraint, value, path), alone: constraint.alone });
  }
}

function wordProblem(shape: ShapeNode, constraint: Constraint, value: unknown, path: Path): string {
  switch (constraint.wording) {
    case 'echoed':
      return `Value '${renderValue(shape, value)}' at '${path.echoed}' failed to satisfy constraint: ${constraint.text}`;
    case 'unechoed':
      return `Value at '${path.unechoed}' failed to satisfy constraint: ${constraint.text}`;
    case 'verbatim':
      return constraint.text;
  }
}

function checkString(json: unknown): void {
  if (typeof json !== 'string') throw notScalar(json, 'String');
}

function checkBoolean(json: unknown): void {
  if (typeof json !== 'boolean') booleanFrom(json);
}

function tableNameDecoder(shape: ShapeNode, constraints: readonly Constraint[]): Decoder {
  return {
    check: checkString,
    decode(json, pass) {
      const name = json as string; // as checked
      if (looksLikeArn(name)) return pass.resolveArn(name);
      if (!allHold(constraints, name)) pass.violated = true;
      return name;
    },
    report(json, path, problems) {
      if (!looksLikeArn(json as string)) reportConstraints(shape, constraints, json, path, problems);
    },
  };
}

const ranges = {
  integer: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  long: { min: -(2 ** 63), max: 2 ** 63 },
  double: { min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
} as const;

function numberDecoder(shape: NumberNode): Decoder {
  const javaType = shape.kind === 'integer' ? 'Integer' : shape.kind === 'long' ? 'Long' : 'Double';
  return scalarDecoder(
    shape,
    shape.constraints,
    (json) => {
      if (typeof json !== 'number') throw notScalar(json, javaType);
    },
    (json) => convertNumber(shape.kind, json as number),
  );
}

/** Fractions are cut off, as Java's parser does. Assumed: what does not fit becomes the nearest that does. */
function convertNumber(kind: NumberNode['kind'], value: number): number {
  const { min, max } = ranges[kind];
  return Math.max(min, Math.min(max, kind === 'double' ? value : Math.trunc(value)));
}

function listDecoder(shape: ListNode, position: Position): Decoder {
  const element = compile(shape.element, 'element');
  const { elementConstraints } = shape;
  return {
    check(json) {
      if (!Array.isArray(json)) throw notList(json, position);
      for (const entry of json as unknown[]) {
        if (entry !== null) element.check(entry);
      }
    },
    decode(json, pass) {
      const entries = json as readonly unknown[]; // as checked
      if (!allHold(shape.constraints, entries)) pass.violated = true;
      const decoded: unknown[] = [];
      for (const entry of entries) {
        if (entry === null || !allHold(elementConstraints, entry)) pass.violated = true;
        else decoded.push(element.decode(entry, pass));
      }
      return decoded;
    },
    report(json, path, problems) {
      const entries = json as readonly unknown[];
      reportConstraints(shape, shape.constraints, entries, path, problems);
      if (entries.some((entry) => entry === null)) {
        reportAgainstWhole(
          shape,
          'Member must satisfy constraint',
          ['Member must not be null'],
          entries,
          path,
          problems,
        );
      } else if (!entries.every((entry) => allHold(elementConstraints, entry))) {
        const texts = elementConstraints.map((constraint) => constraint.text);
        reportAgainstWhole(shape, 'Member must satisfy constraint', texts, entries, path, problems);
      }
      for (const [index, entry] of entries.entries()) {
        if (problems.length >= problemsMax) return;
        if (entry !== null) element.report(entry, elementPath(path, String(index + 1)), problems);
      }
    },
  };
}

/** A violation inside a list or map that the service reports against the whole: with all constraints, kept or not. */
function reportAgainstWhole(
  shape: ShapeNode,
  what: string,
  texts: readonly string[],
  value: unknown,
  path: Path,
  problems: Problem[],
): void {
  const text = `${what}: [${texts.join(', ')}]`;
  const constraint: Constraint = { holds: () => false, text, wording: 'echoed' };
  reportConstraints(shape, [constraint], value, path, problems);
}

function elementPath(path: Path, key: string): Path {
  return { echoed: `${path.echoed}.${key}.member`, unechoed: `${path.unechoed}.${key}.member` };
}

interface JsonObject {
  readonly [name: string]: unknown;
}

function mapDecoder(shape: MapNode, position: Position): Decoder {
  const value = compile(shape.value, 'element');
  const decodesToItself = shape.value.kind === 'string' && shape.value.constraints.length === 0;
  const keyHolds = (key: string): boolean =>
    (shape.keyedByTable && looksLikeArn(key)) || allHold(shape.keyConstraints, key);
  return {
    check(json) {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) throw notMap(json, position, shape);
      for (const key in json) {
        const entry = (json as JsonObject)[key];
        if (entry !== null) value.check(entry);
        else delete (json as Record<string, unknown>)[key]; // a null entry is no entry; the body is ours to change
      }
    },
    decode(json, pass) {
      if (!allHold(shape.constraints, json)) pass.violated = true;
      if (decodesToItself) return json;
      // Without a prototype, so that keys such as `__proto__` are keys like others.
      const decoded: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const key in json as JsonObject) {
        const entry = (json as JsonObject)[key];
        if (!keyHolds(key) || !allHold(shape.valueConstraints, entry)) pass.violated = true;
        const decodedKey = shape.keyedByTable && looksLikeArn(key) ? pass.resolveArn(key) : key;
        if (decodedKey in decoded) pass.failure ??= tableNamedTwice(decodedKey);
        decoded[decodedKey] = value.decode(entry, pass);
      }
      return decoded;
    },
    report(json, path, problems) {
      const entries = Object.entries(json as JsonObject);
      reportConstraints(shape, shape.constraints, json, path, problems);
      reportEntries(entries.filter(([key]) => !keyHolds(key)).length, 'Map keys', shape.keyConstraints);
      const badValues = entries.filter(([, entry]) => !allHold(shape.valueConstraints, entry)).length;
      reportEntries(badValues, 'Map value', shape.valueConstraints);
      for (const [key, entry] of entries) {
        if (problems.length >= problemsMax) return;
        value.report(entry, elementPath(path, key), problems);
      }

      function reportEntries(count: number, what: string, constraints: readonly Constraint[]): void {
        const texts = constraints.map((constraint) => constraint.text);
        for (let done = 0; done < Math.min(count, problemsMax); done += 1) {
          reportAgainstWhole(shape, `${what} must satisfy constraint`, texts, json, path, problems);
        }
      }
    },
  };
}

/** Assumed: what the service answers when one request speaks of a table by its name and by its ARN is not known. */
function tableNamedTwice(name: string): ValidationException {
  return new ValidationException(`One or more parameter values were invalid: Table ${name} is named more than once`);
}

interface CompiledMember {
  readonly name: string;
  readonly wireName: string;
  readonly node: MemberNode;
  readonly decoder: Decoder;
}

function structureDecoder(shape: StructureNode, position: Position): Decoder {
  const members = shape.members.map((node): CompiledMember => {
    return { name: node.name, wireName: wireName(node.name), node, decoder: compile(node.shape) };
  });
  const decoders = new Map(members.map((member) => [member.wireName, member.decoder]));
  return {
    check(json) {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) {
        throw notStructure(json, position, shape.name);
      }
      // Members that the shape does not know are passed over, as the service does.
      for (const name in json) {
        const value = (json as JsonObject)[name];
        if (value !== null) decoders.get(name)?.check(value);
      }
    },
    decode(json, pass) {
      const decoded: Record<string, unknown> = {};
      for (const member of members) {
        const value = (json as JsonObject)[member.wireName];
        if (value !== undefined && value !== null) decoded[member.name] = member.decoder.decode(value, pass);
        else if (member.node.required) pass.violated = true;
      }
      return decoded;
    },
    report(json, path, problems) {
      for (const member of members) {
        if (problems.length >= problemsMax && path.echoed !== '') return;
        const memberPath = childPath(path, member.wireName);
        const value = (json as JsonObject)[member.wireName];
        if (value !== undefined && value !== null) member.decoder.report(value, memberPath, problems);
        else if (member.node.required) problems.push(missing(member.node, memberPath));
      }
    },
  };
}

function childPath(path: Path, name: string): Path {
  if (path.echoed === '') return { echoed: messageName(name), unechoed: name };
  return { echoed: `${path.echoed}.${messageName(name)}`, unechoed: `${path.unechoed}.${name}` };
}

function missing(member: MemberNode, path: Path): Problem {
  if (member.missingMessage !== undefined) return { text: member.missingMessage, alone: 'plain' };
  return {
    text: `Value null at '${path.echoed}' failed to satisfy constraint: Member must not be null`,
    alone: undefined,
  };
}
