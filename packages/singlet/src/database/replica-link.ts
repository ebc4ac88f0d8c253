import { type ReplicaAnswer, type ReplicaLink, type ReplicaMessage, ReplicaUnreachableError } from '../engine/index.ts';
import {
  decodeReplicaAnswer,
  encodeReplica,
  replicaSignature,
  replicaSignatureHeader,
  replicaTarget,
} from '../server/index.ts';

/** How long an answer may take, in milliseconds. */
const answerTimeoutMs = 5000;

/** Connects to a region that another server provides. */
export function createReplicaLink(options: { readonly url: string; readonly secret: string }): ReplicaLink {
  const { url, secret } = options;
  return {
    async send(message: ReplicaMessage): Promise<ReplicaAnswer> {
      const body = encodeReplica(message);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/x-amz-json-1.0',
            'x-amz-target': replicaTarget,
            [replicaSignatureHeader]: replicaSignature(secret, body),
          },
          body,
          signal: AbortSignal.timeout(answerTimeoutMs),
        });
        const answer = new Uint8Array(await response.arrayBuffer());
        if (response.status === 200) return decodeReplicaAnswer(answer);
        throw new ReplicaUnreachableError(
          `${url} answered ${response.status}: ${Buffer.from(answer).toString('utf8')}`,
        );
      } catch (error) {
        if (error instanceof ReplicaUnreachableError) throw error;
        throw new ReplicaUnreachableError(`${url} cannot be reached.`, { cause: error });
      }
    },
  };
}
