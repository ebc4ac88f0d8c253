/** Whether arrays and objects of parsed JSON are nested more than `levelCount` deep. */
export function nestsDeeperThan(levelCount: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  if (levelCount === 0) return true;
  const entries: readonly unknown[] = Object.values(json);
  return entries.some((entry) => nestsDeeperThan(levelCount - 1, entry));
}
