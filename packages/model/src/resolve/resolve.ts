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
  try {
    return resolved(model);
  } catch (error) {
    // Something has not the type that it must have, which `check` says exactly.
    const problems = [{ code: 'malformed', path: 'model', message: `is none, as \`check\` shows: ${String(error)}` }];
    return { model, tables: new Map(), entities: new Map(), patterns: new Map(), problems };
  }
}

function resolved(model: Model): ResolvedModel {
  const problems: ModelProblem[] = [];
  const { tables, entities } = resolveEntities(model, problems);
  const patterns = new Map<string, PatternInfo>();
  for (const [name, need] of Object.entries(model.patterns)) {
    const found: ModelProblem[] = [];
    const fail = failing(found, `served.${name}`);
    const served = model.served[name];
    const plan =
      served === undefined
        ? fail('not-served', 'the pattern is not served')
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
    const fail = failing(problems, `procedures.${name}`);
    for (const place of Object.keys(scans))
      if (!places.has(place)) fail('unknown-place', `there is no table or index ${place} to scan`);
    for (const pattern of takes) if (!patterns.has(pattern)) fail('unknown-pattern', `there is no pattern ${pattern}`);
  }
  return { model, tables, entities, patterns, problems };
}

/** A function that adds faults at one place of the model. */
function failing(problems: ModelProblem[], path: string): (code: string, message: string) => undefined {
  return (code, message) => void problems.push({ code, path, message });
}
