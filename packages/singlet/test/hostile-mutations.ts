import * as fc from 'fast-check';
import type { Json } from './hostile-database.ts';
import { anyExpression } from './hostile-expressions.ts';
import { nested, oddNames, strangeValue } from './hostile-values.ts';

/** A mutation of a request, at one of the places in it. */
interface Mutation {
  readonly place: number;
  readonly change: Change;
}

type Change =
  | { readonly kind: 'remove' | 'double' | 'empty' | 'wrap' }
  | { readonly kind: 'replace'; readonly value: Json }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'bury'; readonly levels: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'double', 'empty', 'wrap') }) },
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'replace', value: null }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('replace'), value: fc.oneof(strangeValue, anyExpression) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rename'), name: fc.constantFrom(...oddNames, 'pk', 'Item') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bury'), levels: fc.constantFrom(1, 31, 33, 400) }) },
);

const mutation: fc.Arbitrary<Mutation> = fc.record({ place: fc.nat(), change });

/** A valid request after one to three mutations. */
export function mutated(request: Json): fc.Arbitrary<Json> {
  return fc
    .array(mutation, { minLength: 1, maxLength: 3 })
    .map((mutations) => mutations.reduce<Json>((json, each) => mutate(json, each), request));
}

function mutate(json: Json, { place, change }: Mutation): Json {
  // Counts down over all places of the tree, and changes the one at which it reaches zero.
  const left = { count: place % placeCount(json) };
  return mutateAt(json, left, change);
}

function mutateAt(json: Json, left: { count: number }, change: Change): Json {
  if (Array.isArray(json)) {
    return json.flatMap((element: Json) =>
      left.count-- === 0 ? changedElement(element, change) : [mutateAt(element, left, change)],
    );
  }
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]: [string, Json]) =>
      left.count-- === 0 ? changedMember(name, value, change) : [[name, mutateAt(value, left, change)]],
    ),
  );
}

function changedElement(element: Json, change: Change): readonly Json[] {
  if (change.kind === 'remove') return [];
  return change.kind === 'double' ? [element, element] : [changedValue(element, change)];
}

function changedMember(name: string, value: Json, change: Change): readonly (readonly [string, Json])[] {
  if (change.kind === 'remove') return [];
  if (change.kind === 'rename') return [[change.name, value]];
  if (change.kind === 'double')
    return [
      [name, value],
      [`${name}2`, value],
    ];
  return [[name, changedValue(value, change)]];
}

function changedValue(value: Json, change: Change): Json {
  switch (change.kind) {
    case 'replace':
      return change.value;
    case 'wrap':
      return [value];
    case 'empty':
      return Array.isArray(value) ? [] : typeof value === 'object' ? {} : '';
    case 'bury':
      return nested(change.levels, (inner) => ({ M: { a: inner } }));
    case 'rename':
      return change.name;
    case 'remove':
    case 'double':
      return value;
  }
}

function placeCount(json: Json): number {
  if (typeof json !== 'object' || json === null) return 1;
  const values: readonly Json[] = Object.values(json);
  return values.reduce<number>((sum, value) => sum + placeCountWithin(value), values.length) || 1;
}

function placeCountWithin(json: Json): number {
  if (typeof json !== 'object' || json === null) return 0;
  const values: readonly Json[] = Object.values(json);
  return values.reduce<number>((sum, value) => sum + placeCountWithin(value), values.length);
}
