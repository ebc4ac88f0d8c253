import { storedSchema } from '../entities/codec.ts';
import type { StandardSchema } from '../schema/standard-schema.ts';
import { anyText, shapeOfPattern, type TextShape } from './pattern.ts';
import { descriptionOptions, isBigInteger, undescribed, type Undescribed } from './schema-parts.ts';

/** The values that an attribute can have when it is stored: at least those that its schema yields, perhaps more. */
export interface Domain {
  /** All of them, if they are few and known. */
  readonly values: readonly (string | number | boolean)[] | undefined;
  readonly text: TextDomain | undefined;
  readonly number: NumberDomain | undefined;
  /** Values other than text, numbers and booleans. With `null`, an item has the attribute but no key. */
  readonly other: boolean;
  readonly null: boolean;
}

/** Texts. */
export interface TextDomain extends TextShape {
  /** The single format of all its times. */
  readonly time: 'date' | 'seconds' | 'milliseconds' | undefined;
  /** They are times, in any format. */
  readonly isTime: boolean;
  /** The common prefix of all texts. */
  readonly begins: string;
  /** Behind that prefix, no text has one of the characters that separate a reference from its prefix: `:`, `#`, `|` or `/`. */
  readonly isBare: boolean;
}

/** Numbers. */
export interface NumberDomain {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

/** JSON Schema, as far as it is supported. */
interface Description {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Description[];
  readonly oneOf?: readonly Description[];
  readonly allOf?: readonly Description[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** What a missing value becomes. It is not checked, so that it may be any other value. */
  readonly default?: unknown;
}

const known = new WeakMap<StandardSchema, Domain>();

/** The domain of a schema's output; the widest domain if its library does not describe it. */
export function domainOf(schema: StandardSchema): Domain {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const stored = storedSchema(schema);
  const domain = read(descriptionOf(stored), undescribed(stored));
  known.set(schema, domain);
  return domain;
}

function descriptionOf(schema: StandardSchema): Description {
  const { jsonSchema } = schema['~standard'] as {
    readonly jsonSchema?: { readonly output?: (options: typeof descriptionOptions) => Description };
  };
  try {
    return jsonSchema?.output?.(descriptionOptions) ?? valibotDescription(schema, 0);
  } catch {
    // Transforms, dates and big integers have no JSON Schema.
    return isBigInteger(schema) ? { type: 'integer' } : {};
  }
}

const freeText: TextDomain = { ...anyText, time: undefined, isTime: false, begins: '', isBare: false };
const anyNumber: NumberDomain = { least: -Infinity, most: Infinity, whole: false };
const anything: Domain = { values: undefined, text: freeText, number: anyNumber, other: true, null: false };
const nothing: Domain = { values: undefined, text: undefined, number: undefined, other: false, null: false };

function read(description: Description, beyond: Undescribed): Domain {
  const domain = readChecked(description, beyond);
  return description.default === undefined ? domain : withValue(domain, description.default);
}

function readChecked(description: Description, beyond: Undescribed): Domain {
  const choices = description.const === undefined ? description.enum : [description.const];
  if (choices !== undefined) return beyond.replaces ? ofAnyValue(enumerated(choices)) : enumerated(choices);
  const branches = description.anyOf ?? description.oneOf;
  if (branches !== undefined) return branches.map((each) => read(each, beyond)).reduce(union, nothing);
  const types = [description.type ?? []].flat();
  if (types.length === 0) return anything;
  const domain = types.map((type) => ofType(type, description, beyond.flags)).reduce(union);
  return beyond.replaces ? ofAnyValue(domain) : domain;
}

/** Any value of the same types. */
function ofAnyValue({ values = [], text, number, ...rest }: Domain): Domain {
  return {
    ...rest,
    values: values.length > 0 && values.every((value) => typeof value === 'boolean') ? values : undefined,
    text: text && freeText,
    number: number && anyNumber,
  };
}

/** The domain with one more value. */
function withValue(domain: Domain, value: unknown): Domain {
  if (value === null) return { ...domain, null: true };
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    return { ...domain, other: true };
  if (includes(domain, value)) return domain;
  const wider = union(domain, enumerated([value]));
  // Times stay times, which are ordered by instant, but have several forms now.
  return domain.text?.isTime === true && wider.text !== undefined
    ? { ...wider, text: { ...wider.text, isTime: true } }
    : wider;
}

function includes({ values, text, number }: Domain, value: string | number | boolean): boolean {
  if (values !== undefined) return values.includes(value);
  if (typeof value === 'number')
    return (
      number !== undefined &&
      value >= number.least &&
      value <= number.most &&
      (!number.whole || Number.isInteger(value))
    );
  if (typeof value !== 'string' || text === undefined) return false;
  const points = Array.from(value, (each) => each.codePointAt(0) ?? 0);
  return (
    (!text.isTime || timePatterns[text.time ?? 'any'].test(value)) &&
    value.startsWith(text.begins) &&
    points.length >= text.least &&
    points.length <= text.most &&
    points.every((point) => text.characters.some(([low, high]) => point >= low && point <= high))
  );
}

const timePatterns = {
  date: /^\d{4}-\d\d-\d\d$/,
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  milliseconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  any: /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/,
} as const;

function enumerated(choices: readonly unknown[]): Domain {
  const values = choices.filter((value) => value !== null);
  if (!values.every((value) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'))
    return { ...anything, null: choices.includes(null) };
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  return {
    values,
    text:
      texts.length === 0 ? undefined : { ...shapeOf(texts), time: undefined, isTime: false, begins: '', isBare: false },
    number:
      numbers.length === 0
        ? undefined
        : { least: Math.min(...numbers), most: Math.max(...numbers), whole: numbers.every(Number.isInteger) },
    other: false,
    null: choices.includes(null),
  };
}

/** The shape of some texts. */
export function shapeOf(texts: readonly string[]): TextShape {
  const lengths = texts.map((text) => Array.from(text).length);
  return {
    least: Math.min(...lengths),
    most: Math.max(...lengths),
    characters: Array.from(texts.join(''), (each) => {
      const point = each.codePointAt(0) ?? 0;
      return [point, point] as const;
    }),
  };
}

function ofType(type: string, description: Description, flags: string): Domain {
  switch (type) {
    case 'string':
      return { ...nothing, text: textDomain(description, flags) };
    case 'integer':
    case 'number': {
      const {
        minimum = -Infinity,
        maximum = Infinity,
        exclusiveMinimum = -Infinity,
        exclusiveMaximum = Infinity,
      } = description;
      const whole = type === 'integer' || Number.isInteger(description.multipleOf);
      // The least whole number above 9 is 10.
      const [above, below] = whole
        ? [Math.floor(exclusiveMinimum) + 1, Math.ceil(exclusiveMaximum) - 1]
        : [exclusiveMinimum, exclusiveMaximum];
      return { ...nothing, number: { least: Math.max(minimum, above), most: Math.min(maximum, below), whole } };
    }
    case 'boolean':
      return { ...nothing, values: [false, true] };
    case 'null':
      return { ...nothing, null: true };
    default:
      return { ...nothing, other: true };
  }
}

function textDomain(
  { pattern, minLength = 0, maxLength = Infinity, format, allOf = [] }: Description,
  flags: string,
): TextDomain {
  // With these flags, `^` and `$` match within the text, or classes have another syntax.
  const isReadable = !/[mv]/.test(flags);
  const written = [pattern, ...allOf.map((each) => each.pattern)];
  const patterns = isReadable ? written.filter((each) => each !== undefined) : [];
  const shapes = patterns.map((each) => shapeOfPattern(each, { ignoreCase: flags.includes('i') }));
  const narrowest = shapes.sort((a, b) => a.most - a.least - (b.most - b.least))[0] ?? anyText;
  const isTime = format === 'date-time' || format === 'date';
  // A length is in UTF-16 units: as many characters, or half as many.
  const exact = minLength === maxLength && minLength > 0;
  const shape: TextShape =
    exact && narrowest.least !== narrowest.most ? { ...narrowest, least: minLength, most: minLength } : narrowest;
  return {
    ...shape,
    isTime,
    time: isTime ? timeForm(shape) : undefined,
    ...(flags.includes('i') ? { begins: '', isBare: false } : beginningOf(patterns)),
  };
}

/** Times of one length have one format. A time with an offset is just as long, but contains a sign. */
function timeForm({ least, most, characters }: TextShape): TextDomain['time'] {
  if (least !== most || characters.some(([low, high]) => low <= 43 && high >= 43)) return undefined;
  const utc = characters.some(([low, high]) => low <= 90 && high >= 90);
  if (least === 10) return 'date';
  if (!utc) return undefined;
  return least === 20 ? 'seconds' : least === 24 ? 'milliseconds' : undefined;
}

/** Only the first pattern is read, in which alternatives might have other beginnings. */
function beginningOf([pattern = '']: readonly string[]): Pick<TextDomain, 'begins' | 'isBare'> {
  // Within a class of characters, `|` is a character.
  const hasAlternatives = pattern.replaceAll(/\[(?:\\.|[^\]\\])*\]/g, '').includes('|');
  const begins = hasAlternatives ? '' : (/^\^([\w:#/-]*)(?=\[|\\[dw]|\()/.exec(pattern)?.[1] ?? '');
  const { characters } = shapeOfPattern(`^${pattern.slice(begins.length + 1)}`);
  const separators = [35, 47, 58, 124];
  return { begins, isBare: separators.every((each) => characters.every(([low, high]) => each < low || each > high)) };
}

/** The values of both. */
export function union(a: Domain, b: Domain): Domain {
  return {
    values: joined(a, b),
    text:
      a.text === undefined || b.text === undefined
        ? (a.text ?? b.text)
        : {
            least: Math.min(a.text.least, b.text.least),
            most: Math.max(a.text.most, b.text.most),
            characters: [...a.text.characters, ...b.text.characters],
            time: a.text.time === b.text.time ? a.text.time : undefined,
            isTime: a.text.isTime && b.text.isTime,
            begins: a.text.begins === b.text.begins ? a.text.begins : '',
            isBare: a.text.isBare && b.text.isBare,
          },
    number:
      a.number === undefined || b.number === undefined
        ? (a.number ?? b.number)
        : {
            least: Math.min(a.number.least, b.number.least),
            most: Math.max(a.number.most, b.number.most),
            whole: a.number.whole && b.number.whole,
          },
    other: a.other || b.other,
    null: a.null || b.null,
  };
}

/** All values of both, if those of both are known. */
function joined(a: Domain, b: Domain): Domain['values'] {
  const all = (domain: Domain): Domain['values'] =>
    domain.values ?? (domain.text === undefined && domain.number === undefined && !domain.other ? [] : undefined);
  const [left, right] = [all(a), all(b)];
  return left === undefined || right === undefined ? undefined : [...left, ...right];
}

/** valibot describes itself with its own objects. */
function valibotDescription(schema: unknown, depth: number): Description {
  const of = schema as Readonly<Record<string, unknown>>;
  const pipe = (of['pipe'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  if (depth > 8 || pipe.some((step) => step['kind'] === 'transformation')) return {};
  const requirement = (type: string): unknown => pipe.find((step) => step['type'] === type)?.['requirement'];
  const number = (type: string): number | undefined => {
    const value = requirement(type);
    return typeof value === 'number' ? value : undefined;
  };
  switch (of['type']) {
    case 'string': {
      const regex = requirement('regex');
      const length = number('length');
      const [minLength, maxLength] = [length ?? number('min_length'), length ?? number('max_length')];
      const iso = pipe.find((step) => String(step['type']).startsWith('iso_'));
      return {
        type: 'string',
        ...(regex instanceof RegExp && { pattern: regex.source }),
        ...(minLength !== undefined && { minLength }),
        ...(maxLength !== undefined && { maxLength }),
        ...(iso?.['type'] === 'iso_date' && { format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
        ...(iso?.['type'] === 'iso_timestamp' && { format: 'date-time' }),
      };
    }
    case 'number': {
      const [minimum, maximum] = [number('min_value'), number('max_value')];
      return {
        type: pipe.some((step) => step['type'] === 'integer' || step['type'] === 'safe_integer') ? 'integer' : 'number',
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
      };
    }
    case 'bigint':
      return { type: 'integer' };
    case 'boolean':
    case 'null':
      return { type: of['type'] };
    case 'picklist':
    case 'enum':
      return { enum: of['options'] as readonly unknown[] };
    case 'literal':
      return { const: of['literal'] };
    case 'optional':
    case 'exact_optional':
    case 'undefinedable':
    case 'non_optional':
      return valibotDescription(of['wrapped'], depth + 1);
    case 'nullable':
    case 'nullish':
      return { anyOf: [valibotDescription(of['wrapped'], depth + 1), { type: 'null' }] };
    case 'union':
      return { anyOf: (of['options'] as readonly unknown[]).map((each) => valibotDescription(each, depth + 1)) };
    default:
      return {};
  }
}
