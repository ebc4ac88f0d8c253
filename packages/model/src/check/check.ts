import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import type { PatternInfo, ResolvedModel } from '../resolve/resolved.ts';
import { declarationFindings } from './declarations.ts';
import type { Finding } from './finding.ts';
import { type OperationText, operationOf } from './operation.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules/index.ts';

/** What is proven about one pattern. */
export interface PatternVerdict {
  /** The pattern's name. */
  readonly pattern: string;
  /** The id in a requirements document. */
  readonly id?: string;
  /** The actor that needs it, where one is declared. */
  readonly actor?: string;
  /** `reads`, `creates`, `transacts`... */
  readonly verb: string;
  /** Entities that it reads or writes. */
  readonly entities: readonly string[];
  /** Absent where the pattern is not served. */
  readonly served?: OperationText;
  /** `served`: proven, without findings. `remarked`: proven, with warnings or hints. `refused`: it has an error. */
  readonly verdict: 'served' | 'remarked' | 'refused';
  /** Codes of the findings. */
  readonly findings: readonly string[];
  /** Why the model declares that its result is not proven (`unproven`), whatever the verdict. */
  readonly unproven?: string;
}

/** What is proven about one procedure: the proofs of its patterns. */
export interface ProcedureVerdict {
  readonly procedure: string;
  readonly id?: string;
  readonly actor?: string;
  readonly note?: string;
  /** The patterns it uses. */
  readonly takes: readonly string[];
  /** The tables and indexes it reads completely, with the reason. */
  readonly scans?: { readonly [tableOrIndex: string]: string };
  /** The worst verdict among its patterns. */
  readonly verdict: PatternVerdict['verdict'];
}

/** The outcome of a check. */
export interface CheckReport {
  /** The model's name. */
  readonly model: string;
  /** Whether no error was found. */
  readonly ok: boolean;
  /** The results for each pattern. */
  readonly patterns: readonly PatternVerdict[];
  /** The results for each procedure. */
  readonly procedures: readonly ProcedureVerdict[];
  /** Errors first, then warnings, hints and accepted findings. */
  readonly findings: readonly Finding[];
}

/**
 * Proves that each pattern of a model is the bounded operation by key that it is declared to be, and checks the model against
 * the rules. It does not query a database.
 */
export function check(model: Model): CheckReport {
  const malformed = declarationFindings(model);
  if (malformed.length > 0) return { model: model.name, ok: false, patterns: [], procedures: [], findings: malformed };
  const resolved = resolve(model);
  const all = withoutMisshapen(
    rules.flatMap((rule) => findingsOf(rule, resolved)),
    resolved,
  );
  const findings = withoutConsequences(withoutUnknown(all, model)).sort((a, b) => weights[a.level] - weights[b.level]);
  const patterns = [...resolved.patterns.values()].map((pattern) => verdictOf(pattern, findings));
  const procedures = proceduresOf(model, patterns);
  const ok =
    findings.every(({ level }) => level !== 'error') && procedures.every(({ verdict }) => verdict !== 'refused');
  return { model: model.name, ok, patterns, procedures, findings };
}

/** If a key has too many or too few templates, each is compared with the wrong attribute: what is found in such keys, or of what is read by them, would follow from that. */
function withoutMisshapen(findings: readonly Finding[], { problems, patterns }: ResolvedModel): readonly Finding[] {
  const misshapen = problems.filter(({ code }) => code === 'key-length');
  const paths = new Set(misshapen.map(({ path }) => path));
  const entities = new Set(misshapen.map(({ path }) => path.split('.')[1] ?? ''));
  const messages = new Set(misshapen.map(({ message }) => message));
  return findings.filter(({ code, path, message }) => {
    if (code === 'bad-declaration' && paths.has(path)) return messages.has(message);
    const [section = '', name = ''] = path.split('.');
    if (['keys', 'entities', 'storage'].includes(section)) return !entities.has(name);
    return !followFromNames.has(code) || !entitiesOf(patterns.get(name)?.plan).some((each) => entities.has(each));
  });
}

/**
 * How a pattern is served is not checked while a relationship or a key of its entities has an unknown name, or a table does, or `served` names
 * an unknown pattern in its place: what is found would follow from the name.
 */
function withoutUnknown(findings: readonly Finding[], { patterns, served }: Model): readonly Finding[] {
  const unknown = findings.filter(({ code, level }) => level === 'error' && namesUnknown.has(code));
  const paths = unknown.map(({ path }) => path.split('.'));
  const entities = new Set(
    paths.flatMap(([section, ...names]) =>
      section === 'relationships' ? names.slice(0, 2) : section === 'keys' ? names.slice(0, 1) : [],
    ),
  );
  // A table has keys of any entity, and an unknown entity may be any.
  const isAny = unknown.some(({ code, path }) => code === 'unknown-entity' || path.startsWith('tables.'));
  const isAnyPattern = paths.some(([section, name = '']) => section === 'served' && patterns[name] === undefined);
  return findings.filter(({ code, path }) => {
    const name = patternOf(path) ?? '';
    const need = patterns[name];
    if (need === undefined || !followFromNames.has(code)) return true;
    if (isAnyPattern && served[name] === undefined) return false;
    return !isAny && !namedEntities(need).some((each) => entities.has(each));
  });
}

const namesUnknown = new Set(['unknown-name', 'unknown-entity', 'bad-declaration']);

/** The entities that a pattern names, whatever its plan. */
function namedEntities({ transacts = {}, ...need }: Model['patterns'][string]): string[] {
  const own = verbs.flatMap((verb) => {
    const target: unknown = verb === 'transacts' ? undefined : need[verb];
    return typeof target === 'object' && target !== null ? Object.values(target).flat() : [target];
  });
  return [...own, ...Object.values(transacts).flatMap(namedEntities)].map(String);
}

/** For a pattern that uses an unknown name, how it is served is not checked: those findings would follow from the name. So does a filter from an input without a key. */
function withoutConsequences(findings: readonly Finding[]): Finding[] {
  const misnamed = new Set(
    findings.flatMap(({ code, level, path }) =>
      code === 'unknown-name' && level === 'error' ? (patternOf(path) ?? []) : [],
    ),
  );
  const unread = new Set(
    findings.flatMap(({ code, level, path }) =>
      code === 'input-not-used' && level === 'error' ? (patternOf(path) ?? []) : [],
    ),
  );
  return findings.filter(
    ({ code, path }) =>
      (!(followFromNames.has(code) || followFromConditions.has(code)) || !misnamed.has(patternOf(path) ?? '')) &&
      (!followFromInputs.has(code) || !unread.has(patternOf(path) ?? '')),
  );
}

/** An input that the key does not have would be a filter. */
const followFromInputs = new Set(['filter-with-limit', 'filter-selects']);

/** A condition that is not understood would not keep a bound. */
const followFromConditions = new Set(['bound-not-kept']);

const followFromNames = new Set(['not-served', ...rules.flatMap(({ code, proof }) => (proof === true ? [code] : []))]);

function proceduresOf({ procedures = {} }: Model, patterns: readonly PatternVerdict[]): ProcedureVerdict[] {
  const verdicts = new Map(patterns.map(({ pattern, verdict }) => [pattern, verdict]));
  return Object.entries(procedures).map(([procedure, { id, actor, note, takes, scans }]) => {
    const own = takes.map((pattern) => verdicts.get(pattern) ?? 'refused');
    const verdict = (['refused', 'remarked'] as const).find((each) => own.includes(each)) ?? 'served';
    return {
      procedure,
      ...(id !== undefined && { id }),
      ...(actor !== undefined && { actor }),
      ...(note !== undefined && { note }),
      takes,
      ...(scans !== undefined && { scans }),
      verdict,
    };
  });
}

const weights = { error: 0, warning: 1, hint: 2, accepted: 3 } as const;

function findingsOf(
  { code, level, remedy, look, proof, isRefused: isAlways }: Rule,
  resolved: ResolvedModel,
): Finding[] {
  const seen = new Set<string>();
  return look(resolved).flatMap(({ isRefused, ...report }): Finding[] => {
    const key = `${report.path} ${report.message}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const finding: Finding = { code, level, remedy, ...report };
    if (isRefused === true || isAlways === true) return [finding];
    const because =
      proof === true ? unprovenOf(resolved.model, report.path) : acceptance(resolved.model, report.path, code);
    return [because === undefined ? finding : { ...finding, level: 'accepted', because }];
  });
}

/** Why there is nothing to prove about a pattern. */
function unprovenOf({ patterns }: Model, path: string): string | undefined {
  return patterns[path.split('.')[1] ?? '']?.unproven;
}

/** Why a model accepts a finding: stated at the pattern, at the entity's storage or at the table. */
function acceptance({ patterns, storage, tables }: Model, path: string, code: string): string | undefined {
  const [section = '', name = ''] = path.split('.');
  if (section === 'patterns' || section === 'served') return patterns[name]?.accepts?.[code];
  if (section === 'tables') return tables[name]?.accepts?.[code];
  return storage[name]?.accepts?.[code];
}

function verdictOf({ name, need, plan, ...rest }: PatternInfo, findings: readonly Finding[]): PatternVerdict {
  const mine = findings.filter(({ path, level }) => level !== 'accepted' && isAbout(path, name));
  const served = operationOf({ name, need, plan, ...rest });
  const refused = plan === undefined || mine.some(({ level }) => level === 'error');
  return {
    pattern: name,
    ...(need.id !== undefined && { id: need.id }),
    ...(need.actor !== undefined && { actor: need.actor }),
    verb: verbs.find((verb) => need[verb] !== undefined) ?? 'reads',
    entities: entitiesOf(plan),
    ...(served !== undefined && { served }),
    verdict: refused ? 'refused' : mine.length > 0 ? 'remarked' : 'served',
    findings: [...new Set(mine.map(({ code }) => code))],
    ...(need.unproven !== undefined && { unproven: need.unproven }),
  };
}

const verbs = ['reads', 'transacts', 'creates', 'puts', 'upserts', 'updates', 'deletes', 'checks'] as const;

function isAbout(path: string, pattern: string): boolean {
  return patternOf(path) === pattern;
}

function patternOf(path: string): string | undefined {
  const [section, name] = path.split('.');
  return section === 'patterns' || section === 'served' ? name : undefined;
}

function entitiesOf(plan: PatternInfo['plan']): string[] {
  if (plan === undefined) return [];
  switch (plan.kind) {
    case 'write':
      return [...new Set(plan.writes.map(({ entity }) => entity.name))];
    case 'get':
    case 'query':
      return plan.parts.map(({ entity }) => entity.name);
    default:
      return [plan.part.entity.name];
  }
}
