import { ValidationException } from '../../values/service-error.ts';
import { SerializationException } from '../serialization-exception.ts';
import type { MemberNode, ShapeNode } from './shape.ts';
import { wireName } from './wire-name.ts';

/**
 * Refuses a required member that is null, the first in the order of the body, and then one that is missing, in the order of the shape. The texts are
 * those of the service's parser, which names a position: how far it had read. Here it is the position in the request as JSON without blanks, as
 * most SDKs send it.
 *
 * @throws {SerializationException} | {ValidationException}
 */
export function checkStrictly(json: object, members: readonly MemberNode[]): void {
  const required = members.filter((member) => member.required);
  const byName = new Map(required.map(({ name, shape }) => [wireName(name), shape]));
  for (const [name, value] of Object.entries(json)) {
    const shape = byName.get(name);
    if (value !== null || shape === undefined) continue;
    throw new SerializationException(`invalid type: null, expected ${expected(shape)} at ${endOf(json, name)}`);
  }
  const missing = [...byName.keys()].find((name) => !Object.hasOwn(json, name));
  if (missing !== undefined) throw new ValidationException(`missing field \`${missing}\` at ${endOf(json)}`);
}

function expected({ kind }: ShapeNode): string {
  switch (kind) {
    case 'list':
      return 'a sequence';
    case 'integer':
      return 'i32';
    default:
      return 'a string';
  }
}

/** @param name - up to this member; without it, the whole request. */
function endOf(json: object, name?: string): string {
  const entries = Object.entries(json);
  const count = name === undefined ? entries.length : entries.findIndex(([each]) => each === name) + 1;
  const text = JSON.stringify(Object.fromEntries(entries.slice(0, count)));
  return `line 1 column ${Buffer.byteLength(text) - (name === undefined ? 0 : '}'.length)}`;
}
