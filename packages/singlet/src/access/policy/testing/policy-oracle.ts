import { BlockList, isIPv6 } from 'node:net';
import { principals, type PolicyRow } from './policy-suite.ts';

/*
 * A second evaluator, written from the IAM User Guide and sharing no code with the first: it works on the JSON of policies, turns patterns into
 * regular expressions, and decides by tables instead of steps. It supports the policies that the tests generate, and does not refuse invalid
 * ones.
 */

type Json = Readonly<Record<string, unknown>>;
type Context = Readonly<Record<string, string | readonly string[]>>;

/** Wildcards as a regular expression; `literal` escapes everything. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
const globbed = (text: string, any: string): string =>
  text
    .split('')
    .map((c) => (c === '*' ? `${any}*` : c === '?' ? any : escaped(c)))
    .join('');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);
const textsOf = (value: unknown): readonly string[] => listOf(value).map(String);

function lookUp(context: Context, key: string): string | readonly string[] | undefined {
  const entry = Object.entries(context).find(([name]) => name.toLowerCase() === key.toLowerCase());
  return entry?.[1];
}

/** A text with variables as a regular expression; null when a variable has no value. */
function expressionOf(text: string, context: Context, isModern: boolean, any: string | undefined): string | null {
  const plain = (piece: string): string => (any === undefined ? escaped(piece) : globbed(piece, any));
  if (!isModern) return plain(text);
  let isNull = false;
  const pieces = text.split(/(\$\{[^}]*\})/).map((piece) => {
    if (!/^\$\{.*\}$/s.test(piece)) return plain(piece);
    const inner = piece.slice(2, -1);
    if (['*', '?', '$'].includes(inner)) return escaped(inner);
    const [name = '', fallback] = inner.split(/, ?'/);
    const value = lookUp(context, name.trim()) ?? fallback?.replace(/'\s*$/, '');
    if (typeof value !== 'string') isNull = true;
    return escaped(String(value));
  });
  return isNull ? null : pieces.join('');
}

function arnExpressions(pattern: string, context: Context, isModern: boolean): string | null {
  if (pattern === '*') return '';
  const colons = pattern.split(':');
  const segments = [...colons.slice(0, 5), ...(colons.length > 5 ? [colons.slice(5).join(':')] : [])];
  const expressions = segments.map((segment, at) =>
    expressionOf(segment, context, isModern, at < 5 ? '[^:]' : String.raw`[\s\S]`),
  );
  return expressions.includes(null) ? null : `^${expressions.join(':')}$`;
}

const instant = (text: string): number => (/^\d{5,}$/.test(text) ? Number(text) * 1000 : new Date(text).getTime());

function inBlock(range: string, address: string): boolean {
  const [network = '', bits] = range.split('/');
  const list = new BlockList();
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  list.addSubnet(network, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

const orders: Readonly<Record<string, (sign: number) => boolean>> = {
  Equals: (sign) => sign === 0,
  LessThan: (sign) => sign < 0,
  LessThanEquals: (sign) => sign <= 0,
  GreaterThan: (sign) => sign > 0,
  GreaterThanEquals: (sign) => sign >= 0,
};

/** Whether one value of the request matches one of the policy, by the operator without its negation. */
function matchesOne(operator: string, wanted: string, asked: string, context: Context, isModern: boolean): boolean {
  if (operator.startsWith('String')) {
    const any = operator === 'StringLike' ? String.raw`[\s\S]` : undefined;
    const expression = expressionOf(wanted, context, isModern, any);
    return expression !== null && new RegExp(`^${expression}$`, operator.endsWith('IgnoreCase') ? 'i' : '').test(asked);
  }
  if (operator.startsWith('Arn')) {
    const expression = arnExpressions(wanted, context, isModern);
    return expression !== null && new RegExp(expression).test(asked);
  }
  if (operator.startsWith('Numeric')) {
    return orders[operator.slice(7)]?.(Math.sign(Number(asked) - Number(wanted))) ?? false;
  }
  if (operator.startsWith('Date'))
    return orders[operator.slice(4)]?.(Math.sign(instant(asked) - instant(wanted))) ?? false;
  if (operator === 'Bool') return asked.toLowerCase() === wanted.toLowerCase();
  if (operator === 'IpAddress') return inBlock(wanted, asked);
  return Buffer.from(asked, 'base64').equals(Buffer.from(wanted, 'base64'));
}

/** Three-valued: null means "cannot be decided". */
function conditionHolds(
  name: string,
  key: string,
  wanted: readonly string[],
  context: Context,
  isModern: boolean,
): boolean | null {
  const [, set = '', base = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(.*?)(IfExists)?$/.exec(name) ?? [];
  const asked = lookUp(context, key);
  const isMissing = asked === undefined || asked.length === 0 ? asked !== '' : false;
  if (base === 'Null') return wanted.some((one) => (one.toLowerCase() === 'true') === isMissing);
  const isNegative = base.includes('Not');
  if (isMissing) return ifExists !== undefined || set === 'ForAllValues' || (isNegative && set === '');
  const values = typeof asked === 'string' ? [asked] : (asked ?? []);
  if (set === '' && typeof asked !== 'string') return null;
  const row = values.map(
    (one) => wanted.some((want) => matchesOne(base.replace('Not', ''), want, one, context, isModern)) !== isNegative,
  );
  if (set === 'ForAllValues') return values.join('') === '' || !row.includes(false);
  return row.includes(true);
}

interface Answer {
  readonly allow: boolean;
  readonly deny: boolean;
}

/** The result of a policy for a request, over all of its statements; `meant` decides whether a statement applies to the principal. */
function answerOf(policy: Json, request: PolicyRow['request'], meant: (statement: Json) => boolean): Answer {
  const isModern = policy.Version === '2012-10-17';
  const effects = listOf(policy.Statement)
    .map((one) => one as Json)
    .filter((statement) => meant(statement))
    .filter((statement) => {
      const isAllow = statement.Effect === 'Allow';
      const actions = textsOf(statement.Action ?? statement.NotAction);
      const isAction = actions.some((one) => new RegExp(`^${globbed(one, '.')}$`, 'i').test(request.action));
      if (isAction === (statement.Action === undefined)) return false;
      const resources = textsOf(statement.Resource ?? statement.NotResource);
      const expressions = resources.map((one) =>
        one === '*'
          ? ''
          : arnExpressions(one + ':*'.repeat(Math.max(0, 6 - one.split(':').length)), request.context, isModern),
      );
      const isResource = expressions.some((one) => one !== null && new RegExp(one).test(request.resource));
      if (isResource === (statement.Resource === undefined)) return false;
      if (isAllow && statement.Resource === undefined && expressions.includes(null)) return false;
      const truths = Object.entries((statement.Condition ?? {}) as Json).flatMap(([operator, keys]) =>
        Object.entries(keys as Json).map(([key, wanted]) =>
          conditionHolds(operator, key, textsOf(wanted), request.context, isModern),
        ),
      );
      return !truths.includes(false) && (!isAllow || !truths.includes(null));
    })
    .map((statement) => statement.Effect);
  return { allow: effects.includes('Allow'), deny: effects.includes('Deny') };
}

/** @returns `allowed`, `explicit-deny` or `implicit-deny`. */
export function oracleDecision(row: Omit<PolicyRow, 'source' | 'what' | 'decision'>): string {
  const { request } = row;
  const who = principals[request.principal];
  const account = `arn:aws:iam::${who.accountId}:root`;
  const namesIn = (element: unknown): readonly string[] => {
    if (element === '*') return ['*'];
    return textsOf((element as Json).AWS ?? []).map((name) =>
      /^\d{12}$/.test(name) ? `arn:aws:iam::${name}:root` : name,
    );
  };
  const idOf = who.userId.split(':')[0] ?? '';
  const own = who.kind === 'user' ? [who.arn, idOf] : [who.arn];
  const roles = who.kind === 'session' ? [who.principalArn, idOf] : [];
  const isIn = (names: readonly string[], list: readonly string[]): boolean => list.some((one) => names.includes(one));

  /** The part of the resource's policy that names the principal in one of the given ways. */
  const resourceAnswer = (...ways: readonly ('itself' | 'role' | 'everybody' | 'account')[]): Answer => {
    if (row.resource === undefined) return { allow: false, deny: false };
    return answerOf(row.resource as Json, request, (statement) => {
      if (statement.NotPrincipal !== undefined) {
        const names = namesIn(statement.NotPrincipal);
        if (statement.Effect === 'Allow') {
          return ways.includes('everybody') && !isIn(names, [...own, ...roles, account, '*']);
        }
        const isSpared =
          names.includes('*') ||
          (isIn(names, own) && (roles.length === 0 || isIn(names, roles)) && isIn(names, [account]));
        return row.boundary !== undefined || !isSpared;
      }
      const names = namesIn(statement.Principal);
      const isDirect = Object.entries((statement.Condition ?? {}) as Json).some(
        ([operator, keys]) =>
          /^(ForAnyValue:)?(String|Arn)(Equals|EqualsIgnoreCase|Like)$/.test(operator) &&
          Object.keys(keys as Json).some((key) => key.toLowerCase() === 'aws:principalarn'),
      );
      return ways.some((way) => {
        if (way === 'itself') return isIn(names, own) || (isDirect && names.includes('*'));
        if (way === 'role') return isIn(names, roles);
        if (way === 'everybody') return names.includes('*');
        return isIn(names, [account]);
      });
    });
  };
  const limit = (policy: object | undefined): Answer =>
    policy === undefined ? { allow: true, deny: false } : answerOf(policy as Json, request, () => true);
  const identity = row.identity === undefined ? { allow: false, deny: false } : limit(row.identity);
  const [boundary, session] = [limit(row.boundary), limit(row.session)];
  const isOwn = (request.owner ?? who.accountId) === who.accountId;
  const isRoot = who.kind === 'root';
  const isSafe = isRoot && isOwn && /^dynamodb:(put|delete)resourcepolicy$/i.test(request.action);
  const all = resourceAnswer('itself', 'role', 'everybody', 'account');
  if ([identity, boundary, session].some(({ deny }) => deny) || (all.deny && !isSafe)) return 'explicit-deny';
  const limits = boundary.allow && session.allow;
  const table: readonly boolean[] = isOwn
    ? [
        isRoot,
        resourceAnswer('itself').allow,
        resourceAnswer('role', 'everybody').allow && limits,
        identity.allow && limits,
      ]
    : [all.allow && (identity.allow || isRoot) && limits];
  return table.includes(true) ? 'allowed' : 'implicit-deny';
}
