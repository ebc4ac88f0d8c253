import type { RangeRequest } from '@singlet/model/check';
import type { EntityInfo } from '@singlet/model/resolved';
import type { AttributeValue } from '../../values/attribute-value.ts';
import type { AskedPart, AskedRequest, MatchedPattern, RequestMatcher } from '../../inspect/index.ts';
import type { LoadedModel } from './load-models.ts';
import type { DescribedModel } from './described-model.ts';

/*
 * The patterns that a logged request belongs to, by what it asks for: operation, table or index, and the texts of its keys. So it is found for
 * every client, whether or not it uses the toolkit. Where several patterns ask alike, order, filter and changed attributes decide; what they do
 * not decide is answered with all of them.
 */

interface Candidate {
  readonly pattern: MatchedPattern;
  /** How well a request fits; undefined if it does not. */
  readonly fit: (asked: AskedRequest) => number | undefined;
}

/** A model as it was last read. */
interface ReadModel {
  readonly loaded: LoadedModel;
  readonly described: DescribedModel;
}

/** The maximum number of patterns named for one request. */
const namedMax = 5;

/** Finds the patterns of requests in some models. */
export async function requestMatcher(models: readonly ReadModel[]): Promise<RequestMatcher> {
  const { resolve } = await import('@singlet/model/resolved');
  const candidatesOf = (model: ReadModel): readonly Candidate[] =>
    candidatesIn(model, resolve(model.loaded.model).entities);
  const candidates = models.flatMap(candidatesOf);
  return (asked) => {
    let best = -Infinity;
    let found: MatchedPattern[] = [];
    for (const { pattern, fit } of candidates) {
      const score = fit(asked);
      if (score === undefined || score < best) continue;
      if (score > best) found = [];
      best = score;
      if (!found.includes(pattern)) found.push(pattern);
    }
    return found.slice(0, namedMax);
  };
}

function candidatesIn(model: ReadModel, infos: ReadonlyMap<string, EntityInfo>): readonly Candidate[] {
  const { described } = model;
  const entities = described.entities.flatMap((entity): KeyedEntity[] => {
    const form = entity.forms.find(({ place }) => place === 'table');
    if (form === undefined) return [];
    const texts = Object.entries(form.attributes).map(([name, parts]): readonly [string, KeyText] => [
      name,
      new KeyText(parts.map((part) => ('text' in part ? part.text : undefined))),
    ]);
    return [{ name: entity.name, table: described.tables[entity.table] ?? entity.table, type: entity.type, texts }];
  });
  return described.explanations.flatMap(({ pattern: name, ranges, served }) => {
    const pattern = { model: described.name, name };
    if (ranges === undefined) return writeCandidate(model, pattern, { entities, infos });
    const isDescending = served?.order === 'descending';
    return ranges.cases.flatMap(({ requests }) =>
      requests.map((request) => readCandidate(described, pattern, request, isDescending)),
    );
  });
}

function readCandidate(
  { tables, entities }: DescribedModel,
  pattern: MatchedPattern,
  request: RangeRequest,
  isDescending: boolean,
): Candidate {
  const { operation, place, range, filter } = request;
  const isTable = Object.hasOwn(tables, place);
  const ofEntity = entities.find(({ name }) => request.reads.some((read) => read.name === name))?.table ?? '';
  const table = isTable ? tables[place] : (tables[ofEntity] ?? ofEntity);
  const texts = Object.entries({ ...request.partition, ...request.equal }).map(
    ([name, text]): readonly [string, KeyText] => [name, KeyText.parse(text)],
  );
  const ends = range && {
    attribute: range.attribute,
    from: KeyText.parse(range.from),
    to: KeyText.parse(range.to),
  };
  const fitOf = (part: AskedPart): number | undefined => {
    if (part.table !== table || (part.index === undefined) !== isTable) return undefined;
    if (part.index !== undefined && part.index !== place) return undefined;
    if (operation === 'Scan') return Number(part.hasFilter === filter.length > 0);
    const literals = fitTexts(texts, part);
    if (literals === undefined) return undefined;
    const inRange = ends === undefined ? fitNoRange(texts, part) : fitRange(ends, part);
    if (inRange === undefined) return undefined;
    const alike = Number(part.isDescending === isDescending) + Number(part.hasFilter === filter.length > 0);
    return (literals + inRange) * literalWeight + alike;
  };
  return { pattern, fit: (asked) => (asked.operation === operation ? least(asked.parts.map(fitOf)) : undefined) };
}

/** A literal character of a key says more than anything else that is compared. */
const literalWeight = 1_000;

/** The number of literal characters in the texts that fit; undefined if one does not. */
function fitTexts(texts: readonly (readonly [string, KeyText])[], { equal }: AskedPart): number | undefined {
  let literals = 0;
  for (const [name, text] of texts) {
    if (!text.fits(keyText(equal[name]))) return undefined;
    literals += text.literals;
  }
  return literals;
}

/** The pattern reads all sort keys, or names one: the query must not restrict them further. */
function fitNoRange(
  texts: readonly (readonly [string, KeyText])[],
  { operation, ranges, equal }: AskedPart,
): number | undefined {
  if (operation !== 'Query') return 0;
  return ranges.length === 0 && Object.keys(equal).length === texts.length ? 0 : undefined;
}

function fitRange(
  { attribute, from, to }: { readonly attribute: string; readonly from: KeyText; readonly to: KeyText },
  { ranges, equal }: AskedPart,
): number | undefined {
  const exact = keyText(equal[attribute]);
  if (exact !== undefined) return from.fits(exact) && to.fits(exact) ? from.literals : undefined;
  const term = ranges.find(({ attributeName }) => attributeName === attribute);
  if (term === undefined) return undefined;
  const [first, second] = term.operands.map(keyText);
  const lower = /^[<]/.test(term.operator) ? undefined : first;
  const upper = /^[<]/.test(term.operator) ? first : term.operator === 'BETWEEN' ? second : undefined;
  const fits = (lower === undefined || from.fits(lower)) && (upper === undefined || to.reaches(upper));
  return fits ? from.literals : undefined;
}

interface KeyedEntity {
  readonly name: string;
  readonly table: string;
  /** The attribute of an item that says which entity it is, and its value. */
  readonly type: { readonly attribute: string; readonly value: string } | null;
  readonly texts: readonly (readonly [string, KeyText])[];
}

/** The entities whose key has most in common with that of an item: several entities may have keys of one form. */
function entitiesOf(part: AskedPart, entities: readonly KeyedEntity[]): readonly string[] {
  let best = -1;
  let found: string[] = [];
  for (const { name, table, type, texts } of entities) {
    const told = type === null ? undefined : keyText(part.equal[type.attribute]);
    const isOther = table !== part.table || (told !== undefined && told !== type?.value);
    const literals = isOther ? undefined : fitTexts(texts, part);
    if (literals === undefined || literals < best) continue;
    if (literals > best) found = [];
    best = literals;
    found.push(name);
  }
  return found;
}

function writeCandidate(
  { loaded: { model }, described }: ReadModel,
  pattern: MatchedPattern,
  { entities, infos }: { readonly entities: readonly KeyedEntity[]; readonly infos: ReadonlyMap<string, EntityInfo> },
): readonly Candidate[] {
  const verdict = described.check.patterns.find((each) => each.pattern === pattern.name);
  const need = model.patterns[pattern.name];
  const operation = verdict?.served?.operation.split(' then ').at(-1);
  if (verdict === undefined || need === undefined || operation === undefined) return [];
  const expected = (need.transacts === undefined ? [need] : (Object.values(need.transacts) as readonly Need[])).map(
    (each) => expectedWrite(each, infos),
  );
  const fit = (asked: AskedRequest): number | undefined => {
    if (asked.operation !== operation) return undefined;
    let score = 0;
    const met = new Set<ExpectedWrite>();
    for (const part of asked.parts) {
      const written = entitiesOf(part, entities);
      const ways = expected.filter(
        ({ entity, operations }) => written.includes(entity) && operations.includes(part.operation),
      );
      // A transaction may also write guards of unique values, parents and counters.
      if (ways.length === 0) score -= Number(written.length > 0);
      for (const way of ways) {
        if (!met.has(way)) score += literalWeight;
        met.add(way);
        score += part.operation === 'PutItem' ? Number(part.isNew === way.isNew) : setFit(way.sets, part.updated);
      }
    }
    return expected.every((each) => each.isOptional || met.has(each)) && met.size > 0 ? score : undefined;
  };
  return [{ pattern, fit }];
}

type Need = LoadedModel['model']['patterns'][string];

/** What a pattern does to the items of one entity. */
interface ExpectedWrite {
  readonly entity: string;
  readonly operations: readonly string[];
  /** Whether a request may do without it: a list may be empty, and a check may be part of a write of the same item. */
  readonly isOptional: boolean;
  readonly isNew: boolean;
  /** Stored names of the attributes that it always sets. */
  readonly sets: readonly string[];
}

function expectedWrite(need: Need, infos: ReadonlyMap<string, EntityInfo>): ExpectedWrite {
  const { creates, puts, upserts, updates, deletes, checks, sets = [], changes = {} } = need;
  const target = creates ?? puts ?? upserts ?? updates ?? deletes ?? checks;
  const [entity = ''] = [target].flat() as readonly string[];
  return {
    entity,
    operations:
      creates !== undefined || puts !== undefined
        ? ['PutItem']
        : deletes !== undefined
          ? ['DeleteItem']
          : checks === undefined
            ? ['UpdateItem', 'PutItem', 'ConditionCheck'] // of an item that is missing, or without changes
            : ['ConditionCheck'],
    isOptional: Array.isArray(target) || checks !== undefined,
    isNew: creates !== undefined,
    sets: [...sets, ...Object.keys(changes)].map((path) => {
      const name = path.split(/[.[]/)[0] ?? path;
      return infos.get(entity)?.attributes.get(name)?.stored ?? name;
    }),
  };
}

/** How many of the attributes that a pattern sets are set, less those that are not. */
function setFit(set: readonly string[], updated: ReadonlySet<string>): number {
  return set.reduce((sum, name) => sum + (updated.has(name) ? 1 : -1), 0);
}

/** The least of some numbers; undefined if one is missing. */
function least(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce(
    (sum, each) => (sum === undefined || each === undefined ? undefined : Math.min(sum, each)),
    Infinity as number | undefined,
  );
}

/** Texts and numbers as texts; undefined for binary keys, whose templates are not compared. */
function keyText(value: AttributeValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return 'S' in value ? value.S : 'N' in value ? value.N : undefined;
}

/** The text of a key, with variables between its literal parts. */
class KeyText {
  /** The literal texts; between two of them is a variable. */
  readonly #texts: readonly string[];
  readonly literals: number;

  /** @param parts - literal texts, and undefined for a variable. */
  constructor(parts: readonly (string | undefined)[]) {
    const texts = [''];
    for (const part of parts) {
      if (part === undefined) texts.push('');
      else texts[texts.length - 1] += part;
    }
    this.#texts = texts;
    this.literals = texts.reduce((sum, { length }) => sum + length, 0);
  }

  /** @param text - with variables in braces, as `ORDER#{orderId}`. */
  static parse(text: string): KeyText {
    return new KeyText(text.split(/(\{[^{}]*\})/).map((part) => (part.startsWith('{') ? undefined : part)));
  }

  /** Whether a text is of this form. It takes time in proportion to the text's length. */
  fits(text: string | undefined): boolean {
    if (text === undefined) return false;
    const first = this.#texts[0] ?? '';
    const last = this.#texts.at(-1) ?? '';
    if (this.#texts.length === 1) return text === first;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const middle of this.#texts.slice(1, -1)) {
      const found = text.indexOf(middle, at);
      if (found === -1) return false;
      at = found + middle.length;
    }
    return at <= text.length - last.length;
  }

  /** Whether a range up to a text ends where this form does: at any text that begins so, or at the next beginning (`FORK#` and `FORK$`). */
  reaches(text: string): boolean {
    const first = this.#texts[0] ?? '';
    return text.startsWith(first.slice(0, -1)) && text >= first;
  }
}
