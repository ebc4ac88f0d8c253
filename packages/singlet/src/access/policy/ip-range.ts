/** Addresses with the same first bits. An IPv4 address has 32 bits, even when written as an IPv6 address (`::ffff:10.0.0.1`). */
export interface IpRange {
  readonly bits: 32 | 128;
  readonly address: bigint;
  readonly prefixBits: number;
}

/** `10.0.0.0/8`, `2001:db8::/32`, or an address by itself. Undefined for anything else. */
export function parseIpRange(text: string): IpRange | undefined {
  const [addressText = '', prefixText, ...more] = text.split('/');
  const parsed = parseIpAddress(addressText);
  if (parsed === undefined || more.length > 0) return undefined;
  if (prefixText === undefined) return { ...parsed, prefixBits: parsed.bits };
  if (!/^\d{1,3}$/.test(prefixText)) return undefined;
  const isMapped = parsed.bits === 32 && addressText.includes(':');
  const prefixBits = Number(prefixText) - (isMapped ? 96 : 0);
  return prefixBits < 0 || prefixBits > parsed.bits ? undefined : { ...parsed, prefixBits };
}

export function isInRange(address: Omit<IpRange, 'prefixBits'>, range: IpRange): boolean {
  if (address.bits !== range.bits) return false;
  const ignored = BigInt(range.bits - range.prefixBits);
  return address.address >> ignored === range.address >> ignored;
}

export function parseIpAddress(text: string): Omit<IpRange, 'prefixBits'> | undefined {
  if (!text.includes(':')) {
    const address = parseIpv4(text);
    return address === undefined ? undefined : { bits: 32, address };
  }
  const address = parseIpv6(text);
  if (address === undefined) return undefined;
  return address >> 32n === 0xffffn ? { bits: 32, address: address & 0xffff_ffffn } : { bits: 128, address };
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((address, part) => (address << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [front, back] = [groupsOf(halves[0] ?? ''), groupsOf(halves[1] ?? '')];
  if (front === undefined || back === undefined) return undefined;
  const missing = 8 - front.length - back.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...front, ...Array.from({ length: missing }, () => 0n), ...back];
  return groups.reduce((address, group) => (address << 16n) | group, 0n);
}

/** Groups of 16 bits; a trailing IPv4 address makes two of them. */
function groupsOf(text: string): readonly bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const ipv4 = at === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (ipv4 !== undefined) groups.push(ipv4 >> 16n, ipv4 & 0xffffn);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
