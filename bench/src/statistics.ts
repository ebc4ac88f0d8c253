/**
 * The smallest value that at least `fraction` of the values do not exceed (nearest rank, so it is always one of the values).
 *
 * @param sorted - ascending.
 * @returns NaN when there are no values.
 */
export function percentile(sorted: ArrayLike<number>, fraction: number): number {
  // 0.07 * 100 is 7.000000000000001 in binary. Without this correction the rank would be 8.
  const rank = Math.ceil(fraction * sorted.length - 1e-9);
  return sorted[Math.min(sorted.length, Math.max(1, rank)) - 1] ?? Number.NaN;
}

/** The middle value, or the mean of the two middle values. NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** Distance from the lowest to the highest value, as a share of the median: how far the rounds disagree. */
export function spread(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The quotients of two series, round by round, over the rounds that both have. */
export function ratios(numerators: readonly number[], denominators: readonly number[]): number[] {
  const rounds = Math.min(numerators.length, denominators.length);
  return Array.from({ length: rounds }, (_, round) => (numerators[round] ?? 0) / (denominators[round] ?? 0));
}
