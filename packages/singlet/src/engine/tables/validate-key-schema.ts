import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { invalidParameter } from './parameter-errors.ts';
import type { AttributeDefinition, KeySchemaElement } from './table-description.ts';

type KeySchemaElements = readonly KeySchemaElement[];

/** The key schema of a table or a local index: HASH, and perhaps RANGE after it. @throws {ValidationException} */
export function checkSimpleKeySchema(keySchema: KeySchemaElements): void {
  const [first, second] = keySchema;
  if (second !== undefined && first?.attributeName === second.attributeName) throw sameName();
  if (first?.keyType !== 'HASH') throw firstIsNoHash();
  if (second !== undefined && second.keyType !== 'RANGE') {
    throw new ValidationException('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type');
  }
}

/** The key schema of a global index: one to four HASH, and up to four RANGE after them. @throws {ValidationException} */
export function checkGlobalIndexKeySchema(keySchema: KeySchemaElements, limits: Limits): void {
  const names = new Set(namesOf(keySchema));
  if (names.size < keySchema.length) {
    throw keySchema.length === 2
      ? sameName()
      : new ValidationException('The KeySchema contains multiple key attributes with the same name');
  }
  if (keySchema[0]?.keyType !== 'HASH') throw firstIsNoHash();
  const firstRange = keySchema.findIndex((element) => element.keyType === 'RANGE');
  if (firstRange !== -1 && keySchema.slice(firstRange).some((element) => element.keyType === 'HASH')) {
    throw invalidParameter('All HASH key attributes must precede RANGE key attributes in the KeySchema');
  }
  for (const keyType of ['HASH', 'RANGE'] as const) {
    const count = keySchema.filter((element) => element.keyType === keyType).length;
    if (count > limits.globalIndexKeyAttributeCountMax) {
      throw invalidParameter(`The KeySchema exceeds the maximum allowed number of ${keyType} key attributes`);
    }
  }
}

/** @throws {ValidationException} when a key attribute has no definition. */
export function checkKeysAreDefined(keySchema: KeySchemaElements, definitions: readonly AttributeDefinition[]): void {
  const keys = namesOf(keySchema);
  const defined = namesOf(definitions);
  if (keys.every((key) => defined.includes(key))) return;
  throw invalidParameter(
    `Some index key attributes are not defined in AttributeDefinitions. Keys: [${keys.join(', ')}], AttributeDefinitions: [${defined.join(', ')}]`,
  );
}

export function namesOf(elements: readonly { readonly attributeName: string }[]): readonly string[] {
  return elements.map(({ attributeName }) => attributeName);
}

function sameName(): ValidationException {
  return new ValidationException('Both the Hash Key and the Range Key element in the KeySchema have the same name');
}

function firstIsNoHash(): ValidationException {
  return new ValidationException('Invalid KeySchema: The first KeySchemaElement is not a HASH key type');
}
