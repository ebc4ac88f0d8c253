import type { RequestContext } from '../../engine/index.ts';
import type { DynamoError } from '../../values/service-error.ts';
import { ItemText } from '../../values/item-text.ts';
import { SerializationException } from '../serialization-exception.ts';
import { booleanFrom, checkAttributeMap, checkAttributeValue } from './attribute-value-json.ts';
import type { Constraint } from './constraint.ts';
import { checkStrictly } from './strict-parser.ts';
import { notList, notMap, notScalar, notStructure, type Position } from './json-type.ts';
import { renderJson, renderValue } from './render-value.ts';
import type { ByTable, ListNode, MapNode, MemberNode, NumberNode, Shape, ShapeNode, StructureNode } from './shape.ts';
import { looksLikeArn, severalOwners, tableOfArn } from './table-arn.ts';
import { type Path, type Problem, ViolationReport } from './violation-report.ts';
import { messageName, wireName } from './wire-name.ts';

/**
 * Turns the parsed body of a request into the engine's request object.
 *
 * @throws {SerializationException} at the first value of the wrong JSON type, in the order of the body.
 * @throws {ValidationException} with all violated constraints (at most ten) in the order of the shape.
 */
export type Decode<T> = (json: unknown, action: string, context: RequestContext, onTableArn?: OnTableArn) => T;

/** Called for each table that a request names by its ARN. All tables of one request have one owner. */
export type OnTableArn = (tableName: string, arn: string) => void;

/**
 * Compiles a shape. Decoding takes two passes, because the service reports wrong types before anything else: `check`
 * follows the body and throws, `decode` follows the shape, converts and records violations. Only if there are
 * any, `report` words them; valid requests never build a path or a message.
 */
export function compileDecoder<T>(shape: Shape<T>): Decode<T> {
  const decoder = compile(shape);
  const older = shape.kind === 'structure' ? shape.older : undefined;
  const isStrict = shape.kind === 'structure' && shape.isStrict;
  return (json, action, context, onTableArn) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new SerializationException();
    if (isStrict) checkStrictly(json, shape.members);
    decoder.check(json);
    const pass = new DecodePass(action, context, onTableArn);
    const decoded = decoder.decode(json, pass);
    if (pass.violated) {
      const report = new ViolationReport(older?.(json) === true ? 'older' : 'newer');
      decoder.report(json, { echoed: '', unechoed: '' }, report);
      throw report.toError();
    }
    if (pass.failure !== undefined) throw pass.failure;
    // The engine's request type defines the members of a shape, so the decoded members form that request.
    return decoded as T;
  };
}

/** The findings of one decoding. */
class DecodePass {
  violated = false;
  /** The first table ARN that is refused; reported when no constraint is violated. */
  failure: DynamoError | undefined;
  readonly #action: string;
  readonly #context: RequestContext;
  readonly #onTableArn: OnTableArn | undefined;
  #owner: string | undefined;

  constructor(action: string, context: RequestContext, onTableArn: OnTableArn | undefined) {
    this.#action = action;
    this.#context = context;
    this.#onTableArn = onTableArn;
  }

  resolveArn(arn: string): string {
    try {
      const { tableName, accountId } = tableOfArn(arn, this.#action, this.#context);
      this.#noteOwner(accountId);
      this.#onTableArn?.(tableName, arn);
      return tableName;
    } catch (error) {
      this.failure ??= error as DynamoError; // it throws nothing else
      return arn;
    }
  }

  /** A table that is named without its account belongs to the requester. */
  noteName(): void {
    if (this.#context.callerArn !== undefined) this.#noteOwner(this.#context.accountId);
  }

  #noteOwner(accountId: string): void {
    this.#owner ??= accountId;
    if (this.#owner !== accountId) this.failure ??= severalOwners();
  }
}

interface Decoder {
  /** Throws unless the JSON types are right. Never called with null. */
  check(json: unknown): void;
  /** Converts a value that passed `check`. */
  decode(json: unknown, pass: DecodePass): unknown;
  /** Words the violations that `decode` recorded. */
  report(json: unknown, path: Path, report: ViolationReport): void;
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
    case 'itemInput':
      return unconstrained((json) => {
        if (!(json instanceof ItemText)) checkAttributeMap(json, position);
      });
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
    report: (json, path, report) => report.addViolated(shape, constraints, convert(json), path),
  };
}

function allHold(constraints: readonly Constraint[], value: unknown): boolean {
  for (const constraint of constraints) {
    if (!constraint.holds(value)) return false;
  }
  return true;
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
      pass.noteName();
      return name;
    },
    report(json, path, report) {
      if (!looksLikeArn(json as string)) report.addViolated(shape, constraints, json, path);
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

/** Truncates fractions, as Java's parser does. Assumed: a number out of range becomes the nearest in range. */
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
    report(json, path, report) {
      const entries = json as readonly unknown[];
      report.addViolated(shape, shape.constraints, entries, path);
      const refuse = (texts: readonly string[]): void => {
        const what = `Member must satisfy constraint: [${texts.join(', ')}]`;
        report.add({ text: againstWhole(renderValue(shape, entries), path, what) });
      };
      if (entries.some((entry) => entry === null)) refuse(['Member must not be null']);
      else if (!entries.every((entry) => allHold(elementConstraints, entry))) refuse(textsOf(elementConstraints));
      for (const [index, entry] of entries.entries()) {
        if (report.isFull) return;
        if (entry !== null) element.report(entry, elementPath(path, String(index + 1)), report);
      }
    },
  };
}

/** A violation inside a list or map that the service reports for the whole: with all constraints, violated or not. */
function againstWhole(printed: string, path: Path, what: string): string {
  return `Value '${printed}' at '${path.echoed}' failed to satisfy constraint: ${what}`;
}

function textsOf(constraints: readonly Constraint[]): readonly string[] {
  return constraints.map((constraint) => constraint.text);
}

function elementPath(path: Path, key: string): Path {
  return { echoed: `${path.echoed}.${key}.member`, unechoed: `${path.unechoed}.${key}.member` };
}

interface JsonObject {
  readonly [name: string]: unknown;
}

function mapDecoder(shape: MapNode, position: Position): Decoder {
  const { byTable } = shape;
  const value = compile(shape.value, 'element');
  const decodesToItself =
    byTable === undefined && shape.value.kind === 'string' && shape.value.constraints.length === 0;
  return {
    check(json) {
      if (typeof json !== 'object' || json === null || Array.isArray(json)) throw notMap(json, position, shape);
      for (const key in json) {
        const entry = (json as JsonObject)[key];
        if (entry !== null) value.check(entry);
        else delete (json as Record<string, unknown>)[key]; // a null entry is not an entry; the body is ours to change
      }
    },
    decode(json, pass) {
      if (!allHold(shape.constraints, json)) pass.violated = true;
      if (decodesToItself) return json;
      // Without a prototype, so that keys such as `__proto__` are ordinary keys.
      const decoded: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const key in json as JsonObject) {
        const entry = (json as JsonObject)[key];
        const decodedEntry = value.decode(entry, pass);
        if (byTable === undefined) {
          decoded[key] = decodedEntry;
          continue;
        }
        if (!tableKeyHolds(byTable, key) || !allHold(byTable.valueConstraints, entry)) pass.violated = true;
        const isArn = looksLikeArn(key);
        const name = isArn ? pass.resolveArn(key) : key;
        if (!isArn) pass.noteName();
        decoded[name] = name in decoded ? byTable.join(decoded[name], decodedEntry) : decodedEntry;
      }
      return decoded;
    },
    report(json, path, report) {
      report.addViolated(shape, shape.constraints, json, path);
      if (byTable !== undefined) reportByTable(shape, byTable, json as JsonObject, path, report);
      for (const [key, entry] of Object.entries(json as JsonObject)) {
        if (report.isFull) return;
        value.report(entry, elementPath(path, key), report);
      }
    },
  };
}

function tableKeyHolds({ keyConstraints }: ByTable, key: string): boolean {
  return looksLikeArn(key) || allHold(keyConstraints, key);
}

/** Reports the whole map once more for each bad key, and for each bad value. */
function reportByTable(shape: MapNode, byTable: ByTable, json: JsonObject, path: Path, report: ViolationReport): void {
  const { keyConstraints, valueConstraints, echo, badKeys } = byTable;
  const refuse = (what: string, constraints: readonly Constraint[], last: boolean): void => {
    if (report.isFull) return;
    const printed = echo === 'json' ? renderJson(json) : renderValue(shape, json);
    const text = `${what} must satisfy constraint: [${textsOf(constraints).join(', ')}]`;
    report.add({ text: againstWhole(printed, path, text), last });
  };
  for (const key in json) {
    if (!tableKeyHolds(byTable, key)) refuse('Map keys', keyConstraints, badKeys === 'last');
  }
  for (const key in json) {
    if (!allHold(valueConstraints, json[key])) refuse('Map value', valueConstraints, false);
  }
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
      // Members that are not in the shape are ignored, as in the service.
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
    report(json, path, report) {
      for (const member of members) {
        if (report.isFull && path.echoed !== '') return;
        const memberPath = childPath(path, member.wireName);
        const value = (json as JsonObject)[member.wireName];
        if (value !== undefined && value !== null) member.decoder.report(value, memberPath, report);
        else if (member.node.required) report.add(missing(member.node, memberPath));
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
  return { text: `Value null at '${path.echoed}' failed to satisfy constraint: Member must not be null` };
}
