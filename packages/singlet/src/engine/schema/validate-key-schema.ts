import { indexOfRepetition } from '../../values/duplicate-elements.ts';
import type { Limits } from '../../values/limits.ts';
import { ValidationException } from '../../values/service-error.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type { AttributeDefinition, KeySchemaElement } from '../catalog/table-description.ts';

type KeySchemaElements = readonly KeySchemaElement[];

/** The key schema of a table or a local index: HASH, optionally followed by RANGE. @throws {ValidationException} */
export function checkSimpleKeySchema(keySchema: KeySchemaElements): void {
  checkNoRepetition(keySchema);
  const [first, second] = keySchema;
  if (first?.keyType !== 'HASH') throw firstIsNoHash();
  if (second !== undefined && second.keyType !== 'RANGE') {
    throw new ValidationException('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type');
  }
}

/** The key schema of a global index: one to four HASH, followed by up to four RANGE. @throws {ValidationException} */
export function checkGlobalIndexKeySchema(keySchema: KeySchemaElements, limits: Limits): void {
  checkNoRepetition(keySchema);
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

/** @throws {ValidationException} if an attribute is in a key twice. */
export function checkNoRepetition(keySchema: KeySchemaElements): void {
  if (new Set(namesOf(keySchema)).size === keySchema.length) return;
  throw keySchema.length === 2
    ? sameName()
    : new ValidationException('The KeySchema contains multiple key attributes with the same name');
}

/** @throws {ValidationException} if a key attribute has no definition. */
export function checkKeysAreDefined(keySchema: KeySchemaElements, definitions: readonly AttributeDefinition[]): void {
  const keys = namesOf(keySchema);
  const defined = definedNamesOf(definitions);
  if (keys.every((key) => defined.has(key))) return;
  throw invalidParameter(
    `Some index key attributes are not defined in AttributeDefinitions. Keys: [${keys.join(', ')}], AttributeDefinitions: [${namesOf(definitions).join(', ')}]`,
  );
}

/** A table or its parts, as far as their keys are concerned. */
interface KeyedTable {
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly keySchema: KeySchemaElements;
  readonly localIndexes: readonly { readonly keySchema: KeySchemaElements }[];
  readonly globalIndexes: readonly { readonly keySchema: KeySchemaElements }[];
}

/**
 * @throws {ValidationException} if a definition gives a different type to an attribute that is already a key of the table. The
 *   form of the text is the service's for vector indexes; assumed to be the same here.
 */
export function checkNotRedefined(table: KeyedTable, definitions: readonly AttributeDefinition[]): void {
  for (const { attributeName, attributeType } of definitions) {
    const known = table.attributeDefinitions.find((definition) => definition.attributeName === attributeName);
    if (known === undefined || known.attributeType === attributeType) continue;
    const keyType = keyTypeOf(table, attributeName);
    const element = (type: string): string => `SchemaElement: key{${attributeName}:${type}:${keyType}}`;
    throw redefined(`Schema:[${element(known.attributeType)}]`, `Schema:[${element(attributeType)}]`);
  }
}

/** The kind of key that an attribute is, in the table or an index; a key of a search schema counts as HASH. */
export function keyTypeOf({ keySchema, localIndexes, globalIndexes }: KeyedTable, attributeName: string): string {
  const elements = [{ keySchema }, ...localIndexes, ...globalIndexes].flatMap((index) => index.keySchema);
  return elements.find((element) => element.attributeName === attributeName)?.keyType ?? 'HASH';
}

export function redefined(existing: string, newSchema: string): ValidationException {
  return invalidParameter(
    `Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: ${existing} New schema: ${newSchema}`,
  );
}

/** @throws {ValidationException} if an attribute is defined twice. */
export function checkDefinedOnce(definitions: readonly AttributeDefinition[]): void {
  const names = namesOf(definitions);
  const duplicate = names[indexOfRepetition(names)];
  if (duplicate !== undefined) throw new ValidationException(`Attribute Name is duplicated: ${duplicate}`);
}

const definedNames = new WeakMap<readonly AttributeDefinition[], ReadonlySet<string>>();

/** The names of the defined attributes, computed once and used to check each index of a request. */
export function definedNamesOf(definitions: readonly AttributeDefinition[]): ReadonlySet<string> {
  let names = definedNames.get(definitions);
  if (names === undefined) definedNames.set(definitions, (names = new Set(namesOf(definitions))));
  return names;
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
