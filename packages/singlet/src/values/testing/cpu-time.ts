/**
 * CPU time that this process has used, in milliseconds. A bound on it holds on a busy machine, where a bound on elapsed time fails.
 */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
