import type { EngineServices } from '../services.ts';
import { receiveChanges } from './receive-changes.ts';
import { receiveDefinition } from './receive-definition.ts';
import type { InspectMessage, ReplicaAnswer, ReplicaMessage } from './replica-message.ts';

/** Answers a message from another replica, on this or another server. */
export async function receiveMessage(services: EngineServices, message: ReplicaMessage): Promise<ReplicaAnswer> {
  switch (message.kind) {
    case 'inspect':
      return inspect(services, message);
    case 'define':
      return receiveDefinition(services, message);
    case 'write':
      return receiveChanges(services, message);
  }
}

async function inspect({ catalog }: EngineServices, message: InspectMessage): Promise<ReplicaAnswer> {
  const table = await catalog.load(message, message.tableName);
  return {
    kind: 'inspected',
    exists: table !== undefined,
    deletionProtectionEnabled: table?.record.deletionProtectionEnabled === true,
  };
}

/** Answers a message from a replica on another server: for regions of this server only, not for regions that are themselves remote. */
export async function receiveRemoteMessage(services: EngineServices, message: ReplicaMessage): Promise<ReplicaAnswer> {
  if (services.replicaLinks?.has(message.region) !== true) return receiveMessage(services, message);
  switch (message.kind) {
    case 'inspect':
      return { kind: 'inspected', exists: true, deletionProtectionEnabled: false };
    case 'define':
      return { kind: 'defined', outcome: 'refused', digest: '' };
    case 'write':
      return { kind: 'written', outcome: 'unknown' };
  }
}

/** Sends a message to a region: of this server, or over its link to the server that has it. */
export async function sendMessage(services: EngineServices, message: ReplicaMessage): Promise<ReplicaAnswer> {
  const link = services.replicaLinks?.get(message.region);
  return link === undefined ? receiveMessage(services, message) : link.send(message);
}
