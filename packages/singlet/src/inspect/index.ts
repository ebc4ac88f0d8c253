/** The entry of inspect: what the composition root may use. */
export type { InspectServices } from './endpoint.ts';
export { answerPart, createInspect, createModelInspect } from './inspector.ts';
export type { Peers } from './peers.ts';
export { migrationRefused, type MigrationSettings, type MigrationSource, type MigrationWork } from './migrations.ts';
export {
  type MatchedPattern,
  type ModelFault,
  modelRefused,
  type ModelSource,
  type ModelSummary,
  type PatternRequest,
  type RequestMatcher,
} from './models.ts';
export type { AskedPart, AskedRequest } from './requests/asked-request.ts';
