import { SerializationException } from '../serialization-exception.ts';
import type { ShapeNode } from './shape.ts';

/**
 * The texts with which the service refuses JSON of the wrong type. They leak its internals (Java class names, casts), and
 * differ by position: as member of a structure (`field`), or as element of a list or map (`element`).
 * Recorded by the public dynalite suite against the service.
 */
export type Position = 'field' | 'element';

const modelPackage = 'com.amazonaws.dynamodb.v20120810';
const castMessage =
  'class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class ' +
  '(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader ' +
  "'bootstrap')";

/** The name of a scalar in the service's parser. */
function tokenName(json: unknown): string {
  switch (typeof json) {
    case 'boolean':
      return json ? 'TRUE_VALUE' : 'FALSE_VALUE';
    case 'number':
      return json % 1 === 0 ? 'NUMBER_VALUE' : 'DECIMAL_VALUE';
    default:
      return 'STRING_VALUE';
  }
}

/** Where a scalar was expected: String, Boolean, Integer, Long or Double. */
export function notScalar(json: unknown, javaType: string): SerializationException {
  if (Array.isArray(json))
    return new SerializationException(`Unrecognized collection type class java.lang.${javaType}`);
  if (typeof json === 'object') return structureNotExpected();
  if (javaType === 'Boolean' && typeof json === 'string') {
    return new SerializationException('Unexpected token received from parser');
  }
  return new SerializationException(`${tokenName(json)} cannot be converted to ${javaType}`);
}

/** Where a base64 string was expected. */
export function notBlob(json: unknown): SerializationException {
  if (Array.isArray(json)) return new SerializationException('Unrecognized collection type class java.nio.ByteBuffer');
  if (typeof json === 'object') return structureNotExpected();
  return new SerializationException('only base-64-encoded strings are convertible to bytes');
}

/** A string that is not base64. */
export function notBase64(text: string): SerializationException {
  if (text.length % 4 !== 0) {
    return new SerializationException(
      `Base64 encoded length is expected a multiple of 4 bytes but found: ${text.length}`,
    );
  }
  return new SerializationException('Invalid last non-pad Base64 character dectected');
}

export function notList(json: unknown, position: Position): SerializationException {
  if (typeof json === 'object') return structureNotExpected();
  return new SerializationException(position === 'field' ? 'Unexpected field type' : castMessage);
}

export function notMap(json: unknown, position: Position, shape: ShapeNode): SerializationException {
  if (Array.isArray(json)) return new SerializationException(`Unrecognized collection type ${javaTypeName(shape)}`);
  return new SerializationException(position === 'field' ? 'Unexpected field type' : castMessage);
}

export function notStructure(json: unknown, position: Position, name: string): SerializationException {
  if (Array.isArray(json)) {
    return new SerializationException(`Unrecognized collection type class ${modelPackage}.${name}`);
  }
  return new SerializationException(
    position === 'field' ? 'Unexpected field type' : 'Unexpected value type in payload',
  );
}

function structureNotExpected(): SerializationException {
  return new SerializationException('Start of structure or map found where not expected');
}

function javaTypeName(shape: ShapeNode): string {
  switch (shape.kind) {
    case 'structure':
      return `${modelPackage}.${shape.name}`;
    case 'attributeValue':
    case 'item':
      return `${modelPackage}.AttributeValue`;
    case 'list':
      return `java.util.List<${javaTypeName(shape.element)}>`;
    case 'map':
      return `java.util.Map<java.lang.String, ${javaTypeName(shape.value)}>`;
    case 'attributeMap':
    case 'itemInput':
      return `java.util.Map<java.lang.String, ${modelPackage}.AttributeValue>`;
    case 'boolean':
      return 'java.lang.Boolean';
    case 'integer':
      return 'java.lang.Integer';
    case 'long':
      return 'java.lang.Long';
    case 'double':
      return 'java.lang.Double';
    case 'string':
    case 'tableName':
      return 'java.lang.String';
  }
}
