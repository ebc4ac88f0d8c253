import { StoredItem } from '../../engine/index.ts';
import type { Shape, ShapeNode, StructureNode } from '../shapes/shape.ts';
import { wireName } from '../shapes/wire-name.ts';

/** Turns a result of the engine into an object in wire form. */
export type ToWireObject<T> = (value: T) => object;

/**
 * Compiles a shape for callers in this process. The object is what `JSON.parse` would make of the encoded answer, with one
 * difference that shows only in time: stored items are decoded when they are read. The fast path of encoding an answer
 * and parsing it, with the same object (`direct-call.test.ts`).
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
    case 'itemInput':
    case 'boolean':
    case 'integer':
    case 'long':
    case 'double':
      return (value) => value;
  }
}

function structureConverter(shape: StructureNode): Convert {
  const members = shape.members.map(({ name, shape: member }) => {
    const convert = compile(member);
    const wire = wireName(name);
    return { name, wire, convert, lazily: holdsItems(member) ? lazyProperty(name, wire, convert) : undefined };
  });
  return (value) => {
    const object: Record<string, unknown> = {};
    for (const { name, wire, convert, lazily } of members) {
      const entry = (value as Values)[name];
      if (entry === undefined) continue;
      if (lazily === undefined) {
        object[wire] = convert(entry);
      } else {
        Source.attach(object, name, entry);
        Object.defineProperty(object, wire, lazily);
      }
    }
    return object;
  };
}

/** An ordinary property after its first read. One descriptor serves all objects: making one for each takes far longer. */
function lazyProperty(name: string, wire: string, convert: Convert): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: object) {
      const value = convert(Source.take(this, name));
      Object.defineProperty(this, wire, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  };
}

/** A constructor that returns the given object: classes that extend it add their private members to that object. */
const Given = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/**
 * The source of an answer's properties until they are read, kept where reading does not reveal it. After the read it is
 * released: the memory of an item that was read is shared with its neighbours.
 */
class Source extends Given {
  #values: Record<string, unknown> = {};

  static attach(object: object, name: string, value: unknown): void {
    const source = #values in object ? object : new Source(object);
    source.#values[name] = value;
  }

  /** Called once for each name. */
  static take(object: object, name: string): unknown {
    const values = (object as Source).#values;
    const value = values[name];
    values[name] = undefined;
    return value;
  }
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
