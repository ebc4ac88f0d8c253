import type { ModelProblem } from '../model-error.ts';
import type { Need } from '../patterns/need.ts';
import { keyVariables } from '../resolve/entities.ts';
import { boundAttributes, formsIn } from '../resolve/reads.ts';
import type { EntityInfo, PatternInfo, PlaceInfo, ResolvedModel } from '../resolve/resolved.ts';
import { variablesOf } from './residents.ts';

/** The smallest change of a model that would serve a pattern, as a sentence. */
export function smallestFix(model: ResolvedModel, pattern: PatternInfo, problem: ModelProblem): string | undefined {
  const { need, name } = pattern;
  switch (problem.code) {
    case 'not-projected':
      return 'Project what the pattern reads, or let the pattern ask for less: `attributes: [...]`.';
    case 'fan-out':
      return `Say that the cost is known: \`served.${name}.fanOut\`.`;
    case 'wrong-operation':
      return need.reads === undefined
        ? `Declare what it takes: ${problem.message.replace(/^takes /, '').replace(/; declared.*$/, '')}.`
        : 'Serve a read by `GetItem`, `BatchGetItem` or `{ query: … }`.';
    default:
      return need.reads === undefined ? keyInputs(model, need) : servingRead(model, need);
  }
}

function keyInputs({ entities }: ResolvedModel, need: Need): string | undefined {
  const target = [need.updates].flat()[0] ?? [need.deletes].flat()[0] ?? need.checks;
  const entity = target === undefined ? undefined : entities.get(target);
  if (entity === undefined) return undefined;
  const known = new Set<string>(need.by ?? []);
  const missing = keyVariables(entity).filter((name) => !known.has(name));
  return missing.length === 0 ? undefined : `Let the caller give ${missing.join(' and ')} as well: add it to \`by\`.`;
}

function servingRead({ entities, tables }: ResolvedModel, need: Need): string | undefined {
  const [target, ...others] = entitiesRead(need);
  const entity = target === undefined ? undefined : entities.get(target);
  if (entity === undefined) return undefined;
  const bound = boundAttributes(need);
  if (typeof need.reads === 'string' && keyVariables(entity).every((name) => bound.has(name)))
    return 'Serve it by `GetItem`.';
  const known = placesOfTable(entity).find(
    (place) => others.every((other) => hasForm(entities.get(other), place)) && isKnown(entity, place, bound),
  );
  if (known !== undefined) return `Serve it by \`{ query: '${known.name}' }\`.`;
  const table = tables.get(entity.table.name);
  const free = table?.indexes.find(
    (index) => index.kind === 'global' && isOverloadable(index) && formsIn(entity, index).length === 0,
  );
  const name = free?.name ?? `GSI${(table?.indexes.length ?? 0) + 1}`;
  const place = free === undefined ? `Add an index ${name} to ${entity.table.name}, give` : 'Give';
  return `${place} ${entity.name} the key \`${name}: [${keyFor(entity, need)}]\` and serve the pattern by \`{ query: '${name}' }\`.`;
}

function keyFor(entity: EntityInfo, need: Need): string {
  const inputs = [...boundAttributes(need)].filter((name) => entity.attributes.has(name));
  const [ordered] = need.order?.split(' ') ?? [];
  const rest = [need.range ?? ordered, ...keyVariables(entity)].filter(
    (name, at, all): name is string => name !== undefined && !inputs.includes(name) && all.indexOf(name) === at,
  );
  const text = (names: readonly string[]): string => names.map((name) => `{${name}}`).join(entity.table.separator);
  const prefix = `${entity.name.toUpperCase()}${entity.table.separator}`;
  return `'${prefix}${text(inputs)}', '${rest.length === 0 ? prefix.slice(0, -1) : text(rest)}'`;
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

function isOverloadable({ partition, sort }: PlaceInfo): boolean {
  return partition.length === 1 && sort.length === 1 && [...partition, ...sort].every(({ type }) => type === 'S');
}
