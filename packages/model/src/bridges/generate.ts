import { writtenKeys } from '../check/written-keys.ts';
import { counted } from '../check/counted.ts';
import { operationOf, type OperationText } from '../check/operation.ts';
import { estimateCost, type PatternCost } from '../cost/estimate.ts';
import { type Coding, codingOf, storedSchema } from '../entities/codec.ts';
import type { Model } from '../model.ts';
import { ModelError } from '../model-error.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import { sampleValue } from '../samples/sample-value.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo, PatternInfo, ResolvedModel } from '../resolve/resolved.ts';
import { upperFirst } from './draft.ts';
import { isCoerced, shapeOfSchema, type Side } from './shape-of-schema.ts';
import { nameText, scalarText, typeText } from './shape.ts';

/** How a client is generated. */
export interface GenerateOptions {
  /** The module that exports the model, as the generated file imports it: `./shop.model.js`. */
  readonly model: string;
  /** The name it is exported by. */
  readonly exported: string;
}

/** A module and its types. */
export interface GeneratedClient {
  /** The module's code. */
  readonly js: string;
  /** Its declarations. */
  readonly types: string;
}

/**
 * A model's patterns with every type written out: an interface for each entity, input and result, and a `connect` whose type does not
 * refer to the model's. For projects that need faster type checking, and for reading.
 *
 * @throws {ModelError} if the model cannot be run.
 */
export function generateClient(model: Model, { model: from, exported }: GenerateOptions): GeneratedClient {
  const resolved = resolve(model);
  if (resolved.problems.length > 0) throw new ModelError(resolved.problems);
  const head = `// Generated from ${from.replaceAll(/\s+/g, ' ')} by singlet generate. Changes belong there.\n`;
  const js = `${head}import { connect as connectModel } from '@singlet/model';
import { ${exported} } from ${scalarText(from)};

export function connect(options) {
  return connectModel(${exported}, options);
}
`;
  return { js, types: `${head}${typesOf(resolved, `${upperFirst(exported)}Patterns`)}` };
}

const readTypes = ['Cursor', 'Interval', 'ReadCollection', 'ReadCount', 'ReadEach', 'ReadMany', 'ReadOne', 'Write'];

/** The names in a file of declarations, each of which is one thing only. */
class Names {
  readonly #taken = new Set([...readTypes, 'ConnectOptions', 'Date', 'Pick', 'Record', 'Set', 'Uint8Array']);
  readonly #items = new Map<string, string>();
  readonly #inputs = new Map<string, string>();

  constructor(entities: Iterable<string>, patternsName: string) {
    this.#taken.add(patternsName);
    for (const entity of entities) this.#items.set(entity, this.take(entity));
    for (const entity of this.#items.keys()) this.#inputs.set(entity, this.take(`New${upperFirst(entity)}`));
  }

  /** A name that is free: the wanted one, or one that begins with it. */
  take(wanted: string): string {
    let name = wanted.replaceAll(/[^\w$]/g, '_').replace(/^(?=\d)/, '_');
    while (this.#taken.has(name)) name += '_';
    this.#taken.add(name);
    return name;
  }

  /** The type of an entity's items. */
  item(entity: string): string {
    return this.#items.get(entity) ?? 'unknown';
  }

  /** The type of what creates an item. */
  newItem(entity: string): string {
    return this.#inputs.get(entity) ?? 'unknown';
  }
}

function typesOf(resolved: ResolvedModel, patternsName: string): string {
  const declared: string[] = [];
  const names = new Names(resolved.entities.keys(), patternsName);
  for (const entity of resolved.entities.values()) {
    declared.push(declarationText(names.item(entity.name), membersOf(entity, 'output')));
    const managed = new Set([
      entity.rules.lock,
      ...Object.keys(entity.rules.sequence ?? {}),
      ...Object.keys(entity.rules.computed ?? {}),
    ]);
    declared.push(
      declarationText(
        names.newItem(entity.name),
        membersOf(entity, 'input').filter(({ name }) => !managed.has(name)),
      ),
    );
  }
  const costs = new Map(estimateCost(resolved).patterns.map((cost) => [cost.pattern, cost]));
  const functions = [...resolved.patterns.values()].map((pattern) => {
    const { declared: own, type } = signatureOf(pattern, resolved, names);
    declared.push(...own);
    return `${docOf(pattern, writtenKeys(resolved, pattern), costs.get(pattern.name))}  readonly ${nameText(pattern.name)}: ${type};\n`;
  });
  const body = [...declared, `export interface ${patternsName} {\n${functions.join('')}}\n`].join('\n');
  const used = readTypes.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const imports = ['ConnectOptions', ...used].sort();
  const line = `import type { ${imports.join(', ')} } from '@singlet/model';`;
  const imported =
    line.length <= 120 ? line : line.replace('{ ', '{\n  ').replaceAll(', ', ',\n  ').replace(' }', ',\n}');
  return `${imported}

${body}
/** Makes the patterns callable. */
export declare function connect(options: ConnectOptions): ${patternsName};
`;
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** Without members, the type of an object that has none: an empty interface would accept any object. */
function declarationText(name: string, members: readonly Member[]): string {
  if (members.length === 0) return `export type ${name} = Readonly<Record<string, never>>;\n`;
  return `export interface ${name} {\n${members.map((member) => `  ${memberText(member)};\n`).join('')}}\n`;
}

function memberText({ name, type, optional }: Member): string {
  return `${nameText(name)}${optional ? '?' : ''}: ${type}`;
}

function membersOf({ attributes }: EntityInfo, side: Side): Member[] {
  return [...attributes.values()].map(({ name, schema }) => memberOf(name, schema, side));
}

function memberOf(name: string, schema: StandardSchema, side: Side): Member {
  const { type, optional } = typeOf(schema, side);
  return { name, type: optional ? orUndefined(type) : type, optional };
}

/**
 * The type that the application has: that of the codec, if there is one. A codec of zod describes it. Of a pair of functions nothing is known
 * but what they return, of which only a `Date` is certain enough; anything else is `unknown`.
 */
function typeOf(schema: StandardSchema, side: Side): Pick<Member, 'type' | 'optional'> {
  const coding = codingOf(schema);
  const { shape, optional } = shapeOfSchema(storedSchema(schema), side);
  if (coding === undefined)
    return { type: side === 'input' && isCoerced(schema) ? 'unknown' : typeText(shape), optional };
  const described =
    '~standard' in coding ? typeText(shapeOfSchema(coding as unknown as StandardSchema, 'output').shape) : 'unknown';
  const type = isDate(schema, coding) ? 'Date' : described;
  const isNull = shape.kind === 'union' && shape.of.some(({ kind }) => kind === 'null');
  return { type: isNull && type !== 'unknown' ? `${type} | null` : type, optional };
}

function isDate(schema: StandardSchema, { decode }: Coding): boolean {
  const sample = sampleValue('at', storedSchema(schema), { index: 0, at: Date.UTC(2026, 0, 15, 12), random: () => 0 });
  try {
    return sample !== undefined && decode(sample) instanceof Date;
  } catch {
    return false; // the sample is none that the codec takes
  }
}

interface SignatureText {
  readonly declared: readonly string[];
  readonly type: string;
}

function signatureOf(pattern: PatternInfo, resolved: ResolvedModel, names: Names): SignatureText {
  const { need } = pattern;
  if (need.reads !== undefined) return readSignature(pattern, resolved, names);
  const wanted = `${upperFirst(pattern.name)}Input`;
  if (need.transacts === undefined) {
    const { declared, input, result } = writeText(wanted, need, resolved, names);
    return { declared, type: `Write<${input}, ${result}>` };
  }
  const name = names.take(wanted);
  const parts = Object.entries(need.transacts).map(([part, write]) => ({
    part,
    ...writeText(`${upperFirst(pattern.name)}${upperFirst(part)}Input`, write, resolved, names),
  }));
  const members = parts.map(({ part, input }): Member => ({ name: part, type: input, optional: false }));
  return {
    declared: [...parts.flatMap(({ declared }) => declared), declarationText(name, members)],
    type: `Write<${name}, void>`,
  };
}

function writeText(
  wanted: string,
  need: WriteNeed,
  { entities }: ResolvedModel,
  names: Names,
): { readonly declared: readonly string[]; readonly input: string; readonly result: string } {
  const taken = takenMembers(need);
  const whole = need.creates ?? need.puts ?? need.upserts;
  if (whole !== undefined) {
    const entity = typeof whole === 'string' ? whole : whole[0];
    const many = typeof whole !== 'string';
    const item = names.newItem(entity);
    const also = taken.length === 0 ? '' : ` & { ${taken.map(memberText).join('; ')} }`;
    const input = !many ? `${item}${also}` : also === '' ? `readonly ${item}[]` : `readonly (${item}${also})[]`;
    return {
      declared: [],
      input,
      result: need.upserts === undefined ? `${names.item(entity)}${many ? '[]' : ''}` : 'void',
    };
  }
  const changed = need.updates ?? need.deletes ?? need.checks ?? '';
  const many = typeof changed !== 'string';
  const target = many ? changed[0] : changed;
  const entity = entities.get(target);
  const { lock } = entity?.rules ?? {};
  const members = [
    ...[...(need.by ?? []), ...(lock === undefined ? [] : [lock])].map((name) => namedMember([entity], name)),
    ...(need.sets ?? []).map((name) => givenMember(entity, name, false)),
    ...(need.maySet ?? []).map((name) => givenMember(entity, name, true)),
    ...taken,
  ];
  const name = names.take(wanted);
  const read = need.returns === 'new' ? names.item(target) : `${names.item(target)} | undefined`;
  const result =
    need.returns === undefined ? 'void' : need.deletes !== undefined && need.returns === 'new' ? 'void' : read;
  return { declared: [declarationText(name, once(members))], input: many ? `readonly ${name}[]` : name, result };
}

/** One member for each name: two uses of an input have one value. */
function once(members: readonly Member[]): Member[] {
  return members.filter(({ name }, at) => members.findIndex((other) => other.name === name) === at);
}

/** The inputs that are not attributes. What refers to one needs a value: it can be left out only if there is a default. */
function takenMembers({ takes = {} }: WriteNeed): Member[] {
  return Object.entries(takes).map(([name, schema]) => {
    const { type, optional } = givenType(schema);
    return optional && !typeOf(schema, 'output').optional
      ? { name, type: orUndefined(type), optional }
      : { name, type, optional: false };
  });
}

/** What a caller gives for an attribute, which its schema checks. A schema that takes anything yields something more exact. */
function givenType(schema: StandardSchema): Pick<Member, 'type' | 'optional'> {
  const given = typeOf(schema, 'input');
  return given.type === 'unknown' ? typeOf(schema, 'output') : given;
}

/** An attribute that a write sets. Undefined removes one that is optional. */
function givenMember(entity: EntityInfo | undefined, name: string, mayBeLeftOut: boolean): Member {
  const schema = entity?.attributes.get(name)?.schema;
  if (schema === undefined) return { name, type: 'unknown', optional: mayBeLeftOut };
  const { type } = givenType(schema);
  return { name, type: typeOf(schema, 'output').optional ? orUndefined(type) : type, optional: mayBeLeftOut };
}

/** An input that is compared with an attribute of the entities, or with any of several: it has a value of one of them, and not null. */
function namedMember(
  entities: readonly (EntityInfo | undefined)[],
  name: string,
  of: readonly string[] = [name],
): Member {
  return { name, type: withoutNull(typeOfAny(entities, of)), optional: false };
}

/** The type of the attributes' values in the entities that have them. */
function typeOfAny(entities: readonly (EntityInfo | undefined)[], attributes: readonly string[]): string {
  const schemas = entities.flatMap((entity) =>
    attributes.flatMap((each) => entity?.attributes.get(each)?.schema ?? []),
  );
  const types = new Set(schemas.map((schema) => typeOf(schema, 'output').type));
  return types.size === 0 || types.has('unknown') ? 'unknown' : [...types].join(' | ');
}

function withoutNull(type: string): string {
  return type.replaceAll(/ \| null(?= \| |$)|^null \| /g, '');
}

function orUndefined(type: string): string {
  return type === 'unknown' ? type : `${type} | undefined`;
}

function readSignature({ name, need }: PatternInfo, resolved: ResolvedModel, names: Names): SignatureText {
  const { reads = '' } = need;
  const input = names.take(`${upperFirst(name)}Input`);
  const targets =
    typeof reads === 'string'
      ? [reads]
      : Array.isArray(reads)
        ? (reads as readonly string[])
        : Object.values(reads as object)
            .flat()
            .map(String);
  const entities = targets.flatMap((target) => resolved.entities.get(target) ?? []);
  const declared = [declarationText(input, readMembers(need, entities))];
  const chosen = (entity: string): string =>
    need.attributes === undefined
      ? names.item(entity)
      : `Pick<${names.item(entity)}, ${need.attributes
          .filter((each) => resolved.entities.get(entity)?.attributes.has(each))
          .map(scalarText)
          .join(' | ')}>`;
  if (typeof reads === 'string')
    return { declared, type: `${need.each === true ? 'ReadEach' : 'ReadOne'}<${input}, ${chosen(reads)}>` };
  if (need.count === true) return { declared, type: `ReadCount<${input}>` };
  if (Array.isArray(reads)) return { declared, type: `ReadMany<${input}, ${chosen(targets[0] ?? '')}>` };
  const result = names.take(`${upperFirst(name)}Result`);
  const parts = Object.entries(reads as Readonly<Record<string, string | readonly [string]>>).map(
    ([part, target]): Member => ({
      name: part,
      type: typeof target === 'string' ? `${chosen(target)} | undefined` : `${chosen(target[0])}[]`,
      optional: false,
    }),
  );
  const cursor: Member = { name: 'cursor', type: 'Cursor | undefined', optional: false };
  return {
    declared: [...declared, declarationText(result, [...parts, cursor])],
    type: `ReadCollection<${input}, ${result}>`,
  };
}

function readMembers(need: Need, entities: readonly EntityInfo[]): Member[] {
  const { by = [], aka = {}, range, filters = [], among = {} } = need;
  const input = (name: string, of: readonly string[]): Member => {
    const member = namedMember(entities, name, of);
    return among[name] === undefined ? member : { ...member, type: `readonly (${member.type})[]` };
  };
  const may = (member: Member): Member => ({ ...member, type: orUndefined(member.type), optional: true });
  const interval = range === undefined ? [] : [namedMember(entities, range)];
  return once([
    ...by.filter((name) => !Object.hasOwn(aka, name)).map((name) => input(name, [name])),
    ...Object.entries(aka).map(([name, of]) => input(name, [of].flat() as readonly string[])),
    ...interval.map((member) => may({ ...member, type: `Interval<${member.type}>` })),
    ...filters.map((name) => may({ name, type: typeOfAny(entities, [name]), optional: true })),
    ...takenMembers(need),
  ]);
}

/** The text that an editor shows for a pattern: its purpose, the operation with its keys, and the input of a call. */
function docOf(pattern: PatternInfo, keys: readonly string[] = [], cost?: PatternCost): string {
  const operation = operationOf(pattern);
  const { id, note } = pattern.need;
  const purpose = [id, note].filter((part) => part !== undefined).join(': ');
  const lines = [
    ...(purpose === '' ? [] : [purpose, '']),
    ...(operation === undefined ? [] : [operationLine(operation)]),
    ...(operation?.filter === undefined ? [] : [`Filtered by ${operation.filter.join(', ')}.`]),
    ...(keys.length === 0 ? [] : [`Writes ${keys.join('; ')}.`]),
    ...(cost === undefined ? [] : [`Takes about ${unitsText(cost)}.`]),
  ].map((line) => ` * ${line.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')}`.trimEnd());
  return ['/**', ...lines, ' */'].map((line) => `  ${line}\n`).join('');
}

function operationLine({ operation, place, requests, keyCondition, order, limit }: OperationText): string {
  const parts = [
    `${operation} on ${place}`,
    ...(keyCondition === undefined ? [] : [keyCondition]),
    ...(order === undefined ? [] : [order]),
    ...(limit === undefined ? [] : [`${counted(limit, 'item')} a page`]),
    ...(requests === 1 ? [] : [counted(requests, 'request')]),
  ];
  return `${parts.join(', ')}.`;
}

function unitsText({ readUnits, writeUnits }: PatternCost): string {
  const texts = [
    ...(readUnits > 0 ? [counted(readUnits, 'read unit')] : []),
    ...(writeUnits > 0 ? [counted(writeUnits, 'write unit')] : []),
  ];
  return texts.length === 0 ? 'no capacity' : texts.join(' and ');
}
