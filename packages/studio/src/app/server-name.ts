/** The server of the tables: the host of the page, or the endpoint that `singlet studio` forwards to and has written into the page. */
export function serverName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=singlet-endpoint]')?.content ?? location.host;
}

/** A server that is not on this machine may be a production server. */
export function isRemote(): boolean {
  const host = serverName().replace(/:\d+$/, '');
  return !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}
