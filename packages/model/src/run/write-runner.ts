import type { PatternInfo } from '../resolve/resolved.ts';
import type { Context } from './context.ts';
import { keptTallies } from './kept-tallies.ts';
import { PlainPut, type PlannedWrite, plainPutOf } from './put.ts';
import type { Runner } from './runner.ts';

/** Runs a write. Code beyond a put is loaded only for writes that need it. */
export async function writeRunner(context: Context, pattern: PatternInfo, plan: PlannedWrite): Promise<Runner> {
  const put = plainPutOf(plan);
  if (put !== undefined && keptTallies(context.resolved, put.entity.name).length === 0)
    return new PlainPut(context, pattern, plan, put);
  return new (await import('./write.ts')).WriteRun(context, pattern, plan);
}
