import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine can reach a server that listens on this host. */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a browser resolves this host to its own machine, whatever name servers answer. */
export function isLoopbackName(host: string): boolean {
  return isLoopbackHost(host) || host.endsWith('.localhost');
}
