import { parseArnPattern, splitArn } from './arn-pattern.ts';
import { isMultivalued } from './condition-context.ts';
import { conditionOperator } from './condition-operator.ts';
import { PolicyError } from './policy-error.ts';
import type { PolicyKind } from './policy-reader.ts';
import type { PolicyCondition, PolicyDocument, PolicyPatterns, PolicyStatement } from './policy-statement.ts';
import { parseTemplate } from './text-template.ts';
import { type JsonPath, positionInJson } from './text-position.ts';
import { isBoolean, valueTest } from './value-test.ts';

/** The maximum size of a policy, in characters. The service's own limits, by kind of policy, are at most this large. */
export const policyCharactersMax = 20_480;

/**
 * Checks the content of a well-formed policy. It also refuses what the service would accept but could never match.
 *
 * @throws {PolicyError} at the first error.
 */
export function checkPolicy(document: PolicyDocument, kind: PolicyKind, text: string): void {
  new PolicyCheck(document, kind, text).run();
}

/** A place in a policy, such as the second pattern of `Action` in the third statement. */
interface Place {
  readonly statement: number;
  readonly member: string;
  /** In a condition: operator and key. */
  readonly within?: readonly string[];
  /** The position in a list; without meaning for a single value. */
  readonly at?: number;
}

class PolicyCheck {
  readonly #document: PolicyDocument;
  readonly #kind: PolicyKind;
  readonly #text: string;
  readonly #hasVariables: boolean;

  constructor(document: PolicyDocument, kind: PolicyKind, text: string) {
    this.#document = document;
    this.#kind = kind;
    this.#text = text;
    this.#hasVariables = document.version === '2012-10-17';
  }

  run(): void {
    if (this.#text.length > policyCharactersMax) {
      throw this.#wrongAt([], `The policy is longer than ${policyCharactersMax} characters: divide it.`);
    }
    if (this.#kind !== 'resource' && this.#document.id !== undefined) {
      throw this.#wrongAt(['Id'], 'Id is for policies of resources only: leave it out.');
    }
    for (const [at, statement] of this.#document.statements.entries()) this.#statement(statement, at);
  }

  #statement(statement: PolicyStatement, at: number): void {
    const { sid, actions, resources, conditions } = statement;
    if (this.#kind !== 'resource' && sid !== undefined && !/^[A-Za-z0-9]*$/.test(sid)) {
      throw this.#wrong({ statement: at, member: 'Sid' }, 'A Sid has letters and digits only.');
    }
    this.#principals(statement, at);
    this.#patterns(actions, { statement: at, member: 'Action' }, (pattern) => this.#actionProblem(pattern));
    if (this.#kind !== 'trust') {
      this.#patterns(resources, { statement: at, member: 'Resource' }, (pattern) => this.#resourceProblem(pattern));
    }
    for (const condition of conditions) this.#condition(condition, at);
  }

  #principals({ principals }: PolicyStatement, at: number): void {
    const member = principals?.isExcluded === true ? 'NotPrincipal' : 'Principal';
    if (this.#kind === 'identity') {
      if (principals === undefined) return;
      throw this.#wrong(
        { statement: at, member },
        `An identity policy has no ${member}: it is about the identity that it is attached to.`,
      );
    }
    if (principals === undefined) {
      throw this.#wrong(
        { statement: at, member: '' },
        `A ${this.#kind} policy says whom it is about: add a Principal to the statement.`,
      );
    }
    if (principals.isExcluded && this.#kind === 'trust') {
      throw this.#wrong(
        { statement: at, member },
        'A trust policy has no NotPrincipal: name the principals in Principal.',
      );
    }
    const wrong = principals.names.find(({ kind, name }) => kind === 'AWS' && !isPrincipalName(name));
    if (wrong !== undefined) {
      throw this.#wrong(
        { statement: at, member },
        `"${wrong.name}" is not a principal: write an account id, the ARN of a user, role or role session without wildcards, or "*".`,
      );
    }
  }

  #patterns(
    { isExcluded, patterns }: PolicyPatterns,
    place: Place,
    problemOf: (pattern: string) => string | undefined,
  ): void {
    const member = isExcluded ? `Not${place.member}` : place.member;
    for (const [at, pattern] of patterns.entries()) {
      const problem = problemOf(pattern);
      if (problem !== undefined) throw this.#wrong({ ...place, member, at }, problem);
    }
  }

  #actionProblem(pattern: string): string | undefined {
    if (pattern === '*') return undefined;
    const service = this.#kind === 'trust' ? 'sts' : 'dynamodb';
    const example = this.#kind === 'trust' ? 'sts:AssumeRole' : 'dynamodb:GetItem';
    if (!/^[a-z0-9-]+:[A-Za-z0-9*?]+$/i.test(pattern)) {
      return `"${pattern}" is not an action: write "*" or a service and an action, such as "${example}".`;
    }
    return this.#kind === 'trust' && !pattern.toLowerCase().startsWith(`${service}:`)
      ? `"${pattern}" is not an action of a trust policy: write one of sts, such as "${example}".`
      : undefined;
  }

  #resourceProblem(pattern: string): string | undefined {
    if (pattern === '*') return undefined;
    const parts = splitArn(pattern);
    const [prefix, , service = '*'] = parts;
    if (prefix !== 'arn' || parts.length < 3) {
      return `"${pattern}" is not an ARN: write "*" or an ARN, such as "arn:aws:dynamodb:*:*:table/Orders".`;
    }
    if (/[*?]/.test(service)) return `"${pattern}" has a wildcard for its service: write dynamodb.`;
    if (this.#hasVariables && /\$\{/.test(parts.slice(0, 5).join(':'))) {
      return `"${pattern}" has a policy variable before its fifth colon: variables have values in the last part of an ARN only.`;
    }
    const parsed = parseArnPattern(pattern, { hasVariables: this.#hasVariables, isCompleted: true });
    return parsed === undefined ? variableProblem(pattern) : this.#multivaluedVariable(pattern);
  }

  #condition({ operator: name, key, values }: PolicyCondition, statement: number): void {
    const place: Place = { statement, member: 'Condition', within: [name, key] };
    const operator = conditionOperator(name);
    if (operator === undefined) return; // refused by the reader
    if (!/^[a-z0-9-]+:.+$/i.test(key)) {
      throw this.#wrong(place, `"${key}" is not a condition key: write a prefix and a name, such as "aws:SourceIp".`);
    }
    if (isMultivalued(key) && operator.quantifier === undefined && operator.comparison !== 'Null') {
      throw this.#wrong(place, `${key} has several values: write "ForAllValues:${name}" or "ForAnyValue:${name}".`);
    }
    for (const [at, value] of values.entries()) {
      const problem = this.#valueProblem(operator.comparison, value);
      if (problem !== undefined) throw this.#wrong({ ...place, at }, problem);
    }
  }

  #valueProblem(comparison: string, value: PolicyCondition['values'][number]): string | undefined {
    const text = String(value);
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      return 'A number of so many digits is not read exactly: write it in quotes.';
    }
    if (comparison === 'Null') return isBoolean(text) ? undefined : 'Null compares with "true" or "false".';
    if (valueTest(comparison, text, this.#hasVariables) !== undefined) {
      return /^(?:String|Arn)/.test(comparison) ? this.#multivaluedVariable(text) : undefined;
    }
    if (/^(?:String|Arn)/.test(comparison)) return variableProblem(text);
    return `"${text}" is nothing that ${comparison} compares with: write ${exampleOf(comparison)}.`;
  }

  #multivaluedVariable(text: string): string | undefined {
    const parts = parseTemplate(text, this.#hasVariables)?.parts ?? [];
    const multivalued = parts.find((part) => part.kind === 'variable' && isMultivalued(part.key));
    return multivalued && `"${text}" has a variable for a key with several values, which has no single value.`;
  }

  #wrong({ statement, member, within = [], at }: Place, advice: string): PolicyError {
    const json: unknown = JSON.parse(this.#text);
    let path: JsonPath = [];
    let here = json;
    const step = (name: string | number): void => {
      path = [...path, name];
      here = (here as Readonly<Record<string | number, unknown>>)[name]; // the reader has checked that it exists
    };
    step('Statement');
    if (Array.isArray(here)) step(statement);
    for (const name of member === '' ? [] : [member, ...within]) step(name);
    if (at !== undefined && Array.isArray(here)) step(at);
    return this.#wrongAt(path, advice);
  }

  #wrongAt(path: JsonPath, advice: string): PolicyError {
    return new PolicyError({ kind: 'not-allowed' }, positionInJson(this.#text, path), advice);
  }
}

function variableProblem(text: string): string {
  return `"${text}" has a "\${" that begins no policy variable: write \${aws:username}, \${aws:PrincipalTag/team, 'default'}, or \${$} for a dollar sign.`;
}

const principalArn =
  /^arn:aws[a-z-]*:(?:iam::\d{12}:(?:root|(?:user|role)\/[^*?]+)|sts::\d{12}:(?:assumed-role|federated-user)\/[^*?]+)$/;

function isPrincipalName(name: string): boolean {
  return name === '*' || principalArn.test(name) || /^A[A-Z]{3}[A-Z0-9]{12,}$/.test(name);
}

function exampleOf(comparison: string): string {
  if (comparison.startsWith('Numeric')) return 'a number';
  if (comparison.startsWith('Date')) return 'a date such as "2026-11-22T00:00:00Z", or seconds since 1970';
  if (comparison === 'Bool') return '"true" or "false"';
  return comparison === 'BinaryEquals' ? 'base64' : 'an address or a range such as "10.0.0.0/8"';
}
