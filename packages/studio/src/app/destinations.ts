import type { IconName } from '../ui/icon.tsx';
import type { Address } from './address.ts';

/** A view that every page can open. */
export interface Destination {
  readonly group: 'Design' | 'Live';
  readonly title: string;
  readonly icon: IconName;
  /** Pressed after `G`. */
  readonly key: string;
  readonly to: Address;
  /** Whether it has a place in the bar at the bottom of narrow pages. */
  readonly isInBar: boolean;
}

/** The views besides the tables, in the order of the list. Unfinished views are not included. */
export const destinations: readonly Destination[] = [
  { group: 'Design', title: 'Model', icon: 'model', key: 'm', to: { view: 'model' }, isInBar: true },
  {
    group: 'Design',
    title: 'Patterns',
    icon: 'run',
    key: 'p',
    to: { view: 'model', section: 'patterns' },
    isInBar: false,
  },
  {
    group: 'Design',
    title: 'Migrations',
    icon: 'migrate',
    key: 'i',
    to: { view: 'migrations' },
    isInBar: false,
  },
  { group: 'Design', title: 'Tour', icon: 'tour', key: 'u', to: { view: 'tour' }, isInBar: false },
  { group: 'Live', title: 'Query', icon: 'query', key: 'q', to: { view: 'query' }, isInBar: true },
  { group: 'Live', title: 'PartiQL', icon: 'command', key: 'l', to: { view: 'statement' }, isInBar: false },
  { group: 'Live', title: 'Streams', icon: 'stream', key: 's', to: { view: 'streams' }, isInBar: true },
  { group: 'Live', title: 'Requests', icon: 'requests', key: 'r', to: { view: 'requests' }, isInBar: true },
  { group: 'Live', title: 'Heat', icon: 'heat', key: 'h', to: { view: 'heat' }, isInBar: true },
  { group: 'Design', title: 'Settings', icon: 'settings', key: ',', to: { view: 'settings' }, isInBar: false },
];

/** The destination of an address. If several match, the most specific one. */
export function destinationOf(address: Address): Destination | undefined {
  const state = Object.entries(address) as readonly (readonly [string, unknown])[];
  return destinations
    .filter(({ to }) =>
      Object.entries(to).every(([name, value]) => state.some(([member, is]) => member === name && is === value)),
    )
    .sort((a, b) => Object.keys(b.to).length - Object.keys(a.to).length)[0];
}
