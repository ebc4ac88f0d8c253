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
    code: 'if (ends && (exact === true || keeps(piece.name))) return [];',
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
    code: 'const other = others.find((each) => text(each) !== text(first));',
    becomes: 'const other = others.find((each) => each === first);',
  },
  {
    what: 'partition keys are compared without their encoders',
    file: proof,
    code: '[inputs.get(part.name) ?? `?${part.name}`, part.encoding]',
    becomes: '[inputs.get(part.name) ?? `?${part.name}`]',
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
    code: 'if (!missing && !domainOf(info.schema).null) return [];',
    becomes: 'if (!domainOf(info.schema).null) return [];',
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
    code: 'if (exact === true || isKept(piece.name) || isTested(piece.name)) return [];',
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
    code: "if (many.length > 1 && !isOneOrder(many)) return [ { code: 'range-not-served',",
    becomes: "if (many.length > 99) return [ { code: 'range-not-served',",
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
    code: "if (typeof order === 'string') return [];",
    becomes: 'if (order !== undefined) return [];',
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
    code: 'if (late !== undefined)',
    becomes: "if (late !== undefined && late.part.name === '')",
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
    code: 'width || above',
    becomes: 'width || !above || above',
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
];
