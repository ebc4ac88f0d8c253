import type { z } from 'zod';
import { codingOf, storedSchema } from '../../src/entities/codec.ts';
import type { Model } from '../../src/model.ts';
import type { StandardSchema } from '../../src/schema/standard-schema.ts';
import type { AttributeScript, ModelScript } from './model-script.ts';

/**
 * The script of a model that somebody wrote. Functions are not data: refinements and transforms are left out, a codec becomes one of the
 * two that scripts have, and a computed attribute gets the function of scripts. A schema of another library than
 * zod is read as a text or a number.
 */
export function scriptOfModel(model: Model): ModelScript {
  const takes: Record<string, Record<string, AttributeScript>> = {};
  const plain = (name: string, { takes: schemas, ...need }: Readonly<Record<string, unknown>>): object => {
    if (schemas !== undefined) takes[name] = attributesOf(schemas as Readonly<Record<string, StandardSchema>>);
    return need;
  };
  const patterns = Object.entries(model.patterns).map(([name, need]) => {
    const { transacts, ...rest } = need;
    const whole = plain(name, rest);
    if (transacts === undefined) return [name, whole];
    const parts = Object.entries(transacts).map(([part, write]) => [part, plain(`${name}.${part}`, { ...write })]);
    return [name, { ...whole, transacts: Object.fromEntries(parts) }];
  });
  const entities = Object.entries(model.entities).map(([name, { attributes, rules }]) => {
    const { computed, expects: _, examples: __, ...others } = rules;
    const from = Object.entries(computed ?? {}).map(([attribute, each]) => [attribute, each?.from]);
    const scripts = attributesOf(attributes);
    for (const [attribute] of from)
      scripts[String(attribute)] = { type: 'text', ...(scripts[String(attribute)]?.optional && { optional: true }) };
    return [
      name,
      {
        attributes: scripts,
        rules: { ...others, ...(from.length > 0 && { computed: Object.fromEntries(from) as object }) },
      },
    ];
  });
  const script = {
    entities: Object.fromEntries(entities) as ModelScript['entities'],
    relationships: model.relationships,
    patterns: Object.fromEntries(patterns) as ModelScript['patterns'],
    procedures: model.procedures ?? {},
    tables: model.tables,
    keys: model.keys,
    storage: model.storage,
    served: model.served,
    takes,
  };
  // Without what is undefined, and with objects that nothing else has.
  return JSON.parse(JSON.stringify(script)) as ModelScript;
}

function attributesOf(schemas: Readonly<Record<string, StandardSchema>>): Record<string, AttributeScript> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, attributeOf(schema)]));
}

function attributeOf(schema: StandardSchema): AttributeScript {
  const script = scriptOf(storedSchema(schema));
  if (codingOf(schema) === undefined) return script;
  return { ...script, codec: script.type === 'datetime' ? 'date' : 'box' };
}

function scriptOf(schema: StandardSchema): AttributeScript {
  if (schema['~standard'].vendor !== 'zod') return { type: isTaken(schema, 1) ? 'int' : 'text' };
  return ofZod(schema as unknown as z.core.$ZodType);
}

function isTaken(schema: StandardSchema, value: unknown): boolean {
  const result = schema['~standard'].validate(value);
  return !(result instanceof Promise) && result.issues === undefined;
}

/** @param schema - of zod 4: what it is made of is public for tools of this kind. */
function ofZod(schema: z.core.$ZodType): AttributeScript {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return { ...ofZod(def.innerType), optional: true };
    case 'nullable':
      return { ...ofZod(def.innerType), nullable: true };
    case 'default': {
      const { defaultValue } = def;
      const isData = !(defaultValue instanceof Set) && typeof defaultValue !== 'bigint';
      return { ...ofZod(def.innerType), ...(isData ? { default: defaultValue } : { optional: true }) };
    }
    case 'pipe':
      return ofZod(def.out);
    case 'string':
      return ofText(def, checksOf(def));
    case 'number': {
      const { min, max, multipleOf, isInt } = checksOf(def);
      const whole = isInt || 'format' in def;
      return { type: whole ? 'int' : 'number', ...present({ min, max, multipleOf }) };
    }
    case 'bigint':
    case 'unknown':
      return { type: def.type };
    case 'boolean':
      return { type: 'bool' };
    case 'enum':
      return { type: 'enum', values: Object.values(def.entries) };
    case 'literal':
      return { type: 'literals', values: def.values as (string | number)[] };
    case 'union': {
      const options = def.options.map(ofZod);
      if (options.every(({ type }) => type === 'literals'))
        return { type: 'literals', values: options.flatMap(({ values = [] }) => values) };
      return { type: 'union', options };
    }
    case 'array':
      return { type: 'list', of: ofZod(def.element), ...present({ max: checksOf(def).max }) };
    case 'set':
      return { type: 'set', of: ofZod(def.valueType), ...present({ max: checksOf(def).max }) };
    case 'record': {
      const { values } = ofZod(def.keyType);
      return { type: 'record', of: ofZod(def.valueType), ...present({ values }) };
    }
    case 'object':
      return {
        type: 'object',
        fields: Object.fromEntries(Object.entries(def.shape).map(([name, each]) => [name, ofZod(each)])),
      };
    case 'custom':
      return { type: 'bytes' };
    default:
      return { type: 'text' };
  }
}

function ofText(def: z.core.$ZodStringDef, checks: Checks): AttributeScript {
  const { format } = def as { readonly format?: string };
  const { min, max, pattern, lower } = checks;
  switch (format) {
    case 'datetime': {
      const { precision, offset, local } = def as z.core.$ZodISODateTimeDef;
      return { type: 'datetime', ...present({ precision: precision ?? undefined, offset, local }) };
    }
    case 'date':
    case 'ksuid':
    case 'ulid':
      return { type: format };
    case 'email':
    case 'url':
    case 'uuid':
      return { type: 'text', format };
    default:
      return {
        type: pattern === undefined ? 'text' : 'pattern',
        ...present({ min, max, pattern: pattern?.source, flags: pattern?.flags === '' ? undefined : pattern?.flags }),
        ...(lower && { lower: true }),
      };
  }
}

interface Checks {
  min?: number;
  max?: number;
  multipleOf?: number;
  pattern?: RegExp;
  isInt?: boolean;
  lower?: boolean;
}

function checksOf(def: { readonly checks?: readonly z.core.$ZodCheck[] | undefined }): Checks {
  const checks: Checks = {};
  for (const each of def.checks ?? []) {
    const check = (each as unknown as z.core.$ZodChecks)._zod.def;
    switch (check.check) {
      case 'min_length':
      case 'min_size':
        checks.min = check.minimum;
        break;
      case 'max_length':
      case 'max_size':
        checks.max = check.maximum;
        break;
      case 'length_equals':
        checks.min = check.length;
        checks.max = check.length;
        break;
      case 'greater_than':
        checks.min = Number(check.value) + (check.inclusive ? 0 : 1);
        break;
      case 'less_than':
        checks.max = Number(check.value) - (check.inclusive ? 0 : 1);
        break;
      case 'multiple_of':
        checks.multipleOf = Number(check.value);
        break;
      case 'number_format':
        checks.isInt = true;
        break;
      case 'overwrite':
        checks.lower = String(check.tx).includes('toLowerCase');
        break;
      case 'string_format':
        if ('pattern' in check && check.pattern instanceof RegExp) checks.pattern = check.pattern;
        break;
      // The others are of kinds of values that no model has.
      default:
    }
  }
  return checks;
}

function present<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
