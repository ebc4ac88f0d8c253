import type { ReactNode } from 'react';

const paths = {
  table: 'M2.5 3.5h10v8h-10zM2.5 6.5h10M6 6.5v5',
  index: 'M3 4h9M5 7.5h7M8 11h4',
  find: 'M6.5 2.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM9.5 9.5l3 3',
  open: 'M4 6l3.5 3.5L11 6',
  closed: 'M6 4l3.5 3.5L6 11',
  back: 'M9 4L5.5 7.5 9 11',
  close: 'M4 4l7 7M11 4l-7 7',
  light:
    'M7.5 4.8a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM7.5 1v1.2M7.5 12.8V14M1 7.5h1.2M12.8 7.5H14M3 3l.8.8M11.2 11.2l.8.8M12 3l-.8.8M3.8 11.2L3 12',
  dark: 'M12.5 9A5.5 5.5 0 0 1 6 2.5 5.5 5.5 0 1 0 12.5 9z',
  system: 'M2.5 3h10v7h-10zM5 12.5h5',
  model: 'M2.5 2.5h4v4h-4zM8.5 8.5h4v4h-4zM6.5 4.5h4v4',
  run: 'M4 2.8v9.4l7.5-4.7z',
  heat: 'M7.5 1.5c.5 3 3.5 3.7 3.5 7a3.5 3.5 0 0 1-7 0c0-1.5.8-2.5 1.5-3 .2 1 .7 1.5 1.2 1.7C6.9 5 6.5 3 7.5 1.5z',
  settings: 'M2 4.5h6M11 4.5h2M9.5 3v3M2 10.5h2M7 10.5h6M5.5 9v3',
  proven: 'M2.5 8l3.5 3.5 6.5-8',
  query: 'M2.5 3.5h6M2.5 7.5h4M2.5 11.5h3M10 5.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12.2 10.7l1.8 1.8',
  stream: 'M1.5 7.5h3l2-4 3 8 2-4h2',
  requests: 'M2.5 4h10M10 1.5l2.5 2.5L10 6.5M12.5 11h-10M5 8.5L2.5 11 5 13.5',
  tour: 'M3 13V2.5M3 3h8.5l-2 2.5 2 2.5H3',
  migrate: 'M2 4.5h5v6h6M10.5 8l2.5 2.5-2.5 2.5',
  command: 'M2.5 3.5l4 4-4 4M8 11.5h5',
} as const;

export type IconName = keyof typeof paths;

/** An icon next to words, never alone, because screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 15 15" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
