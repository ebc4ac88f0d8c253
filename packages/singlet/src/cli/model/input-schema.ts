import type { Model } from '@singlet/model';
import type { SchemaShape, shapeOfSchema } from '@singlet/model/bridges';
import { inputShapes, patternInputs } from './pattern-inputs.ts';

/** JSON Schema, version 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type Shape = SchemaShape['shape'];

/**
 * What a pattern takes, as JSON Schema. The schema of an attribute describes itself where its library can (zod, arktype and others do, by
 * `~standard.jsonSchema`); otherwise its shape is described. What JSON cannot hold, such as a set, is not restricted.
 *
 * @param look - `shapeOfSchema`, which is loaded when models are shown.
 */
export function inputSchema(model: Model, pattern: string, look: typeof shapeOfSchema): JsonSchema {
  const described = new Map<Shape, JsonSchema>();
  const shapes = inputShapes(model, pattern, (schema, side) => {
    const { shape: shared, optional } = look(schema, side);
    const shape = { ...shared }; // of this attribute alone
    const own = ownDescription(schema);
    if (own !== undefined) described.set(shape, own);
    return { shape, optional };
  });
  const { many, known } = patternInputs(model, pattern);
  const input = known === undefined ? { type: 'object' } : ofObject(shapes, described);
  return many ? { type: 'array', items: input } : input;
}

function ownDescription(schema: Parameters<typeof shapeOfSchema>[0]): JsonSchema | undefined {
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => JsonSchema };
  };
  try {
    const { $schema: _, ...own } = jsonSchema?.input?.({ target: 'draft-2020-12' }) ?? {};
    return Object.keys(own).length === 0 ? undefined : own;
  } catch {
    return undefined; // the library cannot describe it: a bigint, a date, a set
  }
}

function ofObject(
  fields: Readonly<Record<string, SchemaShape>>,
  described: ReadonlyMap<Shape, JsonSchema>,
): JsonSchema {
  const required = Object.entries(fields).flatMap(([name, { optional }]) => (optional ? [] : [name]));
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { shape }]) => [name, ofShape(shape, described)]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function ofShape(shape: Shape, described: ReadonlyMap<Shape, JsonSchema>): JsonSchema {
  const own = described.get(shape);
  if (own !== undefined) return own;
  switch (shape.kind) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return { type: shape.kind };
    case 'literal':
      return { const: shape.value };
    case 'enum':
      return { enum: shape.values };
    case 'list':
      return { type: 'array', items: ofShape(shape.of, described) };
    case 'record':
      return { type: 'object', additionalProperties: ofShape(shape.of, described) };
    case 'object':
      return ofObject(shape.fields, described);
    case 'union':
      return { anyOf: shape.of.map((each) => ofShape(each, described)) };
    case 'set':
    case 'binary':
    case 'bigint':
    case 'unknown':
      return {};
  }
}
