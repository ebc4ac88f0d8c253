import type { Field, PatternForm, Shape } from '../../wire/model-answers.ts';

// Input of a pattern: the typed texts of its form's fields as values, and back. A field is identified by its path: `customer.username`.

/** Texts by path; missing ones are empty. */
export type Drafts = Readonly<Record<string, string>>;

export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The whole input in one field: for lists of inputs, and for input without a known schema. */
export const wholePath = '';

/** Maximum depth of objects whose members have their own fields; deeper ones are JSON. */
const depthMax = 3;

export function hasFields(form: PatternForm): boolean {
  return !form.many && form.inputs !== null;
}

export function isGroup({ kind }: Shape, depth: number): boolean {
  return kind === 'object' && depth < depthMax;
}

/** The input to send: the values of all fields that have one. */
export function inputOf(
  form: PatternForm,
  drafts: Drafts,
): { readonly input: unknown; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  if (!hasFields(form)) {
    const text = drafts[wholePath] ?? '';
    return { input: jsonOf(text === '' ? (form.many ? '[]' : '{}') : text, wholePath, problems), problems };
  }
  const input = objectOf(form.shapes, '', drafts, { problems, depth: 0 });
  return { input, problems };
}

interface Reading {
  readonly problems: Problem[];
  readonly depth: number;
}

/** The members that have a value. Each required one without a value is a problem of its own field, in groups as well. */
function objectOf(
  fields: Readonly<Record<string, Field>>,
  path: string,
  drafts: Drafts,
  { problems, depth }: Reading,
): Readonly<Record<string, unknown>> {
  const values: (readonly [string, unknown])[] = [];
  for (const [name, { shape, optional }] of Object.entries(fields)) {
    const place = join(path, name);
    if (isGroup(shape, depth) && shape.kind === 'object') {
      // An optional object that is left out has no missing members.
      if (optional && !isBegun(place, drafts)) continue;
      values.push([name, objectOf(shape.fields, place, drafts, { problems, depth: depth + 1 })]);
      continue;
    }
    const value = valueOf(shape, drafts[place] ?? '', place, problems);
    if (value !== undefined) values.push([name, value]);
    else if (!optional && !problems.some((problem) => problem.path === place))
      problems.push({ path: place, message: 'needs a value' });
  }
  return Object.fromEntries(values);
}

function isBegun(group: string, drafts: Drafts): boolean {
  return Object.entries(drafts).some(([path, text]) => text !== '' && path.startsWith(`${group}.`));
}

/** Undefined for an input that is left out. */
function valueOf(shape: Shape, text: string, path: string, problems: Problem[]): unknown {
  if (text === '') return undefined;
  switch (shape.kind) {
    case 'string':
      return text;
    case 'number':
      if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
      problems.push({ path, message: 'must be a number' });
      return undefined;
    case 'enum':
      if (shape.values.includes(text)) return text;
      problems.push({ path, message: `must be one of ${shape.values.join(', ')}` });
      return undefined;
    case 'boolean':
      return text === 'true';
    case 'literal':
      return shape.value;
    case 'unknown':
    case 'union':
    case 'bigint':
    case 'binary':
      return looksLikeJson(text) ? jsonOf(text, path, problems) : text;
    default:
      return jsonOf(text, path, problems);
  }
}

/** Numbers, booleans, lists and objects. Text that only looks like a number, such as `007`, stays text. */
function looksLikeJson(text: string): boolean {
  return /^(-?(0|[1-9]\d{0,14})(\.\d{1,15})?|true|false|null|[[{].*[\]}]|".*")$/s.test(text);
}

function jsonOf(text: string, path: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    problems.push({ path, message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` });
    return undefined;
  }
}

/** The fields for an input, such as the one in an address. Invalid input fills none. */
export function draftsOf(form: PatternForm, text: string | undefined): Drafts {
  if (text === undefined) return {};
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
  if (!hasFields(form)) return { [wholePath]: JSON.stringify(input, undefined, 2) };
  const drafts: Record<string, string> = {};
  if (isObject(input)) fill(drafts, form.shapes, input, { path: '', depth: 0 });
  return drafts;
}

function fill(
  drafts: Record<string, string>,
  fields: Readonly<Record<string, Field>>,
  values: Readonly<Record<string, unknown>>,
  { path, depth }: { readonly path: string; readonly depth: number },
): void {
  for (const [name, { shape }] of Object.entries(fields)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const place = join(path, name);
    if (value === undefined) continue;
    if (shape.kind === 'object' && isGroup(shape, depth) && isObject(value)) {
      fill(drafts, shape.fields, value, { path: place, depth: depth + 1 });
    } else {
      drafts[place] = typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A sample value of a shape, as JSON to start from. */
export function exampleOf(shape: Shape): string {
  return JSON.stringify(exampleValue(shape, 0), undefined, 2);
}

function exampleValue(shape: Shape, depth: number): unknown {
  switch (shape.kind) {
    case 'number':
    case 'bigint':
      return 0;
    case 'boolean':
      return false;
    case 'literal':
      return shape.value;
    case 'enum':
      return shape.values[0] ?? '';
    case 'list':
    case 'set':
      return depth > 4 ? [] : [exampleValue(shape.of, depth + 1)];
    case 'record':
      return {};
    case 'object': {
      const needed = Object.entries(shape.fields).filter(([, { optional }]) => !optional);
      return Object.fromEntries(needed.map(([name, field]) => [name, exampleValue(field.shape, depth + 1)]));
    }
    case 'union':
      return shape.of[0] === undefined ? null : exampleValue(shape.of[0], depth + 1);
    case 'null':
      return null;
    default:
      return '';
  }
}
