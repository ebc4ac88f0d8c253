export { check, type CheckReport, type PatternVerdict } from './check.ts';
export type { Finding, Level } from './finding.ts';
export type { RangeCase, RangePages, RangeRequest, RangeResident, ReadRanges, SortKeyRange } from './key-ranges.ts';
export type { OperationText } from './operation.ts';
export { type PatternPolicy, patternPolicy, type PatternPolicyStatement } from './pattern-policy.ts';
export { type PlaceInFile, placeInFile } from './place-in-file.ts';
export type { Rule } from './rule.ts';
export { rules } from './rules/index.ts';
export { type TenantPolicy, tenantPolicy, type TenantPolicyOptions } from './tenant-policy.ts';
