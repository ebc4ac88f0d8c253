import { cpuTimesOf, type Measurement } from './measurement.ts';
import { median, spread } from './statistics.ts';

/** Above this share of the machine used by other processes, time figures say little. */
export const otherLoadNoticed = 0.05;

/**
 * Above this spread of the CPU time that an empty server needs for an answer, time figures say little either. On a quiet machine its rounds differ by
 * a tenth; on processors that are shared with other virtual machines, which this system does not see, by half and more.
 */
const floorSpreadNoticed = 0.25;

interface Observed {
  readonly measurements: readonly Measurement[];
  /** Share of the machine's CPU time that other processes used. */
  readonly otherLoadShare?: number | undefined;
}

/** @returns what else used the processors during a run, as the end of a sentence; undefined if the machine was quiet, as far as is known. */
export function disturbanceOf(observed: Observed): string | undefined {
  const { otherLoadShare = 0 } = observed;
  if (otherLoadShare > otherLoadNoticed) return `other processes used ${percent(otherLoadShare)} of it`;
  const floorSpread = floorSpreadOf(observed);
  return floorSpread > floorSpreadNoticed
    ? `the CPU time of an empty server's answer differed by ${percent(floorSpread)} between rounds, as it does when other virtual machines use the same processors`
    : undefined;
}

/** The median of all cases: one disturbed round does not spoil a long run. */
function floorSpreadOf(observed: Observed): number {
  const spreads = observed.measurements
    .filter(({ subject }) => subject === 'http-floor')
    .map(({ caseId, subject }) => cpuTimesOf(observed, caseId, subject))
    .filter((times) => times.length > 1)
    .map(spread);
  return spreads.length === 0 ? 0 : median(spreads);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
