import { ItemText } from '../../values/item-text.ts';
import { messageName, wireName } from './wire-name.ts';
import type { ShapeNode, StructureNode } from './shape.ts';

/**
 * How the service prints a refused value: as Java prints collections (`[a, b]`, `{k=v}`) and its own model
 * classes (`KeySchemaElement(attributeName=pk, keyType=HASH)`), in which absent members are `null`.
 */
export function renderValue(shape: ShapeNode, json: unknown): string {
  const printer = new Printer();
  printer.print(shape, json);
  return printer.text;
}

/** As JSON, which is the newer layer's form. */
export function renderJson(json: unknown): string {
  const text = JSON.stringify(json);
  return text.length <= echoCharactersMax ? text : `${text.slice(0, echoCharactersMax)}...`;
}

/**
 * Longest echo, characters. Every attribute value prints as some 160 characters, so a hostile request of 16 MB could
 * otherwise become an answer ten times its size. The service is not known to truncate here.
 */
const echoCharactersMax = 256 * 1024;

interface JsonObject {
  readonly [name: string]: unknown;
}

class Printer {
  text = '';

  print(shape: ShapeNode, json: unknown): void {
    if (this.text.length > echoCharactersMax) return;
    if (json === undefined || json === null) {
      this.#write('null');
      return;
    }
    switch (shape.kind) {
      case 'list':
        this.#list(json, (element) => this.print(shape.element, element));
        return;
      case 'map':
        this.#map(json, (value) => this.print(shape.value, value));
        return;
      case 'structure':
        this.#structure(shape, json as JsonObject);
        return;
      case 'itemInput':
        this.#attributeMap(json instanceof ItemText ? json.toMap() : json);
        return;
      case 'attributeMap':
      case 'item':
        this.#attributeMap(json);
        return;
      case 'attributeValue':
        this.#attributeValue(json as JsonObject);
        return;
      case 'integer':
      case 'long':
      case 'double':
      case 'boolean':
      case 'string':
      case 'tableName':
        this.#write(scalarText(json));
    }
  }

  #write(text: string): void {
    const space = echoCharactersMax - this.text.length;
    if (space < 0) return;
    this.text += text.length <= space ? text : `${text.slice(0, space)}...`;
  }

  #attributeMap(json: unknown): void {
    this.#map(json, (value) => this.#attributeValue(value as JsonObject));
  }

  #list(json: unknown, printElement: (element: unknown) => void): void {
    this.#write('[');
    for (const [index, element] of (json as unknown[]).entries()) {
      if (index > 0) this.#write(', ');
      printElement(element);
    }
    this.#write(']');
  }

  #map(json: unknown, printValue: (value: unknown) => void): void {
    this.#write('{');
    for (const [index, [key, value]] of Object.entries(json as JsonObject).entries()) {
      if (index > 0) this.#write(', ');
      this.#write(`${key}=`);
      printValue(value);
    }
    this.#write('}');
  }

  #structure(shape: StructureNode, json: JsonObject): void {
    const members = new Map(shape.members.map((member) => [wireName(member.name), member.shape]));
    this.#write(`${shape.name}(`);
    for (const [index, name] of (shape.printed ?? [...members.keys()]).entries()) {
      this.#write(`${index > 0 ? ', ' : ''}${messageName(name)}=`);
      const member = members.get(name);
      if (member === undefined) this.#write('null');
      else this.print(member, json[name]);
    }
    this.#write(')');
  }

  #attributeValue(json: JsonObject): void {
    this.#write('AttributeValue(');
    for (const [index, tag] of attributeValueTags.entries()) {
      this.#write(`${index > 0 ? ', ' : ''}${messageName(tag)}=`);
      this.#tag(tag, json[tag]);
    }
    this.#write(')');
  }

  #tag(tag: string, content: unknown): void {
    if (this.text.length > echoCharactersMax) return;
    if (content === undefined || content === null) this.#write('null');
    else if (tag === 'B') this.#write(byteBufferText(content as string));
    else if (tag === 'BS') this.#list(content, (member) => this.#write(byteBufferText(member as string)));
    else if (tag === 'SS' || tag === 'NS') this.#list(content, (member) => this.#write(member as string));
    else if (tag === 'L') this.#list(content, (element) => this.#attributeValue(element as JsonObject));
    else if (tag === 'M') this.#map(content, (value) => this.#attributeValue(value as JsonObject));
    else this.#write(scalarText(content));
  }
}

function scalarText(json: unknown): string {
  return typeof json === 'string' ? json : JSON.stringify(json);
}

/** The members of the service's class, in its order; six of them are always empty. */
const attributeValueTags: readonly string[] = [
  'S',
  'N',
  'B',
  'INT',
  'DECIMAL',
  'DOUBLE',
  'SS',
  'NS',
  'BS',
  'INTSET',
  'DECIMALSET',
  'DOUBLESET',
  'M',
  'L',
  'NULL',
  'BOOL',
];

function byteBufferText(base64: string): string {
  const byteLength = Buffer.byteLength(base64, 'base64');
  return `java.nio.HeapByteBuffer[pos=0 lim=${byteLength} cap=${byteLength}]`;
}
