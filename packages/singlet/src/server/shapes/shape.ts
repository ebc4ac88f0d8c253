import type { ItemInput, ItemOutput } from '../../engine/index.ts';
import type { AttributeMap, UncheckedAttributeMap, UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { type Constraint, oneOf } from './constraint.ts';

/**
 * Shapes: the structure of a request or an answer on the wire, as data. A shape is compiled once into a decoder
 * (`decoder.ts`) or an encoder (`../encode/encoder.ts`); nothing interprets shapes while a request runs.
 *
 * The type parameter is what the shape decodes to. It exists for the compiler only: a structure's members are keyed by
 * the names of the engine's type, so a member that is misspelled, missing or of another type does not compile.
 *
 * Decision 0007 says why.
 */
export type Shape<T = unknown> = ShapeNode & { readonly [decoded]?: T };

declare const decoded: unique symbol;

export type ShapeNode =
  | StringNode
  | TableNameNode
  | BooleanNode
  | NumberNode
  | ListNode
  | MapNode
  | StructureNode
  | AttributeValueNode
  | AttributeMapNode
  | ItemInputNode
  | ItemNode;

export interface StringNode {
  readonly kind: 'string';
  readonly constraints: readonly Constraint[];
}

/**
 * A table name, or the ARN of a table of the request's account and region, which decodes to the name. The answer
 * names the table as the request did.
 */
export interface TableNameNode {
  readonly kind: 'tableName';
  readonly constraints: readonly Constraint[];
}

export interface BooleanNode {
  readonly kind: 'boolean';
}

export interface NumberNode {
  readonly kind: 'integer' | 'long' | 'double';
  readonly constraints: readonly Constraint[];
}

export interface ListNode {
  readonly kind: 'list';
  readonly element: ShapeNode;
  readonly constraints: readonly Constraint[];
  /** Constraints on scalar elements, which the service reports against the whole list. */
  readonly elementConstraints: readonly Constraint[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly value: ShapeNode;
  readonly constraints: readonly Constraint[];
  /** Present when the keys are names of tables (or their ARNs). */
  readonly byTable: ByTable | undefined;
}

/** The particulars of a map by table. */
export interface ByTable {
  /** Constraints on keys and on values, which the service reports against the whole map. */
  readonly keyConstraints: readonly Constraint[];
  readonly valueConstraints: readonly Constraint[];
  /** How the map is printed when a key or value is refused. */
  readonly echo: 'java' | 'json';
  /** Whether bad keys are reported together with other problems, or only when nothing else is wrong. */
  readonly badKeys: 'with-others' | 'last';
  /** Merges two entries for the same table, one by its name and one by its ARN. */
  readonly join: (first: unknown, second: unknown) => unknown;
}

export interface StructureNode {
  readonly kind: 'structure';
  /** The service's name of the structure, which its messages quote. */
  readonly name: string;
  /** In the order in which the service reports problems. */
  readonly members: readonly MemberNode[];
  /** The order in which the service prints members when it echoes the structure; by default that of `members`. */
  readonly printed: readonly string[] | undefined;
  /** Whether a request with violated constraints is answered in the words of the older validation layer. */
  readonly older: ((json: object) => boolean) | undefined;
  /** Whether the service reads the request with a strict parser, which has its own messages for a required member that is null or missing. */
  readonly isStrict: boolean;
}

/** The particulars of a structure: see {@link StructureNode}. */
interface StructureOptions {
  readonly printed?: readonly string[];
  readonly older?: (json: object) => boolean;
  readonly isStrict?: boolean;
}

export interface MemberNode {
  /** The internal name: `tableName`. */
  readonly name: string;
  readonly shape: ShapeNode;
  readonly required: boolean;
  /** The whole message when a required member is missing, replacing the constraint message. */
  readonly missingMessage: string | undefined;
}

export interface AttributeValueNode {
  readonly kind: 'attributeValue';
}

export interface AttributeMapNode {
  readonly kind: 'attributeMap';
}

/** An item in a request, to be stored unchanged. In the parsed body it is an object, or the text that was taken out. */
export interface ItemInputNode {
  readonly kind: 'itemInput';
}

/** An item in an answer. */
export interface ItemNode {
  readonly kind: 'item';
}

/** A member that must be present. Null counts as absent. */
export interface RequiredMember<T> {
  readonly required: Shape<T>;
  readonly missingMessage?: string;
}

/** Members of a request: members that the engine's type requires must be required here, too. */
export type InputMembers<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? Shape<Exclude<T[K], undefined>> | RequiredMember<Exclude<T[K], undefined>>
    : RequiredMember<T[K]>;
};

/** Members of an answer. Undefined members are omitted. */
export type OutputMembers<T> = {
  readonly [K in keyof T]-?: Shape<Exclude<T[K], undefined>> | RequiredMember<Exclude<T[K], undefined>>;
};

export function required<T>(shape: Shape<T>, missingMessage?: string): RequiredMember<T> {
  return missingMessage === undefined ? { required: shape } : { required: shape, missingMessage };
}

/** A structure of a request. `printed` lists wire names in the order in which the service echoes them. */
export function structure<T extends object>(
  name: string,
  members: InputMembers<T>,
  options: StructureOptions = {},
): Shape<T> {
  return structureNode(name, members, options);
}

/** A structure of an answer. */
export function result<T extends object>(members: OutputMembers<T>): Shape<T> {
  return structureNode('', members, {});
}

function structureNode(
  name: string,
  members: Readonly<Record<string, unknown>>,
  { printed, older, isStrict = false }: StructureOptions,
): StructureNode {
  // The parameter types of `structure` and `result` make every member one of these two.
  const entries = Object.entries(members) as [string, ShapeNode | RequiredMember<unknown>][];
  return {
    kind: 'structure',
    name,
    members: entries.map(([memberName, member]) => memberNode(memberName, member)),
    printed,
    older,
    isStrict,
  };
}

function memberNode(name: string, member: ShapeNode | RequiredMember<unknown>): MemberNode {
  if ('kind' in member) return { name, shape: member, required: false, missingMessage: undefined };
  return { name, shape: member.required, required: true, missingMessage: member.missingMessage };
}

export function string(...constraints: readonly Constraint[]): Shape<string> {
  return { kind: 'string', constraints };
}

export function tableName(...constraints: readonly Constraint[]): Shape<string> {
  return { kind: 'tableName', constraints };
}

/** A string out of a set, in the order in which the service lists the set. */
export function enumeration<const V extends string>(values: readonly V[]): Shape<V> {
  return { kind: 'string', constraints: [oneOf(values)] };
}

/** A string out of a set with its own wording of a violation. */
export function enumerationWith<const V extends string>(
  values: readonly V[],
  wording: (constraint: Constraint) => Constraint,
): Shape<V> {
  return { kind: 'string', constraints: [wording(oneOf(values))] };
}

export const boolean: Shape<boolean> = { kind: 'boolean' };

export function integer(...constraints: readonly Constraint[]): Shape<number> {
  return { kind: 'integer', constraints };
}

export function long(...constraints: readonly Constraint[]): Shape<number> {
  return { kind: 'long', constraints };
}

/** Also for date-times, which are seconds with fractions. */
export const double: Shape<number> = { kind: 'double', constraints: [] };

export function list<T>(element: Shape<T>, ...constraints: readonly Constraint[]): Shape<readonly T[]> {
  return { kind: 'list', element, constraints, elementConstraints: [] };
}

/** A list of strings with constraints on each of them. */
export function listOfStrings(
  elementConstraints: readonly Constraint[],
  ...constraints: readonly Constraint[]
): Shape<readonly string[]> {
  return { kind: 'list', element: string(), constraints, elementConstraints };
}

/** A list of exactly two. */
export function pair<T>(element: Shape<T>): Shape<readonly [T, T]> {
  return { kind: 'list', element, constraints: [], elementConstraints: [] };
}

export function map<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { kind: 'map', value, constraints: [], byTable: undefined };
}

/** A map by table name (or ARN) in a request. */
export function mapByTable<T>(
  value: Shape<T>,
  byTable: Omit<ByTable, 'join'> & { readonly join: (first: T, second: T) => T },
  ...constraints: readonly Constraint[]
): Shape<Readonly<Record<string, T>>> {
  // `value` decoded both of the joined entries.
  return { kind: 'map', value, constraints, byTable: byTable as ByTable };
}

/** A map by table name in an answer. */
export function answerByTable<T>(value: Shape<T>): Shape<Readonly<Record<string, T>>> {
  const byTable: ByTable = {
    keyConstraints: [],
    valueConstraints: [],
    echo: 'java',
    badKeys: 'last',
    join: (first) => first,
  };
  return { kind: 'map', value, constraints: [], byTable };
}

export const attributeValue: Shape<UncheckedAttributeValue> = { kind: 'attributeValue' };

export const attributeMap: Shape<UncheckedAttributeMap> = { kind: 'attributeMap' };

/** An item to be put. */
export const itemInput: Shape<ItemInput> = { kind: 'itemInput' };

/** Attributes in an answer: a key, or a part of an item. */
export const attributes: Shape<AttributeMap> = { kind: 'item' };

/** An item in an answer, as stored or projected. */
export const item: Shape<ItemOutput> = { kind: 'item' };
