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
import { shapeOfSchema, type Side } from './shape-of-schema.ts';
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

function typesOf(resolved: ResolvedModel, patternsName: string): string {
  const interfaces: string[] = [];
  for (const entity of resolved.entities.values()) {
    interfaces.push(interfaceText(entity.name, membersOf(entity, 'output')));
    const managed = new Set([
      entity.rules.lock,
      ...Object.keys(entity.rules.sequence ?? {}),
      ...Object.keys(entity.rules.computed ?? {}),
    ]);
    interfaces.push(
      interfaceText(
        newName(entity.name),
        membersOf(entity, 'input').filter(({ name }) => !managed.has(name)),
      ),
    );
  }
  const costs = new Map(estimateCost(resolved).patterns.map((cost) => [cost.pattern, cost]));
  const functions = [...resolved.patterns.values()].map((pattern) => {
    const { declared, type } = signatureOf(pattern, resolved);
    interfaces.push(...declared);
    return `${docOf(pattern, writtenKeys(resolved, pattern), costs.get(pattern.name))}  readonly ${nameText(pattern.name)}: ${type};\n`;
  });
  const body = [...interfaces, `export interface ${patternsName} {\n${functions.join('')}}\n`].join('\n');
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

function interfaceText(name: string, members: readonly Member[]): string {
  if (members.length === 0) return `export interface ${name} {}\n`;
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
  if (coding === undefined) return { type: typeText(shape), optional };
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

function newName(entity: string): string {
  return `New${entity}`;
}

interface SignatureText {
  readonly declared: readonly string[];
  readonly type: string;
}

function signatureOf(pattern: PatternInfo, resolved: ResolvedModel): SignatureText {
  const { need } = pattern;
  if (need.reads !== undefined) return readSignature(pattern, resolved);
  const name = `${upperFirst(pattern.name)}Input`;
  if (need.transacts !== undefined) {
    const parts = Object.entries(need.transacts).map(([part, write]) =>
      writeText(`${upperFirst(pattern.name)}${upperFirst(part)}Input`, write, resolved),
    );
    const members = Object.keys(need.transacts).map((part, i): Member => ({
      name: part,
      type: parts[i]?.input ?? 'unknown',
      optional: false,
    }));
    return {
      declared: [...parts.flatMap(({ declared }) => declared), interfaceText(name, members)],
      type: `Write<${name}, void>`,
    };
  }
  const { declared, input, result } = writeText(name, need, resolved);
  return { declared, type: `Write<${input}, ${result}>` };
}

function writeText(
  name: string,
  need: WriteNeed,
  { entities }: ResolvedModel,
): { readonly declared: readonly string[]; readonly input: string; readonly result: string } {
  const whole = need.creates ?? need.puts ?? need.upserts;
  if (whole !== undefined) {
    const entity = typeof whole === 'string' ? whole : whole[0];
    const many = typeof whole !== 'string';
    const result = need.upserts === undefined ? `${entity}${many ? '[]' : ''}` : 'void';
    return { declared: [], input: many ? `readonly ${newName(entity)}[]` : newName(entity), result };
  }
  const changed = need.updates ?? need.deletes ?? need.checks ?? '';
  const many = typeof changed !== 'string';
  const target = many ? changed[0] : changed;
  const entity = entities.get(target);
  const { lock } = entity?.rules ?? {};
  const required = [...new Set([...(need.by ?? []), ...(need.sets ?? []), ...(lock === undefined ? [] : [lock])])];
  const members = [
    ...required.map((attribute) => attributeMember(entity, attribute, 'as declared')),
    ...(need.maySet ?? []).map((attribute) => attributeMember(entity, attribute, 'optional')),
    ...Object.entries(need.takes ?? {}).map(([input, schema]) => ({
      ...memberOf(input, schema, 'output'),
      optional: false,
    })),
  ];
  const read = need.returns === 'new' ? target : `${target} | undefined`;
  const result =
    need.returns === undefined ? 'void' : need.deletes !== undefined && need.returns === 'new' ? 'void' : read;
  return { declared: [interfaceText(name, members)], input: many ? `readonly ${name}[]` : name, result };
}

/** An input that is an attribute. `required` removes undefined from the type of an optional one. */
function attributeMember(
  entity: EntityInfo | undefined,
  name: string,
  form: 'as declared' | 'required' | 'optional',
): Member {
  const attribute = entity?.attributes.get(name);
  if (attribute === undefined) return { name, type: 'unknown', optional: form === 'optional' };
  const { type, optional } = typeOf(attribute.schema, 'output');
  return { name, type: optional && form !== 'required' ? orUndefined(type) : type, optional: form === 'optional' };
}

function orUndefined(type: string): string {
  return type === 'unknown' ? type : `${type} | undefined`;
}

function readSignature({ name, need }: PatternInfo, resolved: ResolvedModel): SignatureText {
  const { reads = '' } = need;
  const input = `${upperFirst(name)}Input`;
  const targets =
    typeof reads === 'string'
      ? [reads]
      : Array.isArray(reads)
        ? (reads as readonly string[])
        : Object.values(reads as object)
            .flat()
            .map(String);
  const entities = targets.flatMap((target) => resolved.entities.get(target) ?? []);
  const declared = [interfaceText(input, readMembers(need, entities))];
  const chosen = (entity: string): string =>
    need.attributes === undefined
      ? entity
      : `Pick<${entity}, ${need.attributes
          .filter((each) => resolved.entities.get(entity)?.attributes.has(each))
          .map(scalarText)
          .join(' | ')}>`;
  if (typeof reads === 'string')
    return { declared, type: `${need.each === true ? 'ReadEach' : 'ReadOne'}<${input}, ${chosen(reads)}>` };
  if (need.count === true) return { declared, type: `ReadCount<${input}>` };
  if (Array.isArray(reads)) return { declared, type: `ReadMany<${input}, ${chosen(targets[0] ?? '')}>` };
  const result = `${upperFirst(name)}Result`;
  const parts = Object.entries(reads as Readonly<Record<string, string | readonly [string]>>).map(
    ([part, target]): Member => ({
      name: part,
      type: typeof target === 'string' ? `${chosen(target)} | undefined` : `${chosen(target[0])}[]`,
      optional: false,
    }),
  );
  const cursor: Member = { name: 'cursor', type: 'Cursor | undefined', optional: false };
  return {
    declared: [...declared, interfaceText(result, [...parts, cursor])],
    type: `ReadCollection<${input}, ${result}>`,
  };
}

function readMembers(need: Need, entities: readonly EntityInfo[]): Member[] {
  const having = (name: string): EntityInfo | undefined => entities.find(({ attributes }) => attributes.has(name));
  const { by = [], aka = {}, range, filters = [], among = {} } = need;
  const interval = range === undefined ? [] : [attributeMember(having(range), range, 'required')];
  const input = (name: string, attribute: string): Member => {
    const member = { ...attributeMember(having(attribute), attribute, 'required'), name };
    return among[name] === undefined ? member : { ...member, type: `readonly (${member.type})[]` };
  };
  return [
    ...by.map((name) => input(name, name)),
    ...Object.entries(aka).map(([name, of]) => input(name, ([of].flat() as readonly string[])[0] ?? '')),
    ...interval.map((member): Member => ({ ...member, type: `Interval<${member.type}>`, optional: true })),
    ...filters.map((name) => attributeMember(having(name), name, 'optional')),
  ];
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
