/** The entities that a need reads or writes. */
export type TargetOf<V> = V extends string
  ? V
  : V extends readonly [infer N]
    ? N
    : V extends object
      ? { [K in keyof V]: V[K] extends readonly [infer N] ? N : V[K] }[keyof V]
      : never;

/** The entities of a need, whatever its verb. */
export type Targets<P> = P extends { reads: infer R }
  ? TargetOf<R>
  : P extends { creates: infer R }
    ? TargetOf<R>
    : P extends { updates: infer R }
      ? TargetOf<R>
      : P extends { deletes: infer R }
        ? TargetOf<R>
        : P extends { puts: infer R }
          ? TargetOf<R>
          : P extends { upserts: infer R }
            ? R
            : P extends { checks: infer R }
              ? R
              : never;
