import type { ValidationException } from '../../values/service-error.ts';
import { conditionOperator } from './condition-operator.ts';
import type {
  PolicyCondition,
  PolicyDocument,
  PolicyPatterns,
  PolicyPrincipal,
  PolicyPrincipals,
  PolicyStatement,
  PolicyVersion,
} from './policy-document.ts';
import { principalKinds, type PrincipalKind } from './policy-document.ts';
import { invalidPolicy } from './policy-errors.ts';
import { type JsonPath, positionInJson } from './text-position.ts';

/**
 * Reads a policy. Lenient where the service is: the effect `allow` is Allow, a statement need not stand in a list, an account
 * is the root of that account, and who is named twice is named once.
 *
 * @returns the document; equal documents are equal policies, however they were written.
 * @throws {ValidationException} that says what is wrong and, where that is only its form, where it stands.
 */
export function parsePolicy(text: string): PolicyDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalidPolicy('This policy contains invalid Json');
  }
  return new PolicyReader(text).document(json);
}

type JsonObject = Readonly<Record<string, unknown>>;

const documentMembers = new Set(['Version', 'Id', 'Statement']);
const statementMembers = new Set(
  'Sid Effect Principal NotPrincipal Action NotAction Resource NotResource Condition'.split(' '),
);

/** Reads the parts of one policy. Knows the text, to say where in it something is wrong. */
class PolicyReader {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(json: unknown): PolicyDocument {
    const members = this.#object(json, [], documentMembers);
    const { Version: version, Id: id, Statement: statement } = members;
    if (version !== undefined && version !== '2008-10-17' && version !== '2012-10-17') throw this.#wrong(['Version']);
    if (id !== undefined && typeof id !== 'string') throw this.#wrong(['Id']);
    if (statement === undefined) throw missing('Statement');
    const isList = Array.isArray(statement);
    const list: readonly unknown[] = isList ? statement : [statement];
    if (list.length === 0) throw invalidPolicy('Could not parse the policy: Statement is empty!');
    const statements = list.map((one, at) => this.#statement(one, isList ? ['Statement', at] : ['Statement']));
    const sids = statements.flatMap(({ sid }) => sid ?? []);
    if (new Set(sids).size < sids.length) throw invalidPolicy('The Statement Ids in the policy are not unique');
    return {
      ...(version !== undefined && { version: version satisfies PolicyVersion }),
      ...(id !== undefined && { id }),
      statements,
    };
  }

  #statement(json: unknown, path: JsonPath): PolicyStatement {
    const members = this.#object(json, path, statementMembers);
    const { Sid: sid, Effect: effect } = members;
    if (sid !== undefined && typeof sid !== 'string') throw this.#wrong([...path, 'Sid']);
    if (effect === undefined) throw missing('Effect');
    const isAllow = typeof effect === 'string' && effect.toLowerCase() === 'allow';
    if (!isAllow && !(typeof effect === 'string' && effect.toLowerCase() === 'deny')) {
      throw this.#wrong([...path, 'Effect']);
    }
    const principals = this.#principals(members, path);
    return {
      ...(sid !== undefined && { sid }),
      effect: isAllow ? 'Allow' : 'Deny',
      ...(principals !== undefined && { principals }),
      actions: this.#patterns(members, 'Action', path),
      resources: this.#patterns(members, 'Resource', path),
      conditions: members.Condition === undefined ? [] : this.#conditions(members.Condition, [...path, 'Condition']),
    };
  }

  #principals(members: JsonObject, path: JsonPath): PolicyPrincipals | undefined {
    const name = this.#oneOf(members, 'Principal', path);
    if (name === undefined) return undefined;
    const isExcluded = name === 'NotPrincipal';
    const value = members[name];
    const at = [...path, name];
    if (value === '*') return { isExcluded, isEverybody: true, names: [] };
    const byKind = this.#object(value, at, new Set(principalKinds));
    const names = Object.entries(byKind).flatMap(([kind, list]) =>
      // #object lets only these names pass.
      this.#texts(list, [...at, kind]).map((text) => principalOf(kind as PrincipalKind, text)),
    );
    if (names.length === 0) throw this.#wrong(at);
    const unique = new Map(names.map((principal) => [`${principal.kind} ${principal.name}`, principal]));
    return { isExcluded, isEverybody: false, names: [...unique.values()] };
  }

  #patterns(members: JsonObject, what: 'Action' | 'Resource', path: JsonPath): PolicyPatterns {
    const name = this.#oneOf(members, what, path);
    if (name === undefined) throw missing(what);
    return { isExcluded: name !== what, patterns: this.#texts(members[name], [...path, name]) };
  }

  /** `Action` or `NotAction`, whichever is there; both together are refused. */
  #oneOf(members: JsonObject, what: string, path: JsonPath): string | undefined {
    const [name, second] = [what, `Not${what}`].filter((candidate) => members[candidate] !== undefined);
    if (second !== undefined) throw this.#wrong([...path, second]);
    return name;
  }

  #conditions(json: unknown, path: JsonPath): readonly PolicyCondition[] {
    return Object.entries(this.#object(json, path)).flatMap(([operator, byKey]) => {
      if (conditionOperator(operator) === undefined) throw invalidPolicy(`Invalid Condition type : ${operator}.`);
      return Object.entries(this.#object(byKey, [...path, operator])).map(([key, value]) => ({
        operator,
        key,
        values: this.#conditionValues(value, [...path, operator, key]),
      }));
    });
  }

  #conditionValues(json: unknown, path: JsonPath): PolicyCondition['values'] {
    const list: readonly unknown[] = Array.isArray(json) ? json : [json];
    return list.map((value, at) => {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
      throw this.#wrong(Array.isArray(json) ? [...path, at] : path);
    });
  }

  /** A text, or a list of texts that is not empty. */
  #texts(json: unknown, path: JsonPath): readonly string[] {
    if (!Array.isArray(json)) {
      if (typeof json !== 'string') throw this.#wrong(path);
      return [json];
    }
    if (json.length === 0) throw this.#wrong(path);
    return json.map((value: unknown, at) => {
      if (typeof value !== 'string') throw this.#wrong([...path, at]);
      return value;
    });
  }

  #object(json: unknown, path: JsonPath, known?: ReadonlySet<string>): JsonObject {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw this.#wrong(path);
    // JSON makes no others than plain objects.
    const object = json as JsonObject;
    for (const name of Object.keys(object)) if (known?.has(name) === false) throw this.#wrong([...path, name]);
    return object;
  }

  /** Assumed: the position is that of the value which is not as it should be. */
  #wrong(path: JsonPath): ValidationException {
    const { row, column } = positionInJson(this.#text, path);
    return invalidPolicy(`Syntax error at position (${row},${column})`);
  }
}

function missing(member: string): ValidationException {
  return invalidPolicy(`Missing required field ${member}`);
}

function principalOf(kind: PrincipalKind, text: string): PolicyPrincipal {
  return { kind, name: kind === 'AWS' && /^\d{12}$/.test(text) ? `arn:aws:iam::${text}:root` : text };
}
