import type { Random } from './random.ts';

const fractionSteps = 2 ** 32;
/** A prime, so that ranks are spread over the whole table and no two map to the same item. */
const spreadPrime = 7_368_787;

/**
 * Draws from 0 up to, not including, `count`, the k-th with a probability in proportion to 1 / (k + 1) ^ exponent: few
 * keys are requested often and most hardly ever, as in practice. Uses rejection-inversion, which needs no sum over
 * all ranks and little more than one try per draw.
 *
 * @see Hörmann and Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", 1996
 */
export function createZipf({
  count,
  exponent,
  random,
}: {
  readonly count: number;
  readonly exponent: number;
  readonly random: Random;
}): () => number {
  const density = (x: number): number => Math.exp(-exponent * Math.log(x));
  const integral = (x: number): number => expm1Ratio((1 - exponent) * Math.log(x)) * Math.log(x);
  // Rounding may produce a value below -1, which has no logarithm.
  const integralInverse = (y: number): number => Math.exp(log1pRatio(Math.max(-1, y * (1 - exponent))) * y);
  const upper = integral(1.5) - 1;
  const lower = integral(count + 0.5);
  const certain = 2 - integralInverse(integral(2.5) - density(2));
  return () => {
    for (;;) {
      const drawn = lower + (random(fractionSteps) / fractionSteps) * (upper - lower);
      const x = integralInverse(drawn);
      const rank = Math.min(count, Math.max(1, Math.floor(x + 0.5)));
      if (rank - x <= certain || drawn >= integral(rank + 0.5) - density(rank)) return rank - 1;
    }
  };
}

/** The position of the item with a rank: the most frequent items are not adjacent. Each rank has its own item. */
export function spreadRank(rank: number, count: number): number {
  return count % spreadPrime === 0 ? rank : (rank * spreadPrime) % count;
}

/** (e^x - 1) / x, also accurate near 0. */
function expm1Ratio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2;
}

/** ln(1 + x) / x, also accurate near 0. */
function log1pRatio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2;
}
