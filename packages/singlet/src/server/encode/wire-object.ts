import { StoredItem } from '../../engine/index.ts';
import type { Shape, ShapeNode, StructureNode } from '../shapes/shape.ts';
import { wireName } from '../shapes/wire-name.ts';

/** Turns a result of the engine into an object in wire form. */
export type ToWireObject<T> = (value: T) => object;

/**
 * Compiles a shape for callers in this process. The object is what `JSON.parse` would make of the encoded answer, with one
 * difference that shows only in time: stored items are decoded when somebody looks at them.
 */
export function compileWireObject<T>(shape: Shape<T>): ToWireObject<T> {
  const convert = compile(shape);
  return (value) => convert(value) as object; // results are structures
}

/** Converts a value of the type that its shape decodes to, which is why the casts below hold. */
type Convert = (value: unknown) => unknown;

interface Values {
  readonly [name: string]: unknown;
}

function compile(shape: ShapeNode): Convert {
  switch (shape.kind) {
    case 'item':
      return (value) => (value instanceof StoredItem ? value.toMap() : value);
    case 'list': {
      const convert = compile(shape.element);
      return (value) => (value as readonly unknown[]).map(convert);
    }
    case 'map': {
      const convert = compile(shape.value);
      return (value) =>
        Object.fromEntries(Object.entries(value as Values).map(([name, entry]) => [name, convert(entry)]));
    }
    case 'structure':
      return structureConverter(shape);
    case 'string':
    case 'tableName':
    case 'attributeValue':
    case 'attributeMap':
    case 'boolean':
    case 'integer':
    case 'long':
    case 'double':
      return (value) => value;
  }
}

function structureConverter(shape: StructureNode): Convert {
  const members = shape.members.map(({ name, shape: member }) => ({
    name,
    wire: wireName(name),
    holdsItems: holdsItems(member),
    convert: compile(member),
  }));
  return (value) => {
    const object: Record<string, unknown> = {};
    for (const { name, wire, holdsItems: isLazy, convert } of members) {
      const entry = (value as Values)[name];
      if (entry === undefined) continue;
      if (isLazy) defineLazily(object, wire, () => convert(entry));
      else object[wire] = convert(entry);
    }
    return object;
  };
}

/** An ordinary property from the first look on. */
function defineLazily(object: object, name: string, make: () => unknown): void {
  Object.defineProperty(object, name, {
    enumerable: true,
    configurable: true,
    get() {
      const value = make();
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  });
}

function holdsItems(shape: ShapeNode): boolean {
  switch (shape.kind) {
    case 'item':
      return true;
    case 'list':
      return holdsItems(shape.element);
    case 'map':
      return holdsItems(shape.value);
    default:
      return false;
  }
}
