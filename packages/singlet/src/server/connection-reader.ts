import { Socket } from 'node:net';
import { mayTakeFastPath } from '../values/invariants.ts';
import { isEncrypted } from './peer.ts';

/** A connection that is being read. */
export interface ConnectionReader {
  /** Use this one instead of the accepted socket, which only lives until it is closed. */
  readonly socket: Socket;
  /** From now on, what arrives is data of the socket, as of any stream. */
  release(): void;
}

/** As much as Node reads at a time. */
const readBytesMax = 64 * 1024;

/** All connections are read into it, one after the other: what has been read is copied before anything else runs. */
const readBuffer = Buffer.allocUnsafeSlow(readBytesMax);

/**
 * Passes what arrives on an accepted connection to a function, each piece in memory of its own.
 *
 * An accepted socket allocates 64 KB for each read and passes it on as a stream. Both together take 2 µs of CPU, a tenth of a GetItem.
 * `net.Socket` has an option that reads into a given buffer and calls a function, but a server creates its sockets without it. So
 * a second socket takes over the handle of the accepted one, which stays to be counted by its server until the connection is closed.
 *
 * This is a fast path. Handles are internal to Node.js: without one, and for TLS, the accepted socket is read as a stream. The pieces and events
 * are the same (`connection-reader.test.ts`; `http-server.test.ts`, where chance decides between both).
 *
 * Decision 0141 says why.
 */
export function readConnection(accepted: Socket, onChunk: (chunk: Buffer) => void): ConnectionReader {
  const handle = isEncrypted(accepted) || !mayTakeFastPath() ? undefined : takeHandle(accepted);
  return handle === undefined ? readAsStream(accepted, onChunk) : readDirectly(accepted, handle, onChunk);
}

function readAsStream(socket: Socket, onChunk: (chunk: Buffer) => void): ConnectionReader {
  socket.on('data', onChunk);
  return { socket, release: () => void socket.off('data', onChunk) };
}

function readDirectly(accepted: Socket, handle: object, onChunk: (chunk: Buffer) => void): ConnectionReader {
  let isReleased = false;
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    const chunk = Buffer.from(buffer.subarray(0, bytes));
    if (isReleased) return socket.push(chunk);
    onChunk(chunk);
    return true;
  };
  const { allowHalfOpen } = accepted;
  const options = { handle, allowHalfOpen, onread: { buffer: readBuffer, callback } };
  const socket = new Socket(options);
  socket.once('close', () => accepted.destroy());
  return {
    socket,
    release() {
      isReleased = true;
    },
  };
}

/** @returns undefined for a socket that is closed, or has no handle where Node.js 20 to 24 have it. */
function takeHandle(accepted: Socket): object | undefined {
  const owner = accepted as unknown as { _handle?: object | null };
  const handle = owner._handle ?? undefined;
  if (handle !== undefined) owner._handle = null;
  return handle;
}
