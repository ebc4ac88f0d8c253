/** A fault in the prover: one piece of its source, and the replacement. */
export interface ProverFault {
  /** The unchecked assumption that the fault introduces. */
  readonly what: string;
  /** Below `src`. */
  readonly file: string;
  /** Code that occurs once, regardless of the formatter's line breaks. */
  readonly code: string;
  readonly becomes: string;
}

const proof = 'proof/read-proof.ts';
const hole = 'keys/hole.ts';
const residual = 'resolve/residual.ts';

/**
 * Faults of the prover, each of which makes it accept a model with wrong answers. `prove` must find each: in the tests with the model
 * of `prover-witnesses.json`, by command (`npm run prove:mutations`) in drawn models.
 */
export const proverFaults: readonly ProverFault[] = [
  {
    what: 'no two values of a primary key are written alike',
    file: proof,
    code: 'if (ends && (exact === true || keeps(piece.name)) && parted === undefined) return [];',
    becomes: 'if (ends) return [];',
  },
  {
    what: 'one index finds an input under each of its names',
    file: proof,
    code: 'if (lost.length === 0) return [];',
    becomes: 'if (lost.length >= 0) return [];',
  },
  {
    what: 'all forms are in the partition of the first',
    file: proof,
    code: 'const other = others.find((each) => first !== undefined && text(each) !== text(first));',
    becomes: 'const other = others.find((each) => each === first);',
  },
  {
    what: 'partition keys are compared without their encoders',
    file: proof,
    code: '[inputs.get(part.name) ?? `?${part.name}`, part.encoding]',
    becomes: '[inputs.get(part.name) ?? `?${part.name}`]',
  },
  {
    what: 'a narrower interval of numbers includes a wider one',
    file: proof,
    code: 'return isFrom && isTo;',
    becomes: 'return isFrom || isTo;',
  },
  {
    what: 'a sparse index holds every item',
    file: proof,
    code: 'if (!open.some((tests) => tests.length === 0) && !exhausts(entity, open))',
    becomes: 'if (forms.length === 0 && all.length === 0)',
  },
  {
    what: 'optional attributes of an index key are there',
    file: proof,
    code: 'if (info.optional && info.fallback === undefined && !tests.some(isPresent))',
    becomes: 'if (tests.length === 0)',
  },
  {
    what: 'forms for some values are forms for all',
    file: proof,
    code: 'domain.values.every(met) &&',
    becomes: 'domain.values.some(met) &&',
  },
  {
    what: 'forms for all values are forms for a missing one',
    file: proof,
    code: '(!missing || met(undefined)) &&',
    becomes: '',
  },
  {
    what: 'a key of a query keeps every value',
    file: proof,
    code: 'if (parted === undefined && (exact === true || isKept(piece.name) || isTested(piece.name))) return [];',
    becomes: 'if (exact !== undefined) return [];',
  },
  {
    what: 'forms lie apart',
    file: proof,
    code: 'const apart = (low: SortBound, high: SortBound): boolean => low === high ||',
    becomes: 'const apart = (low: SortBound, high: SortBound): boolean => low !== undefined ||',
  },
  {
    what: 'a range goes over several forms',
    file: proof,
    code: "if (many.length > 1 && !isOneOrder(many, need)) return [{ code: 'range-not-served',",
    becomes: "if (many.length > 99) return [{ code: 'range-not-served',",
  },
  {
    what: 'a range is over what comes next in the key',
    file: proof,
    code: 'if (partial?.next.name !== range)',
    becomes: 'if (partial === undefined)',
  },
  {
    what: 'what a range is over sorts',
    file: proof,
    code: 'if (why === undefined) return [];',
    becomes: 'if (why === undefined || order !== undefined) return [];',
  },
  {
    what: 'items are in the order of any attribute',
    file: proof,
    code: 'if (partial.next.name !== attribute)',
    becomes: "if (partial.next.name === '')",
  },
  {
    what: 'what an order is of sorts',
    file: proof,
    code: "if (typeof order !== 'string') return [{ code: 'order-not-served', message: order.not",
    becomes: "if (order === undefined) return [{ code: 'order-not-served', message: order.not",
  },
  {
    what: 'the one item of a collection comes first',
    file: proof,
    code: 'if (late === undefined) return [];',
    becomes: "if (late?.part.name !== '') return [];",
  },
  {
    what: 'text is padded as a number is',
    file: hole,
    code: 'if (mixed || shape !== undefined)',
    becomes: 'if (mixed)',
  },
  {
    what: 'no text has a character below what follows it',
    file: hole,
    code: "if (low === undefined) return 'up';",
    becomes: "if (low === undefined || low >= 0) return 'up';",
  },
  {
    what: 'numbers that count as the same sort as texts',
    file: hole,
    code: "return { exact: true, order: { not: `${name} is not text, and ${chain.join(':')} writes it as one` }, ends };",
    becomes: "return { exact: true, order: 'up', ends };",
  },
  {
    what: 'what counts as the same has no character below what follows it',
    file: hole,
    code: 'const order = orderBefore(following, name, imageOf(chain, shape));',
    becomes: "const order = 'up';",
  },
  {
    what: 'times of any form sort as text',
    file: hole,
    code: 'return isTime && time === undefined',
    becomes: 'return isTime && time === undefined && name === undefined',
  },
  {
    what: 'times have whole seconds',
    file: hole,
    code: "return text === 'seconds' || text === 'date' || seconds",
    becomes: 'return true',
  },
  {
    what: 'times have whole days',
    file: hole,
    code: "if ((first === 'date' || first === 'day' || first === 'hour') && text === 'date')",
    becomes: "if (first === 'date' || first === 'day' || first === 'hour')",
  },
  {
    what: 'values of an enumeration have texts of their own',
    file: hole,
    code: 'exact: alike === undefined ? true',
    becomes: 'exact: alike !== null ? true',
  },
  {
    what: 'values of an enumeration sort as text',
    file: hole,
    code: 'other === undefined && order === turned && ends && all.length === values.length ? order',
    becomes: 'other === undefined || order !== undefined ? turned',
  },
  {
    what: 'texts of two lengths have one',
    file: 'keys/domain.ts',
    code: 'const exact = minLength === maxLength && minLength > 0;',
    becomes: 'const exact = minLength > 0;',
  },
  {
    what: 'one beginning that sorts before is enough',
    file: 'proof/key-order.ts',
    code: 'return lows.every(([, high]) => highs.every(([low]) => high < low));',
    becomes: 'return lows.some(([, high]) => highs.some(([low]) => high < low));',
  },
  {
    what: 'inputs that the key does not settle are left out',
    file: residual,
    code: 'if (own.length === 0 || own.some(settled)) continue;',
    becomes: 'if (own.length >= 0) continue;',
  },
  {
    what: 'constants are settled by the key',
    file: residual,
    code: "const known = typeof test !== 'object' && settled(name) && !inputs.has(name);",
    becomes: "const known = typeof test !== 'object';",
  },
  {
    what: 'an input that is also a constant equals it',
    file: residual,
    code: "const known = typeof test !== 'object' && settled(name) && !inputs.has(name);",
    becomes: "const known = typeof test !== 'object' && settled(name);",
  },
  {
    what: 'a value of a primary key ends where the next one begins',
    file: proof,
    code: 'if (ends && (exact === true || keeps(piece.name)) && parted === undefined) return [];',
    becomes: 'if (exact === true || keeps(piece.name)) return [];',
  },
  {
    what: 'no attribute of an index key is null',
    file: proof,
    code: 'if (!domainOf(info.schema).null || tests.some(excludesNull)) return [];',
    becomes: 'return [];',
  },
  {
    what: 'what is there is not null',
    file: proof,
    code: 'return isPresent(test) && isOfConstants(test) && !meets(test, null)',
    becomes: 'return isPresent(test) && isOfConstants(test)',
  },
  {
    what: 'forms that are not chosen are not in the range',
    file: proof,
    code: '.filter((bound) => !live.forms.includes(bound) && live.forms.some((form) => canBeRead(form, bound, live.forms)))',
    becomes: '.filter(() => false)',
  },
  {
    what: 'keys that have an input at one place have one value of it',
    file: proof,
    code: "return typeof part === 'string' || (exact === true && ends);",
    becomes: 'return true;',
  },
  {
    what: 'indexes are merged in any order',
    file: proof,
    code: 'leading === stream ? undefined :',
    becomes: 'leading !== undefined ? undefined :',
  },
  {
    what: 'indexes are merged whatever encoder their keys have',
    file: proof,
    code: 'next.slot.type === theirs.slot.type && partText(next.next) === partText(theirs.next)',
    becomes: 'next.slot.type === theirs.slot.type',
  },
  {
    what: 'values of two schemas sort among each other',
    file: proof,
    code: 'return isKnown && JSON.stringify(domain) === JSON.stringify(domainOf(theirs));',
    becomes: 'return isKnown;',
  },
  {
    what: 'text that is walked sorts as the times in it',
    file: proof,
    code: 'if (isId || !isText) return [];',
    becomes: 'if (isId || !isText || isText) return [];',
  },
  {
    what: 'a read of one item finds one',
    file: proof,
    code: 'if (key.length === 0 || entity.unique.some(hasOneGuard) || entity.rules.generated?.some(has)) return [];',
    becomes: 'if (key.length >= 0) return [];',
  },
  {
    what: 'an item is counted in one index',
    file: proof,
    code: 'if (plan.streams.length > 1) found.push({',
    becomes: 'if (plan.streams.length > 99) found.push({',
  },
  {
    what: 'values of a list are different values',
    file: proof,
    code: 'if (widened !== undefined)',
    becomes: 'if (widened === null)',
  },
  {
    what: 'a list is in the partition key',
    file: proof,
    code: 'if (loose !== undefined)',
    becomes: 'if (loose === null)',
  },
  {
    what: 'partitions of a list are merged in any order',
    file: proof,
    code: 'if (ordered !== undefined && (ordered === attribute || bounds.some(turns)))',
    becomes: "if (ordered === '')",
  },
  {
    what: 'every index has the shard or the unit of time',
    file: proof,
    code: '.filter(({ bounds }) => !bounds.every(isIn))',
    becomes: '.filter(() => false)',
  },
  {
    what: 'a walk is in any order',
    file: proof,
    code: 'if (ordered !== undefined && ordered !== variable.name)',
    becomes: "if (ordered === '')",
  },
  {
    what: 'a condition compares values that are the same',
    file: proof,
    code: 'if (same === undefined) return [];',
    becomes: 'if (same !== null) return [];',
  },
  {
    what: 'an index has what is tested',
    file: proof,
    code: 'if (missing.length === 0) return [];',
    becomes: 'if (missing.length >= 0) return [];',
  },
  {
    what: 'items of several entities have one key',
    file: proof,
    code: 'if (keyText(each) !== keyText(part))',
    becomes: 'if (each === undefined)',
  },
  {
    what: 'a get reads an interval',
    file: proof,
    code: "if (need.range !== undefined) found.push({ code: 'range-not-served', message: `the range is over ${need.range}; a get",
    becomes:
      "if (need.range === '') found.push({ code: 'range-not-served', message: `the range is over ${need.range}; a get",
  },
  {
    what: 'an input that may be in the sort key of two indexes finds both',
    file: proof,
    code: 'if (sorted === undefined) return [];',
    becomes: 'if (sorted !== null) return [];',
  },
  {
    what: 'the one item of a collection is told by inputs',
    file: proof,
    code: 'if (many || (isCollection && part === undefined)) return [];',
    becomes: 'if (many || isCollection) return [];',
  },
  {
    what: 'a filter is an attribute of all that is read',
    file: proof,
    code: '.filter((name) => !entity.attributes.has(name)) .map((name) => ({',
    becomes: '.filter(() => false).map((name) => ({',
  },
  {
    what: 'an attribute has one input',
    file: proof,
    code: 'named.size < 2',
    becomes: 'named.size < 99',
  },
  {
    what: 'a scan of an index finds every item',
    file: proof,
    code: '...coveredByScan(need, plan),',
    becomes: '',
  },
  {
    what: 'a scan has an order, an interval and any result',
    file: proof,
    code: '...ofScan(need, plan),',
    becomes: '',
  },
  {
    what: 'an item has every attribute that an input may be',
    file: proof,
    code: 'inputs.has(name) && (!oneOf.includes(name) || variableNames(partition).includes(name));',
    becomes: 'inputs.has(name);',
  },
  {
    what: 'of copies one is returned',
    file: proof,
    code: '...withoutCopies(pattern),',
    becomes: '',
  },
  {
    what: 'any read keeps to a window',
    file: proof,
    code: '...windowOfWalk(pattern),',
    becomes: '',
  },
  {
    what: 'other items are outside of the range',
    file: 'check/others-within.ts',
    code: 'withinRange(bounds, { entity: other.entity, sort: withChoice(other.sort, choice) })',
    becomes: 'false',
  },
  {
    what: 'an index holds only what declares a key there',
    file: 'check/others-within.ts',
    code: '...impliedResidents(model, place)',
    becomes: '',
  },
  {
    what: 'a condition keeps items out of any index',
    file: 'check/rules/keys.ts',
    code: 'return slots.every(isAnyway)',
    becomes: 'return slots.length < 0',
  },
  {
    what: 'two templates for one key attribute both have an effect',
    file: 'check/rules/keys.ts',
    code: '.find(({ slot }) => slot.template.source !== template.source)',
    becomes: ".find(({ slot }) => slot.template.source === '')",
  },
  {
    what: 'two kinds of items have different keys',
    file: 'check/rules/keys.ts',
    code: 'slotsCanBeEqual([...a.partition, ...a.sort], [...b.partition, ...b.sort], separatorOf(a))',
    becomes: '(a === b)',
  },
  {
    what: 'a guard is not taken for an item',
    file: 'check/rules/keys.ts',
    code: 'if (here.some((entity) => entity.type === type))',
    becomes: "if (type === '')",
  },
  {
    what: 'each entity has a time to live of its own',
    file: 'check/rules/values.ts',
    code: 'if (own === undefined || own === stored) return [];',
    becomes: 'if (own !== null) return [];',
  },
  {
    what: 'only an entity that says so expires',
    file: 'check/rules/values.ts',
    code: 'if (attribute === undefined) return []; return [ { path: `entities.${name}.${attribute.name}`,',
    becomes: 'if (attribute !== null) return []; return [{ path: `entities.${name}`,',
  },
  {
    what: 'forms sort by UTF-16',
    file: 'resolve/reads.ts',
    code: 'return Array.from(prefix, (character) => 1e7 + (character.codePointAt(0) ?? 0)).join();',
    becomes: 'return prefix;',
  },
  {
    what: 'patterns have no flags',
    file: 'keys/schema-parts.ts',
    code: 'if (own instanceof RegExp) found.flags += own.flags;',
    becomes: '',
  },
  {
    what: 'a value is what its checks have seen',
    file: 'keys/schema-parts.ts',
    code: "if (check === 'overwrite' && isChecked) found.replaces = true;",
    becomes: '',
  },
  {
    what: 'metadata checks values',
    file: 'keys/schema-parts.ts',
    code: 'libraryOptions: { metadata: { get: (): undefined => undefined } },',
    becomes: '',
  },
  {
    what: 'a pattern matches from end to end',
    file: 'keys/pattern.ts',
    code: 'if (!reader.atEnd() || !shape.begins || !shape.ends) return anyText;',
    becomes: 'if (!reader.atEnd()) return anyText;',
  },
  {
    what: 'a reference has one separator',
    file: hole,
    code: '&& shape.isBare',
    becomes: '',
  },
  {
    what: 'each value of a list has a partition of its own',
    file: proof,
    code: 'if (shared !== undefined && loose === undefined && widened === undefined)',
    becomes: 'if (shared === null)',
  },
  {
    what: 'nothing follows the unit of a walk in its variable',
    file: 'keys/template.ts',
    code: 'return variable.encoders.at(-1)?.unit;',
    becomes: 'return variable.encoders.find((encoder) => encoder.unit !== undefined)?.unit;',
  },
  {
    what: 'nothing follows a shard in its variable',
    file: 'keys/template.ts',
    code: 'return variable.encoders.at(-1)?.shards;',
    becomes: 'return variable.encoders.find((encoder) => encoder.shards !== undefined)?.shards;',
  },
  {
    what: 'every variable writes values that are the same alike',
    file: proof,
    code: "if (chain === '' || encoding === chain || encoding.startsWith(`${chain}:`)) return undefined;",
    becomes: 'if (chain !== undefined) return undefined;',
  },
  {
    what: 'a local index holds every attribute',
    file: 'resolve/reads.ts',
    code: "(place.kind === 'local' && (need.attributes ?? need.count))",
    becomes: "place.kind === 'local'",
  },
  {
    what: 'digits have the width to which they are padded',
    file: hole,
    code: 'return least === most && most === Number(width) && !has(allButDigits);',
    becomes: 'return !has(allButDigits);',
  },
];
