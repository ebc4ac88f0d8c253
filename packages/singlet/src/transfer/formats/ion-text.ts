import type * as Ion from 'ion-js';
import {
  type AttributeMap,
  type AttributeValue,
  setAttribute,
  typeTag,
  type MutableAttributeMap,
} from '../../values/attribute-value.ts';
import { decodeBase64, encodeBase64 } from '../../values/base64.ts';
import { serviceLimits } from '../../values/limits.ts';
import { recordOf } from './dynamodb-json.ts';
import { FormatError, messageOf } from './format-error.ts';
import { ionStructs, type IonStructText } from './ion-boundaries.ts';
import type { ItemRecord } from './item-record.ts';
import { loadPackage } from '../../values/missing-package.ts';

/*
 * Items as Ion text, the way exports write and imports read them:
 *
 *     $ion_1_0 {Item:{Id:103.,Title:"Book 103",Tags:$dynamodb_SS::["a","b"]}}
 *
 * | attribute | Ion                                                       |
 * |-----------|-----------------------------------------------------------|
 * | S, BOOL   | string, bool                                              |
 * | N         | decimal (an int is read, too)                             |
 * | B         | blob                                                      |
 * | L, M      | list, struct                                              |
 * | SS NS BS  | list, annotated `$dynamodb_SS`, `$dynamodb_NS`, `$dynamodb_BS` |
 * | NULL      | null                                                      |
 *
 * See the Developer Guide, "DynamoDB table export output format".
 */

type IonLibrary = typeof Ion;

/**
 * Reads Ion text, struct by struct.
 *
 * @param recordBytesMax - the maximum size of one struct's text.
 * @throws {FormatError} at the first struct that is not an item.
 */
export async function* readIon(chunks: AsyncIterable<Uint8Array>, recordBytesMax: number): AsyncGenerator<ItemRecord> {
  const ion = await loadIon('Reading Ion');
  for await (const struct of ionStructs(chunks, recordBytesMax)) {
    const json = parseStruct(ion, struct);
    if (json !== undefined) yield recordOf(json, struct.line);
  }
}

async function loadIon(use: string): Promise<IonLibrary> {
  return loadPackage(use, () => import('ion-js'));
}

/** @returns a function that formats one item as a line, including its end. */
export async function ionLineWriter(): Promise<(item: AttributeMap) => string> {
  const ion = await loadIon('Writing Ion');
  return (item) => {
    const writer = ion.makeTextWriter();
    writer.stepIn(ion.IonTypes.STRUCT);
    writer.writeFieldName('Item');
    writeValue(ion, writer, { M: item });
    writer.stepOut();
    writer.close();
    return `$ion_1_0 ${Buffer.from(writer.getBytes()).toString('utf8')}\n`;
  };
}

function writeValue(ion: IonLibrary, writer: Ion.Writer, value: AttributeValue): void {
  if ('S' in value) writer.writeString(value.S);
  else if ('N' in value) writer.writeDecimal(decimalOf(ion, value.N));
  else if ('B' in value) writer.writeBlob(decodeBase64(value.B));
  else if ('BOOL' in value) writer.writeBoolean(value.BOOL);
  else if ('NULL' in value) writer.writeNull(ion.IonTypes.NULL);
  else if ('M' in value) {
    writer.stepIn(ion.IonTypes.STRUCT);
    for (const name in value.M) {
      writer.writeFieldName(name);
      writeValue(ion, writer, value.M[name] as AttributeValue); // a name of the map
    }
    writer.stepOut();
  } else {
    const tag = typeTag(value);
    if (tag !== 'L') writer.setAnnotations([`$dynamodb_${tag}`]);
    writer.stepIn(ion.IonTypes.LIST);
    for (const element of elementsOf(value)) writeValue(ion, writer, element);
    writer.stepOut();
  }
}

function elementsOf(value: AttributeValue): readonly AttributeValue[] {
  if ('L' in value) return value.L;
  if ('SS' in value) return value.SS.map((S) => ({ S }));
  if ('NS' in value) return value.NS.map((N) => ({ N }));
  return 'BS' in value ? value.BS.map((B) => ({ B })) : [];
}

/** Trailing zeros become an exponent (`600` is `6d2`), as in the service's exports. */
function decimalOf(ion: IonLibrary, canonical: string): Ion.Decimal {
  const [, digits = canonical, zeros = ''] = /^(-?[1-9]\d*?)(0+)$/.exec(canonical) ?? [];
  const decimal = ion.Decimal.parse(zeros === '' ? canonical : `${digits}d${zeros.length}`);
  return decimal ?? ion.Decimal.ZERO;
}

/** The struct as JSON in the form of a line of DynamoDB JSON; undefined if there are only blanks or comments. */
function parseStruct(ion: IonLibrary, { line, bytes }: IonStructText): unknown {
  try {
    const reader = ion.makeReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    const type = reader.next();
    if (type === null) return undefined;
    if (type !== ion.IonTypes.STRUCT || reader.isNull())
      throw new FormatError(line, `a struct was expected, not ${type.name}`);
    const fields = readFields(ion, reader, line);
    if (reader.next() !== null) throw new FormatError(line, 'there is something after the struct');
    return fields;
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError(line, `not Ion text: ${messageOf(cause)}`, { cause });
  }
}

/** Reads the top-level members: the values in `Item` as attribute values, everything else as plain values. */
function readFields(ion: IonLibrary, reader: Ion.Reader, line: number): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  reader.stepIn();
  for (let type = reader.next(); type !== null; type = reader.next()) {
    const name = reader.fieldName() ?? '';
    if (type === ion.IonTypes.STRING && !reader.isNull()) fields[name] = reader.stringValue();
    else if (name === 'ExpressionAttributeNames') fields[name] = readNames(ion, reader, line);
    else fields[name] = contentOf(readValue(ion, reader, type, line, 0));
  }
  reader.stepOut();
  return fields;
}

function contentOf(value: AttributeValue): unknown {
  return 'M' in value ? value.M : value;
}

function readNames(ion: IonLibrary, reader: Ion.Reader, line: number): Readonly<Record<string, string>> {
  const names: [string, string][] = [];
  reader.stepIn();
  for (let type = reader.next(); type !== null; type = reader.next()) {
    if (type !== ion.IonTypes.STRING) throw new FormatError(line, 'ExpressionAttributeNames is not a map of strings');
    names.push([reader.fieldName() ?? '', reader.stringValue() ?? '']);
  }
  reader.stepOut();
  return Object.fromEntries(names);
}

function readValue(
  ion: IonLibrary,
  reader: Ion.Reader,
  type: Ion.IonType,
  line: number,
  depth: number,
): AttributeValue {
  if (depth > serviceLimits.nestingDepthMax + 1) throw new FormatError(line, 'it is nested too deeply');
  if (reader.isNull()) return { NULL: true };
  switch (type) {
    case ion.IonTypes.STRING:
      return { S: reader.stringValue() ?? '' };
    case ion.IonTypes.BOOL:
      return { BOOL: reader.booleanValue() === true };
    case ion.IonTypes.DECIMAL: {
      const decimal = reader.decimalValue() ?? ion.Decimal.ZERO;
      return { N: `${decimal.getCoefficient()}E${decimal.getExponent()}` };
    }
    case ion.IonTypes.INT:
      return { N: String(reader.bigIntValue()) };
    case ion.IonTypes.BLOB:
      return { B: encodeBase64(reader.uInt8ArrayValue() ?? new Uint8Array(0)) };
    case ion.IonTypes.LIST:
      return readList(ion, reader, line, depth);
    case ion.IonTypes.STRUCT: {
      const map: MutableAttributeMap = {};
      reader.stepIn();
      for (let member = reader.next(); member !== null; member = reader.next()) {
        const name = reader.fieldName() ?? '';
        setAttribute(map, name, readValue(ion, reader, member, line, depth + 1));
      }
      reader.stepOut();
      return { M: map };
    }
    default:
      throw new FormatError(line, `Ion type ${type.name} has no attribute type`);
  }
}

function readList(ion: IonLibrary, reader: Ion.Reader, line: number, depth: number): AttributeValue {
  const annotation = reader.annotations().find((name) => name.startsWith('$dynamodb_'));
  const elements: AttributeValue[] = [];
  reader.stepIn();
  for (let type = reader.next(); type !== null; type = reader.next()) {
    elements.push(readValue(ion, reader, type, line, depth + 1));
  }
  reader.stepOut();
  const setOf = <T>(pick: (element: AttributeValue) => T | undefined): readonly T[] =>
    elements.map((element) => {
      const picked = pick(element);
      if (picked === undefined) throw new FormatError(line, `an element of a ${annotation} has another type`);
      return picked;
    });
  switch (annotation) {
    case undefined:
      return { L: elements };
    case '$dynamodb_SS':
      return { SS: setOf((element) => ('S' in element ? element.S : undefined)) };
    case '$dynamodb_NS':
      return { NS: setOf((element) => ('N' in element ? element.N : undefined)) };
    case '$dynamodb_BS':
      return { BS: setOf((element) => ('B' in element ? element.B : undefined)) };
    default:
      throw new FormatError(line, `the annotation ${annotation} is not known`);
  }
}
