import { generateClient } from '../../src/bridges/generate.ts';
import { type ModelScript, modelOf, modelSource } from './model-script.ts';
import type { PatternCalls } from './typed-calls.ts';
import { valueSource } from './value-source.ts';

/** What a line of a typed file states. */
export interface TypedLine {
  /** The statement: `result of read`, `orders, of which h was left out`. */
  readonly about: string;
  /** Whether the compiler has to accept the line, or to refuse it. */
  readonly compiles: boolean;
}

/** A model and what its calls showed, as TypeScript. */
export interface TypedFile {
  readonly source: string;
  /** By number, from 1. The compiler has to accept all other lines. */
  readonly lines: ReadonlyMap<number, TypedLine>;
}

/** Each helper takes a type or a value that is right, and nothing else. */
const helpers = `
type PatternFunction = (...input: never) => unknown;
type Result<F extends PatternFunction> = Awaited<ReturnType<F>>;
type Input<F extends PatternFunction> = Parameters<F>[0];
type EachItem<F> = F extends { each(input: never): AsyncIterableIterator<infer I> } ? I : never;
declare function value<T>(of: T): void;
declare function holds<T extends 'right'>(): void;
type Plain = string | number | boolean | bigint | null | undefined | void | Date | Uint8Array | ReadonlySet<string>;
/** A type without any, unknown or never. */
type Narrow<T> =
  0 extends 1 & T ? 'any' : unknown extends T ? 'unknown' : [T] extends [never] ? 'never' :
  T extends Plain ? 'right' : T extends readonly (infer E)[] ? Narrow<E> :
  T extends Readonly<Record<string, never>> ? 'right' :
  { [K in keyof T]-?: Narrow<Exclude<T[K], undefined>> }[keyof T] | 'right';
/** Types that accept the same values, with the same members. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? SameMembers<Members<A>, Members<B>> : 'wider') : 'narrower';
type SameMembers<A, B> = [A] extends [B] ? ([B] extends [A] ? 'right' : 'fewer members') : 'more members';
type Members<T> = T extends Plain ? never : T extends readonly (infer E)[] ? Members<E> : keyof T;`;

/** Schemas of which zod does not know what they take, and those whose type a generated file cannot have. */
const looseInputs = /"(?:catch|coerce)":/;
const looseGenerated = /"(?:catch|coerce)":|"box"|"bytes"/;

/**
 * The file of a model: its declaration, the types that `singlet generate` writes, and a line for each result, input, refused input, and
 * property of its types.
 *
 * @param from - the module of the toolkit.
 */
export function typedFile(drawn: ModelScript, calls: readonly PatternCalls[], from: string): TypedFile {
  const script = withoutRepeatedAliases(drawn);
  const text = JSON.stringify(script);
  const { types } = generateClient(modelOf(script), { model: './model.js', exported: 'generated' });
  const source = [
    `import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
    `import { connect as connectModel } from '@singlet/model';`,
    ...modelSource(script),
    types,
    `declare const client: DynamoDBClient;`,
    `const db = connectModel(shrunk, { client });`,
    helpers,
  ];
  const head = source.join('\n').replaceAll(`'@singlet/model'`, `'${from}'`).split('\n');
  const lines: [string, TypedLine][] = calls.flatMap(({ pattern, results, items, inputs, refused }) => {
    const of = `typeof db[${JSON.stringify(pattern)}]`;
    const generated = `GeneratedPatterns[${JSON.stringify(pattern)}]`;
    const right = (code: string, about: string): [string, TypedLine] => [
      `${code};`,
      { about: `${about} of ${pattern}`, compiles: true },
    ];
    const isLoose = looseInputs.test(text);
    return [
      ...results.map((each) => right(`value<Result<${of}>>(${resultSource(each, text)})`, 'result')),
      ...items.map((each) => right(`value<EachItem<${of}>>(${resultSource(each, text)})`, 'item')),
      right(`holds<Narrow<Result<${of}>>>()`, 'narrow result'),
      ...(isLoose ? [] : inputs.map((each) => right(`value<Input<${of}>>(${valueSource(each)})`, 'input'))),
      ...(isLoose ? [] : [right(`holds<Narrow<Input<${of}>>>()`, 'narrow input')]),
      ...(isLoose ? [] : refused).map(({ name, input, message }): [string, TypedLine] => [
        `value<Input<${of}>>(${valueSource(input)});`,
        { about: `${pattern}, of whose input ${name}: ${message}`, compiles: false },
      ]),
      ...(looseGenerated.test(text)
        ? []
        : [
            right(`holds<Same<Result<${of}>, Result<${generated}>>>()`, 'generated result'),
            right(`holds<Same<Input<${of}>, Input<${generated}>>>()`, 'generated input'),
          ]),
    ];
  });
  return {
    source: [...head, ...lines.map(([code]) => code)].join('\n'),
    lines: new Map(lines.map(([, line], at) => [head.length + at + 1, line])),
  };
}

/** A cursor is opaque, and a sum that no number represents exactly is a bigint, as documented. */
function resultSource(result: unknown, script: string): string {
  const source = valueSource(result).replace(/"cursor": ("[^"]*")/, '"cursor": $1 as never');
  return script.includes('"bigint"') ? source : source.replaceAll(/(\d{16,})n/g, '$1');
}

/** `by` may name an input of `aka` as well, which is one without that. Only the compiler refuses it. */
function withoutRepeatedAliases(script: ModelScript): ModelScript {
  const patterns = Object.entries(script.patterns).map(([name, need]) => {
    const { by, aka = {} } = need as { readonly by?: readonly string[]; readonly aka?: object };
    return [name, by === undefined ? need : { ...need, by: by.filter((input) => !(input in aka)) }] as const;
  });
  return { ...script, patterns: Object.fromEntries(patterns) };
}
