import { memberOf } from './intrinsics.ts';
import type { TemplateObject, TemplateValue } from './read-template.ts';
import { TemplateError } from './template-error.ts';
import { objectOf } from './template-scope.ts';

/** Reads the properties of a resource one by one; those not read are reported as unknown. */
export class Properties {
  readonly #path: readonly (string | number)[];
  readonly #object: TemplateObject;
  readonly #unread: Set<string>;

  constructor(value: TemplateValue | undefined, path: readonly (string | number)[]) {
    this.#path = path;
    this.#object = objectOf(value ?? {}, path);
    this.#unread = new Set(Object.keys(this.#object));
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  raw(name: string): TemplateValue | undefined {
    this.#unread.delete(name);
    return memberOf(this.#object, name);
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.error(name, 'This must be a string.');
  }

  needText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.error(name, 'This is missing.');
    return value;
  }

  needNumber(name: string): number {
    const value = this.number(name);
    if (value === undefined) throw this.error(name, 'This is missing.');
    return value;
  }

  /** Parameters are texts, so a text of digits is accepted as a number. */
  number(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value)) throw this.error(name, `${JSON.stringify(value)} is not a whole number.`);
    return Number(value);
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') throw this.error(name, 'This must be true or false.');
    return value === 'true';
  }

  /** Reads a member that is an object; undefined if absent. */
  object<T>(name: string, read: (properties: Properties) => T): T | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : readAll(value, [...this.#path, name], read);
  }

  /** Reads a member that is a list of objects; undefined if absent. */
  list<T>(name: string, read: (properties: Properties) => T): T[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.error(name, 'This must be a list.');
    return value.map((element: TemplateValue, at) => readAll(element, [...this.#path, name, at], read));
  }

  texts(name: string): string[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.error(name, 'This must be a list.');
    return value.map(String);
  }

  /** A policy: an object, or its text. */
  policy(name: string): string | undefined {
    const value = this.raw(name);
    return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  }

  /** @throws {TemplateError} if a property has not been read: it is misspelled, or belongs to another resource. */
  checkAllRead(): void {
    const [name] = this.#unread;
    if (name !== undefined) throw this.error(name, 'This is not a known property.');
  }

  error(name: string, message: string): TemplateError {
    return new TemplateError([...this.#path, name], message);
  }
}

/** Reads an object and checks that all of its members have been read. */
export function readAll<T>(
  value: TemplateValue | undefined,
  path: readonly (string | number)[],
  read: (properties: Properties) => T,
): T {
  const properties = new Properties(value, path);
  const result = read(properties);
  properties.checkAllRead();
  return result;
}
