const groupsOfNetwork = 4;
const groupsOfAddress = 8;

/**
 * The key for counting an address: an IPv4 address itself, or the first four groups of an IPv6 address. That is the smallest network that is
 * assigned, and its owner chooses the rest freely.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [beforeGap = '', afterGap] = address.split('%', 1)[0]?.split('::') ?? [];
  const first = beforeGap === '' ? [] : beforeGap.split(':');
  const last = afterGap === undefined || afterGap === '' ? [] : afterGap.split(':');
  const zeros = Array.from({ length: Math.max(0, groupsOfAddress - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, groupsOfNetwork).join(':') + '::/64';
}
