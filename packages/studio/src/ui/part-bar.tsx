import type { ReactNode } from 'react';

/** The share of the items that an index contains. */
export function PartBar({ part, whole }: { readonly part: number; readonly whole: number }): ReactNode {
  const share = whole === 0 ? 0 : Math.min(1, part / whole);
  const percent = share > 0 && share < 0.01 ? '<1' : String(Math.round(share * 100));
  return (
    <svg
      className="part"
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${percent} % of the items are in this index`}
    >
      <title>{percent} % of the items are in this index</title>
      <rect width={share * 100} height="8" />
    </svg>
  );
}
