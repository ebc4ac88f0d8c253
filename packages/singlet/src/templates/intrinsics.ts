import type { TemplateObject, TemplateValue } from './read-template.ts';
import { TemplateError } from './template-error.ts';

/** The values that the functions of a template refer to. */
export interface TemplateScope {
  readonly parameters: ReadonlyMap<string, TemplateValue>;
  readonly mappings: TemplateObject;
  readonly conditions: TemplateObject;
  /** `AWS::Region` and similar. */
  readonly pseudoParameters: ReadonlyMap<string, TemplateValue>;
  /** The value of a reference to a resource, by its name or an attribute; undefined if it is not known. */
  readonly resource: (logicalId: string, attribute: string | undefined) => string | undefined;
}

/** Represents an omitted value. */
const noValue = Symbol('AWS::NoValue');

type Resolved = TemplateValue | typeof noValue;

type Path = readonly (string | number)[];

/**
 * Evaluates the functions in a value. A member that is `AWS::NoValue` is removed.
 *
 * @throws {TemplateError} for an unknown or misused function, or a reference to nothing.
 * @see AWS CloudFormation User Guide, "Intrinsic function reference"
 */
export function resolveFunctions(value: TemplateValue, scope: TemplateScope, path: Path): TemplateValue | undefined {
  const resolved = new Resolver(scope).value(value, path);
  return resolved === noValue ? undefined : resolved;
}

/** Whether a condition holds. @throws {TemplateError} as {@link resolveFunctions}. */
export function conditionHolds(name: string, scope: TemplateScope, path: Path): boolean {
  return new Resolver(scope).condition(name, path);
}

class Resolver {
  readonly #scope: TemplateScope;
  /** Conditions being evaluated. They may use others, but must not be circular. */
  readonly #open = new Set<string>();

  constructor(scope: TemplateScope) {
    this.#scope = scope;
  }

  value(value: TemplateValue, path: Path): Resolved {
    if (Array.isArray(value)) {
      const list = value as readonly TemplateValue[];
      return list.map((element, at) => this.value(element, [...path, at])).filter((element) => element !== noValue);
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [first, second] = entries;
    if (first !== undefined && second === undefined && /^(Ref|Condition|Fn::.+)$/.test(first[0])) {
      const [name, argument] = first;
      if (name !== 'Condition') return this.#call(name, argument, path);
      // Policies have a member of the same name; only a text can be the name of a condition.
      if (typeof argument === 'string') return this.condition(argument, path);
    }
    const members = entries.flatMap(([name, member]): [string, TemplateValue][] => {
      const resolved = this.value(member, [...path, name]);
      return resolved === noValue ? [] : [[name, resolved]];
    });
    return Object.fromEntries(members);
  }

  condition(name: string, path: Path): boolean {
    const body = memberOf(this.#scope.conditions, name);
    if (body === undefined) throw new TemplateError(path, `There is no condition ${name}.`);
    if (this.#open.has(name)) throw new TemplateError(path, `Condition ${name} refers to itself.`);
    this.#open.add(name);
    const holds = this.#truth(body, ['Conditions', name]);
    this.#open.delete(name);
    return holds;
  }

  #call(name: string, argument: TemplateValue, path: Path): Resolved {
    const at = [...path, name];
    switch (name) {
      case 'Ref':
        return this.#ref(this.#text(argument, at), at);
      case 'Fn::GetAtt':
        return this.#getAtt(argument, at);
      case 'Fn::Sub':
        return this.#sub(argument, at);
      case 'Fn::Join': {
        const [separator, parts] = this.#arguments(argument, 2, at);
        return this.#list(parts, at)
          .map((part) => this.#text(part, at))
          .join(this.#text(separator, at));
      }
      case 'Fn::Split': {
        const [separator, text] = this.#arguments(argument, 2, at);
        return this.#text(text, at).split(this.#text(separator, at));
      }
      case 'Fn::Select': {
        const [index, list] = this.#arguments(argument, 2, at);
        const selected = this.#list(list, at)[Number(this.#text(index, at))];
        if (selected === undefined) throw new TemplateError(at, 'There is no such element.');
        return selected;
      }
      case 'Fn::FindInMap':
        return this.#findInMap(argument, at);
      case 'Fn::If': {
        const [condition, whenTrue, whenFalse] = this.#arguments(argument, 3, at);
        return this.value((this.condition(this.#text(condition, at), at) ? whenTrue : whenFalse) as TemplateValue, at);
      }
      case 'Fn::Equals':
      case 'Fn::And':
      case 'Fn::Or':
      case 'Fn::Not':
        return this.#truth({ [name]: argument }, path);
      case 'Fn::Base64':
        return Buffer.from(this.#text(argument, at), 'utf8').toString('base64');
      case 'Fn::Length':
        return this.#list(argument, at).length;
      case 'Fn::ToJsonString':
        return JSON.stringify(this.value(argument, at));
      default:
        throw new TemplateError(path, `${name} is not a supported function.`);
    }
  }

  #truth(value: TemplateValue, path: Path): boolean {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TemplateError(path, 'This is not a condition.');
    }
    const [name = '', argument = null] = Object.entries(value)[0] ?? [];
    const at = [...path, name];
    switch (name) {
      case 'Condition':
        return this.condition(this.#text(argument, at), at);
      case 'Fn::Equals': {
        const [left, right] = this.#arguments(argument, 2, at);
        return JSON.stringify(this.#comparable(left, at)) === JSON.stringify(this.#comparable(right, at));
      }
      case 'Fn::Not':
        return !this.#truth(this.#arguments(argument, 1, at)[0] as TemplateValue, at);
      case 'Fn::And':
        return this.#several(argument, at).every((part) => this.#truth(part, at));
      case 'Fn::Or':
        return this.#several(argument, at).some((part) => this.#truth(part, at));
      default:
        throw new TemplateError(path, 'This is not a condition.');
    }
  }

  /** Numbers and booleans are compared as texts, since parameters are texts. */
  #comparable(value: TemplateValue | undefined, path: Path): unknown {
    const resolved = value === undefined ? noValue : this.value(value, path);
    return typeof resolved === 'number' || typeof resolved === 'boolean' ? String(resolved) : resolved;
  }

  #ref(name: string, path: Path): Resolved {
    if (name === 'AWS::NoValue') return noValue;
    const { pseudoParameters, parameters, resource } = this.#scope;
    const found = pseudoParameters.get(name) ?? parameters.get(name) ?? resource(name, undefined);
    if (found === undefined) throw new TemplateError(path, unknown(name));
    return found;
  }

  #getAtt(argument: TemplateValue, path: Path): string {
    const parts = typeof argument === 'string' ? argument.split('.') : this.#list(argument, path);
    const [logicalId = '', ...attribute] = parts.map((part) => this.#text(part, path));
    return this.#attribute(logicalId, attribute.join('.'), path);
  }

  #attribute(logicalId: string, attribute: string, path: Path): string {
    const found = this.#scope.resource(logicalId, attribute);
    if (found === undefined) throw new TemplateError(path, unknown(`${logicalId}.${attribute}`));
    return found;
  }

  #sub(argument: TemplateValue, path: Path): string {
    const [text, variables] = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [argument, {}];
    const own = this.value(variables ?? {}, path);
    const names = typeof own === 'object' && own !== null && !Array.isArray(own) ? (own as TemplateObject) : {};
    return this.#text(text ?? '', path).replaceAll(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      const variable = name.trim();
      const given = memberOf(names, variable);
      if (given !== undefined) return this.#text(given, path);
      const dot = variable.indexOf('.');
      if (dot > 0) return this.#attribute(variable.slice(0, dot), variable.slice(dot + 1), path);
      const referred = this.#ref(variable, path);
      return referred === noValue ? '' : this.#text(referred, [...path, whole]);
    });
  }

  #findInMap(argument: TemplateValue, path: Path): TemplateValue {
    const [mapName, topKey, secondKey, fallback] = this.#list(argument, path);
    let found: TemplateValue | undefined = this.#scope.mappings;
    const keys = [mapName, topKey, secondKey].map((key) => this.#text(key, path));
    for (const key of keys) {
      const isObject: boolean = typeof found === 'object' && found !== null && !Array.isArray(found);
      found = isObject ? memberOf(found as TemplateObject, key) : undefined;
    }
    if (found !== undefined) return found;
    if (typeof fallback === 'object' && fallback !== null)
      return memberOf(fallback as TemplateObject, 'DefaultValue') ?? null;
    throw new TemplateError(path, `There is no ${keys.join('.')} in Mappings.`);
  }

  #arguments(value: TemplateValue, count: number, path: Path): readonly TemplateValue[] {
    if (Array.isArray(value) && value.length === count) return value as readonly TemplateValue[];
    throw new TemplateError(path, `This takes a list of ${count}.`);
  }

  #several(value: TemplateValue, path: Path): readonly TemplateValue[] {
    if (!Array.isArray(value)) throw new TemplateError(path, 'This takes a list.');
    return value as readonly TemplateValue[];
  }

  #list(value: TemplateValue | undefined, path: Path): readonly TemplateValue[] {
    const resolved = this.value(value ?? null, path);
    if (!Array.isArray(resolved)) throw new TemplateError(path, 'This takes a list.');
    return resolved as readonly TemplateValue[];
  }

  #text(value: TemplateValue | undefined, path: Path): string {
    const resolved = this.value(value ?? null, path);
    if (typeof resolved === 'string') return resolved;
    if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
    throw new TemplateError(path, 'This takes a string.');
  }
}

function unknown(name: string): string {
  return `${name} cannot be resolved. Give it a value: --parameter ${name}=…`;
}

/** A member of an object from a file, in which names such as `constructor` have no special meaning. */
export function memberOf(object: TemplateObject, name: string): TemplateValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
