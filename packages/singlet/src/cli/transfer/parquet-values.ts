import type * as Writer from 'hyparquet-writer';
import { decodeBase64 } from '../../values/base64.ts';
import { canonicalizeNumber } from '../../values/decimal.ts';
import type { UncheckedAttributeValue } from '../../values/attribute-value.ts';
import type { ColumnType, ElementType, NumberType } from './column-profile.ts';
import { plainJson } from './plain-json.ts';

type SchemaElement = ConstructorParameters<typeof Writer.ParquetWriter>[0]['schema'][number];

/** The number of digits that fit into the eight bytes of a small decimal. */
const smallDecimalDigitsMax = 18;

/** The elements of a Parquet schema that describe a column. */
export function schemaOf(name: string, type: ColumnType): readonly SchemaElement[] {
  if (type.kind !== 'list') return [{ name, repetition_type: 'OPTIONAL', ...elementOf(type) }];
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...elementOf(type.element) },
  ];
}

function elementOf(type: Exclude<ColumnType, { kind: 'list' }>): Omit<SchemaElement, 'name'> {
  switch (type.kind) {
    case 'int64':
      return { type: 'INT64' };
    case 'double':
      return { type: 'DOUBLE' };
    case 'boolean':
      return { type: 'BOOLEAN' };
    case 'bytes':
      return { type: 'BYTE_ARRAY' };
    case 'text':
    case 'json':
    case 'number text':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
    case 'decimal': {
      const { precision, scale } = type;
      const isSmall = precision <= smallDecimalDigitsMax;
      return {
        ...(isSmall ? { type: 'INT64' } : { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 }),
        converted_type: 'DECIMAL',
        precision,
        scale,
      };
    }
  }
}

/** A value in the writer's form for a column of that type; null for NULL and for absent values. */
export function cellOf(value: UncheckedAttributeValue | undefined, type: ColumnType): unknown {
  if (value === undefined || value.NULL !== undefined) return null;
  switch (type.kind) {
    case 'boolean':
      return value.BOOL;
    case 'bytes':
      return decodeBase64(value.B ?? '');
    case 'text':
      return value.S ?? value.N;
    case 'json':
      return plainJson(value);
    case 'list':
      return listCell(value, type.element);
    default:
      return numberCell(value.N ?? '0', type);
  }
}

function listCell(value: UncheckedAttributeValue, element: ElementType): unknown {
  if (element.kind === 'text') return value.SS;
  if (element.kind === 'bytes') return value.BS?.map(decodeBase64);
  return value.NS?.map((number) => numberCell(number, element));
}

function numberCell(number: string, type: NumberType): unknown {
  const canonical = canonicalizeNumber(number);
  switch (type.kind) {
    case 'int64':
      return BigInt(canonical);
    case 'double':
      return Number(canonical);
    case 'number text':
      return canonical;
    case 'decimal': {
      // A bigint is interpreted as the unscaled value.
      const [integer = '', fraction = ''] = canonical.split('.');
      return BigInt(integer + fraction.padEnd(type.scale, '0'));
    }
  }
}
