import { type Domain, domainOf } from '../keys/domain.ts';
import type { ModelProblem } from '../model-error.ts';
import type { Need } from '../patterns/need.ts';
import type { QueryServed, ScanServed } from '../patterns/served.ts';
import { sameVariable, unprovenOf } from '../proof/read-proof.ts';
import { keyVariables } from '../resolve/entities.ts';
import { boundAttributes, formsIn } from '../resolve/reads.ts';
import { resolve } from '../resolve/resolve.ts';
import type { EntityInfo, PatternInfo, PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { guardedAttributes, slotsOf } from '../resolve/slots.ts';
import { accepts } from '../schema/validated.ts';
import { keyTypeOf } from './probe.ts';
import { variablesOf } from './residents.ts';
import { tenantOf } from './tenants.ts';

/** The smallest change of a model that would serve a pattern, as a sentence. */
export function smallestFix(model: ResolvedModel, pattern: PatternInfo, problem: ModelProblem): string | undefined {
  const { need, name } = pattern;
  switch (problem.code) {
    case 'not-projected':
      return projecting(model, pattern);
    case 'fan-out':
      return `Say that the cost is known: \`served.${name}.fanOut\`.`;
    case 'wrong-operation':
      return need.reads === undefined
        ? `Declare what it takes: ${problem.message.replace(/^takes /, '').replace(/; declared.*$/, '')}.`
        : 'Serve a read by `GetItem`, `BatchGetItem` or `{ query: … }`.';
    default:
      return need.reads === undefined ? keyInputs(model, need) : servingRead(model, name, need);
  }
}

/** Projects what an index lacks. */
function projecting(model: ResolvedModel, { name, need }: PatternInfo): string {
  const served = model.model.served[name] as Partial<QueryServed & ScanServed> | undefined;
  const places = [served?.query ?? served?.scan ?? []].flat();
  const read = entitiesRead(need).flatMap((each) => model.entities.get(each) ?? []);
  for (const place of read.flatMap(({ table }) => table.indexes)) {
    if (!places.includes(place.name) || place.project === 'ALL') continue;
    const lacking = [...new Set(read.flatMap((entity) => lackingIn(place, need, entity)))];
    if (lacking.length === 0) continue;
    const type = read.map(({ table }) => table.typeAttribute).find((each) => lacking.includes(each ?? ''));
    const why = type === undefined ? '' : `; ${type} says of which entity an item is`;
    const all = [...(place.project === 'KEYS_ONLY' ? [] : place.project), ...lacking].map((each) => `'${each}'`);
    const less = need.attributes === undefined ? ' Or let the pattern ask for less: `attributes: [...]`.' : '';
    return `${place.name} lacks ${lacking.join(', ')}${why}: \`project: [${all.join(', ')}]\`.${less}`;
  }
  return 'Project what the pattern reads, or let the pattern ask for less: `attributes: [...]`.';
}

/** What an index does not hold of what is read of an entity, as it is stored: attributes, its type, and its expiry. */
function lackingIn(place: PlaceInfo, need: Need, { attributes, rules, table }: EntityInfo): string[] {
  const held = new Set([
    ...[place, table.place].flatMap(slotsOf).map(({ attribute }) => attribute),
    ...(typeof place.project === 'string' ? [] : place.project),
  ]);
  const expires = need.expired === true ? undefined : rules.expires;
  return [...(need.attributes ?? attributes.keys()), table.typeAttribute, expires].flatMap((name) => {
    const stored = name === undefined ? undefined : (attributes.get(name)?.stored ?? name);
    return stored === undefined || held.has(stored) ? [] : [stored];
  });
}

function keyInputs({ entities }: ResolvedModel, need: Need): string | undefined {
  const target = [need.updates].flat()[0] ?? [need.deletes].flat()[0] ?? need.checks;
  const entity = target === undefined ? undefined : entities.get(target);
  if (entity === undefined) return undefined;
  const known = new Set<string>(need.by ?? []);
  const missing = keyVariables(entity).filter((name) => !known.has(name));
  return missing.length === 0 ? undefined : `Let the caller give ${missing.join(' and ')} as well: add it to \`by\`.`;
}

function servingRead(model: ResolvedModel, pattern: string, need: Need): string | undefined {
  const { entities, tables } = model;
  const [target, ...others] = entitiesRead(need);
  const entity = target === undefined ? undefined : entities.get(target);
  if (entity === undefined) return undefined;
  const bound = boundAttributes(need);
  if (typeof need.reads === 'string' && keyVariables(entity).every((name) => bound.has(name)))
    return 'Serve it by `GetItem`.';
  const places = placesOfTable(entity).filter(
    (place) => others.every((other) => hasForm(entities.get(other), place)) && isKnown(entity, place, bound),
  );
  const [known] = places;
  // Inputs beyond the key would select among what is read.
  if (typeof need.reads === 'string' && known?.kind === 'table' && isWithin(keyVariables(entity), entity, bound)) {
    const missing = keyVariables(entity).filter((name) => !bound.has(name));
    return `Let the caller give ${missing.join(' and ')} as well: add it to \`by\`; or read them all, \`reads: ['${entity.name}']\`, by \`{ query: '${known.name}' }\`.`;
  }
  const named = namedIndex(model, pattern, entity);
  const beside = named && besideOthers(model, need, named, bound);
  if (beside !== undefined) return beside;
  const fanOut = Object.values(need.among ?? {}).reduce((product, most) => product * most, 1);
  const serving = places.find(({ name: query }) => serves(model, pattern, { query, ...(fanOut > 1 && { fanOut }) }));
  if (serving !== undefined)
    return `Serve it by \`{ query: '${serving.name}'${fanOut > 1 ? `, fanOut: ${fanOut}` : ''} }\`.`;
  const inputs = inputsOf(model, entity, bound);
  if (inputs.length === 0) return withoutInputs(need, entity);
  const tenant = tenantOf(model, entity.table.name);
  if (tenant !== undefined && !bound.has(tenant)) return `Let the caller give ${tenant} as well: add it to \`by\`.`;
  const table = tables.get(entity.table.name);
  const sort = sortFor(entity, need, inputs);
  // The index that the pattern names, if there is one, and otherwise any that has room.
  const free = [...(named === undefined ? [] : [named]), ...(table?.indexes ?? [])].find(
    (index) => index.kind === 'global' && fits(index, sort, need) && formsIn(entity, index).length === 0,
  );
  const name = free?.name ?? newName(model, pattern, table?.indexes ?? []);
  const layout = sort.number === undefined ? '' : ` with the keys \`['${name}PK', '${sort.number}:N']\``;
  const place = free === undefined ? `Add an index ${name}${layout} to ${entity.table.name}, give` : 'Give';
  const partition = `${prefixOf(entity)}${holes(entity, inputs)}`;
  const key = free?.sort.length === 0 ? `['${partition}']` : `['${partition}', '${sort.template}']`;
  return `${place} ${entity.name} the key \`${name}: ${key}\` and serve the pattern by \`{ query: '${name}' }\`.${ifSeveral(need, entity, bound)}`;
}

/** The index that a pattern says it is served by. */
function namedIndex(model: ResolvedModel, pattern: string, { table }: EntityInfo): PlaceInfo | undefined {
  const query = queryOf(model, pattern);
  return model.tables.get(table.name)?.indexes.find(({ name }) => name === query);
}

function queryOf({ model }: ResolvedModel, pattern: string): QueryServed['query'] | undefined {
  return (model.served[pattern] as Partial<QueryServed> | undefined)?.query;
}

/** A key for an entity that is read with others from an index, in their partition. */
function besideOthers(
  { entities }: ResolvedModel,
  need: Need,
  place: PlaceInfo,
  bound: ReadonlySet<string>,
): string | undefined {
  const read = entitiesRead(need).flatMap((name) => entities.get(name) ?? []);
  const lacking = read.find((entity) => !hasForm(entity, place));
  const other = read.find((entity) => isKnown(entity, place, bound));
  const [form] = other === undefined ? [] : formsIn(other, place);
  if (lacking === undefined || form === undefined || place.kind !== 'global' || place.sort.length > 1) return undefined;
  const shared = variablesOf(form.partition).map(({ name }) => name);
  if (!shared.every((name) => lacking.attributes.has(name))) return undefined;
  const { template } = sortFor(lacking, need, shared);
  const first = need.order === undefined && need.range === undefined ? prefixOf(lacking) : '';
  const templates = [
    ...form.partition.map((slot) => slot.template.source),
    ...(place.sort.length === 0 ? [] : [template.startsWith(first) ? template : `${first}${template}`]),
  ];
  return `Give ${lacking.name} the key \`${place.name}: [${templates.map((each) => `'${each}'`).join(', ')}]\`, beside ${other?.name}.`;
}

/** Whether the inputs of an entity are all among some attributes. */
function isWithin(names: readonly string[], { attributes }: EntityInfo, bound: ReadonlySet<string>): boolean {
  return [...bound].every((name) => !attributes.has(name) || names.includes(name));
}

/** Whether a query would be proven, and its pages filled by one request: the key may lack an input, or have another order. */
function serves({ model }: ResolvedModel, pattern: string, query: QueryServed): boolean {
  const tried = resolve({ ...model, served: { ...model.served, [pattern]: query } }).patterns.get(pattern);
  if (tried?.plan?.kind !== 'query' || unprovenOf(tried).length > 0) return false;
  return tried.need.limit === undefined || tried.plan.streams.every(({ residuals }) => residuals.length === 0);
}

/** What else a read of one item takes whose inputs do not say which one. */
function ifSeveral({ reads }: Need, entity: EntityInfo, bound: ReadonlySet<string>): string {
  const isOne = entity.unique.some((unique) => guardedAttributes(unique).every((name) => bound.has(name)));
  if (typeof reads !== 'string' || isOne) return '';
  const [input = '…'] = bound;
  return ` As several ${entity.name} may have these values, read them all, \`reads: ['${entity.name}']\`, or declare what is unique, \`unique: ['${input}']\`.`;
}

/** What the caller gives, the tenant first, as the keys of its table begin with it. */
function inputsOf(model: ResolvedModel, entity: EntityInfo, bound: ReadonlySet<string>): string[] {
  const tenant = tenantOf(model, entity.table.name);
  return [...bound]
    .filter((name) => entity.attributes.has(name))
    .sort((a, b) => Number(b === tenant) - Number(a === tenant));
}

/** One partition for all items would take all of their writes. */
function withoutInputs({ order, range }: Need, { table }: EntityInfo): string {
  const common = 'Name what the items have in common: add it to `by`, or to `where` with its value';
  if (order !== undefined || range !== undefined) return `${common}.`;
  return `${common}; or read the whole table, with the reason: \`{ scan: '${table.name}', because: '…' }\`.`;
}

/** The name that the pattern has for an index that is not there, or the one after those of the other indexes. */
function newName(model: ResolvedModel, pattern: string, indexes: readonly PlaceInfo[]): string {
  const query = queryOf(model, pattern);
  const known = [...model.tables.values()].flatMap((table) => [table.name, ...table.indexes.map(({ name }) => name)]);
  if (typeof query === 'string' && !known.includes(query)) return query;
  const names = new Set(indexes.map(({ name }) => name));
  for (let i = names.size + 1; ; i++) if (!names.has(`GSI${i}`)) return `GSI${i}`;
}

/** A sort key: its template, and the number that it consists of, if its index is to sort by a number. */
interface SortFix {
  readonly template: string;
  readonly number?: string;
}

/** What the pattern orders by, in a form that sorts, and then what tells its items apart. Keys of an index may be equal. */
function sortFor(entity: EntityInfo, need: Need, inputs: readonly string[]): SortFix {
  const [order] = need.order?.split(' ') ?? [];
  const first = need.range ?? order;
  const ordered = first === undefined || inputs.includes(first) ? undefined : first;
  const prefix = prefixOf(entity);
  const rest = keyVariables(entity).filter(
    (name) => !inputs.includes(name) && name !== ordered && isKeyText(entity, name),
  );
  if (ordered !== undefined && isNumber(entity, ordered) && padded(entity, ordered) === undefined)
    return { template: `{${ordered}}`, number: entity.attributes.get(ordered)?.stored ?? ordered };
  // Any text sorts at the end of a key.
  if (ordered !== undefined && isFreeText(entity, ordered)) return { template: `${prefix}{${ordered}}` };
  const names = [...(ordered === undefined ? [] : [ordered]), ...rest];
  if (names.length === 0) return { template: prefix.slice(0, -entity.table.separator.length) };
  const text = holes(entity, names, { sorted: true });
  // A key of one text may be empty.
  return { template: names.length === 1 && mayBeEmpty(entity, names[0] ?? '') ? `${prefix}${text}` : text };
}

function holes(entity: EntityInfo, names: readonly string[], { sorted = false } = {}): string {
  return names
    .map((name) => `{${sameVariable(entity, name)}${sorted ? encoding(entity, name) : ''}}`)
    .join(entity.table.separator);
}

/** The encoder with which the values of an attribute sort, if they do not as they are. */
function encoding(entity: EntityInfo, name: string): string {
  const { text } = domain(entity, name) ?? {};
  if (text?.isTime === true && text.time === undefined) return ':utc';
  const width = isNumber(entity, name) ? padded(entity, name) : undefined;
  return width === undefined ? '' : `:0${width}`;
}

/** The digits of the largest number; undefined where padding is not enough. */
function padded(entity: EntityInfo, name: string): number | undefined {
  const { number } = domain(entity, name) ?? {};
  if (number === undefined || !number.whole || number.least < 0 || number.most > Number.MAX_SAFE_INTEGER)
    return undefined;
  return String(number.most).length;
}

function isNumber(entity: EntityInfo, name: string): boolean {
  const info = entity.attributes.get(name);
  return info !== undefined && keyTypeOf(info.schema) === 'N';
}

/** A number that cannot be padded does not sort in a text, and is left out of it. */
function isKeyText(entity: EntityInfo, name: string): boolean {
  return !isNumber(entity, name) || padded(entity, name) !== undefined;
}

function isFreeText(entity: EntityInfo, name: string): boolean {
  const { values, text } = domain(entity, name) ?? {};
  return values === undefined && text !== undefined && !text.isTime;
}

function mayBeEmpty(entity: EntityInfo, name: string): boolean {
  const info = entity.attributes.get(name);
  return info !== undefined && accepts(info.schema, '');
}

function domain({ attributes }: EntityInfo, name: string): Domain | undefined {
  const info = attributes.get(name);
  return info === undefined ? undefined : domainOf(info.schema);
}

function prefixOf({ name, table }: EntityInfo): string {
  return `${name.toUpperCase()}${table.separator}`;
}

function entitiesRead({ reads }: Need): string[] {
  if (reads === undefined) return [];
  if (typeof reads === 'string') return [reads];
  return Object.values<string | readonly string[]>(reads).flat();
}

function placesOfTable({ table }: EntityInfo): readonly PlaceInfo[] {
  return [table.place, ...table.indexes];
}

function hasForm(entity: EntityInfo | undefined, place: PlaceInfo): boolean {
  return entity !== undefined && formsIn(entity, place).length > 0;
}

function isKnown(entity: EntityInfo, place: PlaceInfo, bound: ReadonlySet<string>): boolean {
  return formsIn(entity, place).some((form) => {
    const partition = place.kind === 'local' ? entity.key.partition : form.partition;
    return variablesOf(partition).every(({ name }) => bound.has(name));
  });
}

/** Whether an index has room for a key of texts, or sorts by the number. One without a sort key has no order. */
function fits({ partition, sort }: PlaceInfo, { number }: SortFix, { order, range }: Need): boolean {
  const [own] = sort;
  if (partition.length !== 1 || sort.length > 1 || partition[0]?.type !== 'S') return false;
  if (own === undefined) return order === undefined && range === undefined;
  return number === undefined ? own?.type === 'S' : own?.type === 'N' && own.attribute === number;
}
