import type { Model } from '../model.ts';
import type { ModelProblem } from '../model-error.ts';
import { resolveEntities } from './entities.ts';
import { planRead } from './reads.ts';
import type { PatternInfo, ResolvedModel } from './resolved.ts';
import { planWrite } from './writes.ts';

/**
 * Prepares a model for running and for tools. It never throws for a fault of the model. Each fault is in `problems`, of the model or
 * of the pattern, so that a tool can show all of them.
 */
export function resolve(model: Model): ResolvedModel {
  const problems: ModelProblem[] = [];
  const { tables, entities } = resolveEntities(model, problems);
  const patterns = new Map<string, PatternInfo>();
  for (const [name, need] of Object.entries(model.patterns)) {
    const found: ModelProblem[] = [];
    const fail = (code: string, message: string): undefined =>
      void found.push({ code, path: `served.${name}`, message });
    const served = model.served[name];
    if (served === undefined) fail('not-served', 'the pattern is not served');
    const plan =
      served === undefined
        ? undefined
        : need.reads === undefined
          ? planWrite(need, served, entities, fail)
          : planRead(need, served, entities, fail);
    patterns.set(name, { name, need, served: served ?? [], plan, problems: found });
    problems.push(...found);
  }
  const places = new Set(
    [...tables.values()].flatMap((table) => [table.place, ...table.indexes].map((place) => place.name)),
  );
  for (const [name, { takes, scans = {} }] of Object.entries(model.procedures ?? {})) {
    for (const missing of Object.keys(scans).filter((place) => !places.has(place))) {
      const message = `there is no table or index ${missing} to scan`;
      problems.push({ code: 'unknown-place', path: `procedures.${name}`, message });
    }
    for (const missing of takes.filter((pattern) => !patterns.has(pattern))) {
      problems.push({ code: 'unknown-pattern', path: `procedures.${name}`, message: `there is no pattern ${missing}` });
    }
  }
  return { model, tables, entities, patterns, problems };
}
