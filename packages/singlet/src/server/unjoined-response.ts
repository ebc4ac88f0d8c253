import type { UnjoinedBytes } from './encode/answer-bytes.ts';
import type { WireResponse } from './wire.ts';

/** An answer whose bytes are joined only when they are read as its body. */
export class UnjoinedResponse implements WireResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly unjoined: UnjoinedBytes;
  readonly onUnread: WireResponse['onUnread'];

  constructor(status: number, headers: readonly string[], unjoined: UnjoinedBytes, onUnread: WireResponse['onUnread']) {
    this.status = status;
    this.headers = headers;
    this.unjoined = unjoined;
    this.onUnread = onUnread;
  }

  get body(): Uint8Array {
    return this.unjoined.join();
  }
}

/** The body of an answer as it is, joined or not. */
export function bodyOf(response: WireResponse): Uint8Array | UnjoinedBytes {
  return response instanceof UnjoinedResponse ? response.unjoined : response.body;
}
