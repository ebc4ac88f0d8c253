import { StoredItem } from '../../engine/index.ts';
import type { Shape, ShapeNode, StructureNode } from '../shapes/shape.ts';
import { wireName } from '../shapes/wire-name.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import { JsonWriter, type TableArns } from './json-writer.ts';

/** Turns a result of the engine into the JSON bytes of an answer, in which tables are named as in the request. */
export type Encode<T> = (value: T, tableArns?: TableArns) => AnswerBytes;

/** Compiles a shape. Undefined members are omitted; the others are in the order of the shape. */
export function compileEncoder<T>(shape: Shape<T>): Encode<T> {
  const encode = compile(shape);
  return (value, tableArns) => {
    const writer = new JsonWriter(tableArns);
    encode(writer, value);
    return writer.finish();
  };
}

/** Writes a value of the type that its shape decodes to, which is why the casts below hold. */
type Write = (writer: JsonWriter, value: unknown) => void;

interface Values {
  readonly [name: string]: unknown;
}

function compile(shape: ShapeNode): Write {
  switch (shape.kind) {
    case 'tableName':
      return (writer, value) => writeJson(writer, tableAsNamed(writer, value as string));
    case 'string':
    case 'attributeValue':
    case 'attributeMap':
    case 'itemInput':
      return writeJson;
    case 'item':
      return writeItem;
    case 'boolean':
    case 'integer':
    case 'long':
    case 'double':
      return (writer, value) => writer.text(String(value));
    case 'list':
      return listWriter(compile(shape.element));
    case 'map':
      return mapWriter(compile(shape.value), shape.byTable === undefined ? asItIs : tableAsNamed);
    case 'structure':
      return structureWriter(shape);
  }
}

function writeJson(writer: JsonWriter, value: unknown): void {
  writer.text(JSON.stringify(value));
}

function writeItem(writer: JsonWriter, value: unknown): void {
  if (value instanceof StoredItem) writer.bytes(value.bytes, value.start, value.end, value.checksum);
  else writeJson(writer, value);
}

function listWriter(writeElement: Write): Write {
  return (writer, value) => {
    const elements = value as readonly unknown[];
    writer.text('[');
    for (let index = 0; index < elements.length; index += 1) {
      if (index > 0) writer.text(',');
      writeElement(writer, elements[index]);
    }
    writer.text(']');
  };
}

function tableAsNamed(writer: JsonWriter, tableName: string): string {
  return writer.tableArns?.get(tableName) ?? tableName;
}

function asItIs(_writer: JsonWriter, key: string): string {
  return key;
}

function mapWriter(writeValue: Write, keyOf: (writer: JsonWriter, key: string) => string): Write {
  return (writer, value) => {
    let separator = '{';
    for (const [key, entry] of Object.entries(value as Values)) {
      writer.text(`${separator}${JSON.stringify(keyOf(writer, key))}:`);
      writeValue(writer, entry);
      separator = ',';
    }
    writer.text(separator === '{' ? '{}' : '}');
  };
}

function structureWriter(shape: StructureNode): Write {
  const members = shape.members.map(({ name, shape: member }) => {
    const key = `${JSON.stringify(wireName(name))}:`;
    return { name, first: `{${key}`, next: `,${key}`, write: compile(member) };
  });
  return (writer, value) => {
    let empty = true;
    for (const member of members) {
      const entry = (value as Values)[member.name];
      if (entry === undefined) continue;
      writer.text(empty ? member.first : member.next);
      member.write(writer, entry);
      empty = false;
    }
    writer.text(empty ? '{}' : '}');
  };
}
