import type { LogExamination } from './examine-log.ts';

/** Describes the findings and repairs in lines of text. */
export function describeLog({ refusal, files, repair }: LogExamination): readonly string[] {
  if (refusal === undefined) return [];
  const found = files.map(({ name, sizeBytes, generation, groups, writes, endOffset, groupsBehind, writesBehind }) =>
    sizeBytes === undefined
      ? `${name}: missing`
      : `${name}: generation ${generation ?? 'unknown'}; ${groups} groups with ${writes} writes up to offset ${endOffset}, ${groupsBehind} groups with ${writesBehind} writes after it`,
  );
  if (repair === undefined) {
    return [
      `lost: ${refusal}`,
      ...found,
      '--accept-loss applies what comes before the damage, writes what can be read after it to a file, and moves the log files aside; --apply-behind-hole also applies the latter, and rebuilds what can be derived from items.',
    ];
  }
  const { appliedWrites, leftWrites, salvageFile, movedFiles } = repair;
  return [
    `given up: ${refusal}`,
    ...found,
    `${appliedWrites} writes of the log applied`,
    ...(salvageFile === undefined ? [] : [`${leftWrites} writes after the damage written to ${salvageFile}`]),
    ...movedFiles.map((path) => `moved aside: ${path}`),
  ];
}
