import { descriptionOptions } from '../keys/schema-parts.ts';
import { storedSchema } from '../entities/codec.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { accepts } from '../schema/validated.ts';

/** What a schema says about its values, as JSON Schema. Members that it does not state are absent. */
export interface JsonSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
}

/** What a schema yields, according to its own description: zod and arktype give JSON Schema, valibot exposes its steps. */
export function describe(schema: StandardSchema): JsonSchema {
  const standard = storedSchema(schema)['~standard'] as StandardSchema['~standard'] & {
    readonly jsonSchema?: { readonly output?: (options: typeof descriptionOptions) => JsonSchema };
  };
  try {
    return standard.jsonSchema?.output?.(descriptionOptions) ?? valibot(schema);
  } catch {
    // Dates, bigints and transforms have no description.
    return {};
  }
}

interface ValibotStep {
  readonly type?: string;
  readonly requirement?: unknown;
  readonly wrapped?: ValibotStep;
  readonly item?: ValibotStep;
  readonly entries?: { readonly [name: string]: ValibotStep };
  readonly options?: readonly unknown[];
  readonly pipe?: readonly ValibotStep[];
}

function valibot(schema: unknown): JsonSchema {
  const step = (schema ?? {}) as ValibotStep;
  if (step.wrapped !== undefined) return valibot(step.wrapped);
  const described: Record<string, unknown> = {};
  if (step.type === 'string' || step.type === 'number' || step.type === 'array' || step.type === 'object')
    described.type = step.type;
  if (step.type === 'picklist') described.enum = step.options;
  if (step.item !== undefined) described.items = valibot(step.item);
  if (step.entries !== undefined)
    described.properties = Object.fromEntries(
      Object.entries(step.entries).map(([name, each]) => [name, valibot(each)]),
    );
  for (const { type = '', requirement } of step.pipe ?? []) {
    const member = valibotBounds[type];
    if (member !== undefined && typeof requirement === 'number')
      for (const name of member) described[name] = requirement;
  }
  return described;
}

const valibotBounds: Readonly<Record<string, readonly (keyof JsonSchema)[]>> = {
  min_value: ['minimum'],
  max_value: ['maximum'],
  multiple_of: ['multipleOf'],
  min_length: ['minLength', 'minItems'],
  max_length: ['maxLength', 'maxItems'],
  length: ['minLength', 'maxLength', 'minItems', 'maxItems'],
};

/**
 * The size in bytes of the largest value that a schema is known to yield. Text is counted with as many three-byte characters as the schema
 * accepts. 0 if the schema has no upper bound.
 */
export function largestBytes(schema: StandardSchema): number {
  return bytesOf(describe(schema), (text) => accepts(schema, text));
}

function bytesOf(of: JsonSchema, takes: (text: string) => boolean): number {
  const values = of.enum ?? (of.const === undefined ? [] : [of.const]);
  if (values.length > 0) return Math.max(...values.map((value) => byteLength(String(value))));
  if (of.anyOf !== undefined) return Math.max(0, ...of.anyOf.map((each) => bytesOf(each, takes)));
  if (of.type === 'string') {
    const { maxLength } = of;
    if (maxLength === undefined || maxLength > textLengthMax) return 0;
    return ['\u6f22', 'x', '0'].map((unit) => unit.repeat(maxLength)).find(takes)?.length === maxLength
      ? maxLength * byteLength(['\u6f22', 'x', '0'].find((unit) => takes(unit.repeat(maxLength))) ?? '')
      : 0;
  }
  // Elements are not tried one by one. For text in lists and maps, a character counts as one byte.
  const inner = (each: JsonSchema): number => bytesOf(each, (text) => text.startsWith('x'));
  if (of.type === 'array') return (of.maxItems ?? 0) * (inner(of.items ?? {}) + 1) + 3;
  if (of.type === 'object')
    return Object.entries(of.properties ?? {}).reduce(
      (sum, [name, each]) => sum + byteLength(name) + inner(each) + 1,
      3,
    );
  return 0;
}

/** Longer text is not tried, because it far exceeds the size of an item. */
const textLengthMax = 16 * 1024 * 1024;

/** The bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
