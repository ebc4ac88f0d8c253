import { conditionOperator } from './condition-operator.ts';
import { PolicyError, type PolicyProblem } from './policy-error.ts';
import {
  type PolicyCondition,
  type PolicyDocument,
  type PolicyPatterns,
  type PolicyPrincipal,
  type PolicyPrincipals,
  type PolicyStatement,
  type PolicyVersion,
  type PrincipalKind,
  principalKinds,
} from './policy-statement.ts';
import { type JsonPath, positionInJson, repeatedMember } from './text-position.ts';

/** What a policy is attached to: a user, group, role or session; a table or stream; or a role, to define who may assume it. */
export type PolicyKind = 'identity' | 'resource' | 'trust';

/**
 * Reads the form of a policy. Resource policies are read as leniently as the service reads them: the effect `allow` means Allow. In every kind
 * a statement need not be in a list, an account means the root of that account, and duplicate principals are merged.
 *
 * @returns the document; equivalent spellings give equal documents.
 * @throws {PolicyError} at the first error.
 */
export function readPolicy(text: string, kind: PolicyKind): PolicyDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const detail = cause instanceof Error ? ` (${cause.message})` : '';
    throw new PolicyError({ kind: 'invalid-json' }, { row: 1, column: 1 }, `The policy is not valid JSON${detail}.`);
  }
  return new PolicyReader(text, kind).document(json);
}

type JsonObject = Readonly<Record<string, unknown>>;

const documentMembers = new Set(['Version', 'Id', 'Statement']);
const statementMembers = new Set(
  'Sid Effect Principal NotPrincipal Action NotAction Resource NotResource Condition'.split(' '),
);

/** In a trust policy the resource is the role itself. */
const roleItself: PolicyPatterns = { isExcluded: false, patterns: ['*'] };

/** Reads the parts of one policy. Keeps the text, to report the position of an error. */
class PolicyReader {
  readonly #text: string;
  readonly #kind: PolicyKind;

  constructor(text: string, kind: PolicyKind) {
    this.#text = text;
    this.#kind = kind;
  }

  document(json: unknown): PolicyDocument {
    const members = this.#object(json, [], 'The policy', documentMembers);
    const { Version: version, Id: id, Statement: statement } = members;
    if (version !== undefined && version !== '2008-10-17' && version !== '2012-10-17') {
      throw this.#misplaced(['Version'], 'Version must be "2012-10-17" or "2008-10-17".');
    }
    if (id !== undefined && typeof id !== 'string') throw this.#misplaced(['Id'], 'Id must be a string.');
    if (statement === undefined) throw this.#missing([], 'Statement', 'The policy');
    const isList = Array.isArray(statement);
    const list: readonly unknown[] = isList ? statement : [statement];
    if (list.length === 0) {
      throw this.#wrong({ kind: 'no-statements' }, ['Statement'], 'Statement is empty: write at least one statement.');
    }
    const statements = list.map((one, at) => this.#statement(one, isList ? ['Statement', at] : ['Statement']));
    this.#checkSids(statements);
    const repeated = repeatedMember(this.#text);
    if (repeated !== undefined) {
      throw new PolicyError(
        { kind: 'misplaced' },
        repeated.position,
        `The member "${repeated.name}" is written twice in one object: write it once.`,
      );
    }
    return {
      ...(version !== undefined && { version: version satisfies PolicyVersion }),
      ...(id !== undefined && { id }),
      statements,
    };
  }

  #checkSids(statements: readonly PolicyStatement[]): void {
    const sids = new Set<string>();
    for (const [at, { sid }] of statements.entries()) {
      if (sid !== undefined && sids.has(sid)) {
        throw this.#wrong(
          { kind: 'repeated-sid' },
          ['Statement', at, 'Sid'],
          `Two statements have the Sid "${sid}": give each its own.`,
        );
      }
      if (sid !== undefined) sids.add(sid);
    }
  }

  #statement(json: unknown, path: JsonPath): PolicyStatement {
    const members = this.#object(json, path, 'A statement', statementMembers);
    const { Sid: sid } = members;
    if (sid !== undefined && typeof sid !== 'string') throw this.#misplaced([...path, 'Sid'], 'Sid must be a string.');
    const effect = this.#effect(members, path);
    const principals = this.#principals(members, path);
    return {
      ...(sid !== undefined && { sid }),
      effect,
      ...(principals !== undefined && { principals }),
      actions: this.#patterns(members, 'Action', path),
      resources: this.#resources(members, path),
      conditions: members.Condition === undefined ? [] : this.#conditions(members.Condition, [...path, 'Condition']),
    };
  }

  #effect({ Effect: effect }: JsonObject, path: JsonPath): PolicyStatement['effect'] {
    if (effect === undefined) throw this.#missing(path, 'Effect', 'A statement');
    if (effect === 'Allow' || effect === 'Deny') return effect;
    if (this.#kind === 'resource' && typeof effect === 'string') {
      if (effect.toLowerCase() === 'allow') return 'Allow';
      if (effect.toLowerCase() === 'deny') return 'Deny';
    }
    throw this.#misplaced([...path, 'Effect'], 'Effect must be "Allow" or "Deny".');
  }

  #resources(members: JsonObject, path: JsonPath): PolicyPatterns {
    if (this.#kind !== 'trust') return this.#patterns(members, 'Resource', path);
    const name = this.#oneOf(members, 'Resource', path);
    if (name === undefined) return roleItself;
    throw this.#misplaced([...path, name], `A trust policy has no ${name}: it is about the role it belongs to.`);
  }

  #principals(members: JsonObject, path: JsonPath): PolicyPrincipals | undefined {
    const name = this.#oneOf(members, 'Principal', path);
    if (name === undefined) return undefined;
    const isExcluded = name === 'NotPrincipal';
    const value = members[name];
    const at = [...path, name];
    if (value === '*') return { isExcluded, isEverybody: true, names: [] };
    const byKind = this.#object(value, at, `${name} must be "*" or an object, such as {"AWS": "…"}; it`, kindNames);
    const names = Object.entries(byKind).flatMap(([kind, list]) =>
      // #object allows only these names.
      this.#texts(list, [...at, kind]).map((text) => principalOf(kind as PrincipalKind, text)),
    );
    if (names.length === 0)
      throw this.#misplaced(at, `${name} names no principal: write "*" or at least one principal.`);
    const unique = new Map(names.map((principal) => [`${principal.kind} ${principal.name}`, principal]));
    return { isExcluded, isEverybody: false, names: [...unique.values()] };
  }

  #patterns(members: JsonObject, what: 'Action' | 'Resource', path: JsonPath): PolicyPatterns {
    const name = this.#oneOf(members, what, path);
    if (name === undefined) throw this.#missing(path, what, 'A statement');
    return { isExcluded: name !== what, patterns: this.#texts(members[name], [...path, name]) };
  }

  /** `Action` or `NotAction`, whichever is present; both together are refused. */
  #oneOf(members: JsonObject, what: string, path: JsonPath): string | undefined {
    const [name, second] = [what, `Not${what}`].filter((candidate) => members[candidate] !== undefined);
    if (second !== undefined) {
      throw this.#misplaced([...path, second], `A statement has ${what} or ${second}, not both.`);
    }
    return name;
  }

  #conditions(json: unknown, path: JsonPath): readonly PolicyCondition[] {
    return Object.entries(this.#object(json, path, 'Condition')).flatMap(([operator, byKey]) => {
      if (conditionOperator(operator) === undefined) {
        throw this.#wrong(
          { kind: 'unknown-operator', operator },
          [...path, operator],
          `"${operator}" is not a condition operator: write one such as "StringEquals" or "ForAllValues:StringLike".`,
        );
      }
      return Object.entries(this.#object(byKey, [...path, operator], operator)).map(([key, value]) => ({
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
      throw this.#misplaced(
        Array.isArray(json) ? [...path, at] : path,
        'The values of a condition are strings, numbers or booleans.',
      );
    });
  }

  /** A text, or a list of texts that is not empty. */
  #texts(json: unknown, path: JsonPath): readonly string[] {
    const refuse = (at: JsonPath): PolicyError =>
      this.#misplaced(at, `${String(path.at(-1))} must be a string, or a list of strings that is not empty.`);
    if (!Array.isArray(json)) {
      if (typeof json !== 'string') throw refuse(path);
      return [json];
    }
    if (json.length === 0) throw refuse(path);
    return json.map((value: unknown, at) => {
      if (typeof value !== 'string') throw refuse([...path, at]);
      return value;
    });
  }

  #object(json: unknown, path: JsonPath, what: string, known?: ReadonlySet<string>): JsonObject {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw this.#misplaced(path, `${what} must be a JSON object.`);
    }
    // JSON contains only plain objects.
    const object = json as JsonObject;
    for (const name of Object.keys(object)) {
      if (known?.has(name) === false) {
        throw this.#misplaced(
          [...path, name],
          `"${name}" is not a member here: write one of ${[...known].join(', ')}.`,
        );
      }
    }
    return object;
  }

  #missing(path: JsonPath, member: string, what: string): PolicyError {
    return this.#wrong({ kind: 'missing', member }, path, `${what} needs the member ${member}.`);
  }

  /** Assumed: the position is that of the invalid value. */
  #misplaced(path: JsonPath, advice: string): PolicyError {
    return this.#wrong({ kind: 'misplaced' }, path, advice);
  }

  #wrong(problem: PolicyProblem, path: JsonPath, advice: string): PolicyError {
    return new PolicyError(problem, positionInJson(this.#text, path), advice);
  }
}

const kindNames: ReadonlySet<string> = new Set(principalKinds);

function principalOf(kind: PrincipalKind, text: string): PolicyPrincipal {
  return { kind, name: kind === 'AWS' && /^\d{12}$/.test(text) ? `arn:aws:iam::${text}:root` : text };
}
