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
