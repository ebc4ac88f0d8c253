import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Engine, ReplicaAnswer, ReplicaMessage, ReplicatedChange } from '../engine/index.ts';
import type { UncheckedAttributeMap } from '../values/attribute-value.ts';
import { checkAttributeMap } from '../values/check-attribute-value.ts';
import { DynamoError } from '../values/service-error.ts';
import { SerializationException } from './serialization-exception.ts';

/*
 * The protocol between replicas of a global table on different servers: a POST like those of the API, with a target of our
 * own. It is not part of the API, and answered only to callers that have this server's secret:
 *
 *     POST /
 *     X-Amz-Target: Singlet_20261120.Replicate
 *     X-Singlet-Signature: HMAC-SHA256 of the body under the secret, in hexadecimal
 *
 *     { "protocol": 1, "message": { "kind": "write", "accountId": …, "region": …, "tableName": …, … } }
 *
 * The answer has the same form. Repeating a message, from any sender, changes nothing: items
 * and settings carry versions, and an older one never wins.
 */

/** The value of the `X-Amz-Target` header. */
export const replicaTarget = 'Singlet_20261120.Replicate';

export const replicaSignatureHeader = 'x-singlet-signature';

/** Both servers must use the same version. */
const protocol = 1;

export function replicaSignature(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** @returns the body of the answer. @throws {DynamoError} for a request that must not be answered. */
export type ReplicaAction = (signature: string | undefined, body: Uint8Array) => Promise<Buffer>;

export function createReplicaAction(engine: Engine, secret: string): ReplicaAction {
  return async (signature, body) => {
    if (!isSigned(secret, signature, body)) {
      throw new DynamoError(
        'AccessDeniedException',
        'The signature is not that of this server: servers whose tables replicate need the same replica secret.',
      );
    }
    const answer = await engine.receiveReplicaMessage(decodeReplicaMessage(body));
    return encodeReplica(answer);
  };
}

function isSigned(secret: string, signature: string | undefined, body: Uint8Array): boolean {
  const expected = Buffer.from(replicaSignature(secret, body), 'latin1');
  const given = Buffer.from(signature ?? '', 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export function encodeReplica(message: ReplicaMessage | ReplicaAnswer): Buffer {
  return Buffer.from(JSON.stringify({ protocol, message }), 'utf8');
}

/**
 * Decodes the message in a request. It comes from a server that has the secret, so the definition of a table is trusted. The checks
 * are that both servers use the same format, and that items are items.
 *
 * @throws {SerializationException}
 */
export function decodeReplicaMessage(body: Uint8Array): ReplicaMessage {
  const message = decodeEnvelope(body);
  const place = {
    accountId: matchingText(message['accountId'], /^\d{12}$/),
    region: matchingText(message['region'], /^[A-Za-z0-9_-]{1,63}$/),
    tableName: matchingText(message['tableName'], /^[a-zA-Z0-9_.-]{3,255}$/),
  };
  switch (message['kind']) {
    case 'inspect':
      return { kind: 'inspect', ...place };
    case 'define': {
      const definition = objectOf(message['definition']);
      matchingText(definition['groupId'], /^[0-9a-f-]{36}$/);
      versionOf(definition['settingsVersion']);
      objectOf(definition['settings']);
      for (const member of listOf(definition['members'])) {
        matchingText(objectOf(member)['regionName'], /^[A-Za-z0-9_-]{1,63}$/);
        versionOf(objectOf(member)['version']);
      }
      // The fields that decide between two accounts of a table have been checked; this same program wrote the rest.
      return { kind: 'define', ...place, definition } as unknown as ReplicaMessage;
    }
    case 'write':
      return {
        kind: 'write',
        ...place,
        groupId: matchingText(message['groupId'], /^[0-9a-f-]{36}$/),
        sender: matchingText(message['sender'], /^[A-Za-z0-9_-]{1,63}$/),
        changes: listOf(message['changes']).map(changeOf),
      };
    default:
      throw new SerializationException();
  }
}

/** The answer to a message. @throws {SerializationException} */
export function decodeReplicaAnswer(body: Uint8Array): ReplicaAnswer {
  const answer = decodeEnvelope(body);
  switch (answer['kind']) {
    case 'inspected':
      return {
        kind: 'inspected',
        exists: answer['exists'] === true,
        deletionProtectionEnabled: answer['deletionProtectionEnabled'] === true,
      };
    case 'defined': {
      const outcome = matchingText(answer['outcome'], /^(known|created|refused)$/) as 'known' | 'created' | 'refused';
      return { kind: 'defined', outcome, digest: matchingText(answer['digest'], /^[0-9a-f]*$/) };
    }
    case 'written':
      return { kind: 'written', outcome: matchingText(answer['outcome'], /^(taken|unknown)$/) as 'taken' | 'unknown' };
    default:
      throw new SerializationException();
  }
}

type Json = Readonly<Record<string, unknown>>;

function decodeEnvelope(body: Uint8Array): Json {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    throw new SerializationException();
  }
  const envelope = objectOf(json);
  if (envelope['protocol'] !== protocol) throw new SerializationException();
  return objectOf(envelope['message']);
}

function changeOf(json: unknown): ReplicatedChange {
  const { key, item, version } = objectOf(json);
  return {
    key: attributesOf(key),
    ...(item !== undefined && { item: attributesOf(item) }),
    version: versionOf(version),
  };
}

function attributesOf(json: unknown): ReplicatedChange['key'] {
  // The contents of an attribute map are checked one by one.
  return checkAttributeMap(objectOf(json) as UncheckedAttributeMap, 'current');
}

function versionOf(json: unknown): ReplicatedChange['version'] {
  const { timeMs, counter, region } = objectOf(json);
  if (typeof timeMs !== 'number' || !Number.isFinite(timeMs)) throw new SerializationException();
  if (typeof counter !== 'number' || !Number.isSafeInteger(counter) || counter < 0) throw new SerializationException();
  return { timeMs, counter, region: matchingText(region, /^[A-Za-z0-9_-]{0,63}$/) };
}

function matchingText(json: unknown, pattern: RegExp): string {
  if (typeof json !== 'string' || !pattern.test(json)) throw new SerializationException();
  return json;
}

function objectOf(json: unknown): Json {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new SerializationException();
  return json as Json;
}

function listOf(json: unknown): readonly unknown[] {
  if (!Array.isArray(json)) throw new SerializationException();
  return json;
}
