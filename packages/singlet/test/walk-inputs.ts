import * as sdk from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import { actionNames, actionTable } from '../src/engine/index.ts';
import { operationOf } from '../src/server/operations/index.ts';
import type { ShapeNode, StructureNode } from '../src/server/shapes/shape.ts';
import { wireName } from '../src/server/shapes/wire-name.ts';

/** Where a member of a request is declared: in the SDK, in our shapes, or both. */
export interface KnownMember {
  readonly inSdk: boolean;
  /** In our shape of every action that has the structure. */
  readonly inShape: boolean;
}

/** The members of each structure of a request, by the SDK's name of the structure. */
export type KnownMembers = ReadonlyMap<string, ReadonlyMap<string, KnownMember>>;

/**
 * Walks over the inputs of all actions, in the SDK's schemas and in our shapes side by side. A structure that several actions
 * share is one structure.
 */
export async function inputsOf(): Promise<KnownMembers> {
  const found = new Map<string, Map<string, KnownMember>>();
  for (const action of actionNames) {
    const { input } = await operationOf(action);
    const { api } = actionTable[action];
    const client: Readonly<Record<string, unknown>> = api === 'streams' ? { ...streams } : { ...sdk };
    const operation = client[`${action}$`];
    visit(found, input, Array.isArray(operation) ? schemaOf(operation[inputPlace]) : undefined);
  }
  return found;
}

/*
 * The schemas of the SDK are arrays: kind, namespace, name, traits, and then fields that depend on the kind. A reference is a function that
 * returns a schema, or an array of a schema and its traits; an element type may be a number, a simple type.
 */
const listKind = 1;
const mapKind = 2;
const structureKind = 3;
const namePlace = 2;
const inputPlace = 4;
const listElementPlace = 4;
const mapValuePlace = 5;
const memberNamesPlace = 4;
const memberSchemasPlace = 5;

type Schema = readonly unknown[];

function schemaOf(reference: unknown): Schema | undefined {
  if (typeof reference === 'function') return schemaOf((reference as () => unknown)());
  if (!Array.isArray(reference)) return undefined;
  const schema: Schema = reference;
  return typeof schema[0] === 'number' ? schema : schemaOf(schema[0]);
}

function visit(
  found: Map<string, Map<string, KnownMember>>,
  ours: ShapeNode | undefined,
  theirs: Schema | undefined,
): void {
  const shape = structureIn(ours);
  const schema = structureSchemaIn(theirs);
  if (shape === undefined && schema === undefined) return;
  const name = schema === undefined ? (shape?.name ?? '') : String(schema[namePlace]);
  const inSdk = (schema?.[memberNamesPlace] ?? []) as readonly string[];
  const schemas = (schema?.[memberSchemasPlace] ?? []) as readonly unknown[];
  const inShape = new Map(shape?.members.map((member) => [wireName(member.name), member.shape]));
  const known = found.get(name) ?? new Map<string, KnownMember>();
  found.set(name, known);
  for (const member of new Set([...inSdk, ...inShape.keys()])) {
    const before = known.get(member);
    known.set(member, {
      inSdk: before?.inSdk === true || inSdk.includes(member),
      inShape: before?.inShape !== false && inShape.has(member),
    });
    visit(found, inShape.get(member), inSdk.includes(member) ? schemaOf(schemas[inSdk.indexOf(member)]) : undefined);
  }
}

/** The structure that a list or map of a request contains, or the structure itself. */
function structureIn(shape: ShapeNode | undefined): StructureNode | undefined {
  switch (shape?.kind) {
    case 'structure':
      return shape;
    case 'list':
      return structureIn(shape.element);
    case 'map':
      return structureIn(shape.value);
    default:
      return undefined;
  }
}

function structureSchemaIn(schema: Schema | undefined): Schema | undefined {
  switch (schema?.[0]) {
    case structureKind:
      return schema;
    case listKind:
      return structureSchemaIn(schemaOf(schema[listElementPlace]));
    case mapKind:
      return structureSchemaIn(schemaOf(schema[mapValuePlace]));
    default:
      return undefined;
  }
}
