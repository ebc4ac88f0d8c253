import { DynamoError } from '../../values/service-error.ts';
import { repeatTask, runOnce } from '../background/background-task.ts';
import { asHolder } from '../background/held-work.ts';
import { changeTable } from '../catalog/table-change.ts';
import { settleRecord } from '../catalog/settle.ts';
import type { Table } from '../catalog/table.ts';
import type { ThroughputRecord } from '../catalog/table-record.ts';
import { uuidOf } from '../layout/uuid.ts';
import { settleReplicas } from '../replication/replicate.ts';
import { applyTableUpdate } from '../schema/apply-table-update.ts';
import type { TableUpdateRequest } from '../schema/table-update.ts';
import type { EngineServices } from '../services.ts';
import { type ScalableResource, scalableResourceOf } from './scalable-resource.ts';
import { scalingDecision, type ScalingDecision } from './scaling-decision.ts';
import {
  type ActivityRecord,
  changeScalingRecord,
  listScalingRecords,
  type PolicyRecord,
  type ScalingRecord,
  withActivity,
} from './scaling-record.ts';
import { UtilizationAlarm } from './utilization-alarm.ts';

/** How often the alarms check the consumed capacity, milliseconds: a data point of the service is a minute. */
const scalingIntervalMs = 60_000;

const task = { name: 'auto scaling', postponedEvent: 'auto-scaling-postponed' };

/**
 * Changes the throughput of tables and global indexes as the policies of their scalable targets require. Each run is one data point of their
 * alarms. The number of minutes that an alarm has counted is in memory, and is lost on a restart.
 *
 * Decision 0079 says why.
 */
export class Scaler {
  readonly #services: EngineServices;
  /** By the id of a policy. */
  #alarms = new Map<string, UtilizationAlarm>();

  constructor(services: EngineServices) {
    this.#services = services;
  }

  /** Runs every minute until the engine closes. */
  async runRegularly(): Promise<void> {
    const run = async (): Promise<void> => {
      await asHolder(this.#services, task.name, async (held) => void (await this.run(held)));
    };
    await repeatTask(this.#services, { ...task, everyMs: scalingIntervalMs, run });
  }

  /** One data point for all targets of all accounts. @returns how many throughputs were changed. */
  async run(services: EngineServices = this.#services): Promise<number> {
    const records = await listScalingRecords(services.store);
    const present = new Set(records.flatMap(({ policies }) => policies.map(({ id }) => id)));
    this.#alarms = new Map([...this.#alarms].filter(([id]) => present.has(id)));
    let changed = 0;
    for (const record of records) {
      // A target that cannot be scaled does not delay the others.
      const run = async (): Promise<void> => void (changed += (await this.#look(services, record)) ? 1 : 0);
      await runOnce(services, { ...task, run });
    }
    return changed;
  }

  async #look(services: EngineServices, record: ScalingRecord): Promise<boolean> {
    const { environment, catalog, capacity: model } = services;
    const resource = scalableResourceOf(record);
    const table = await catalog.load(record, resource.tableName);
    const nowMs = environment.clock.nowMs();
    const throughput = table && presentThroughput(table, resource, nowMs);
    if (table === undefined || throughput === undefined) return false;
    const index = resource.indexName === undefined ? undefined : table.index(resource.indexName);
    const minute = {
      unitsPerSecond: model.unitsPerSecond(table, index, resource.kind),
      capacity: resource.kind === 'Read' ? throughput.readCapacityUnits : throughput.writeCapacityUnits,
      nowMs,
    };
    const decision = scalingDecision(record, minute, (policy) => this.#alarmOf(policy));
    if (decision === undefined) return false;
    for (const policy of record.policies) this.#alarmOf(policy).clear();
    return this.#scale(services, record, { resource, table, throughput, from: minute.capacity }, decision);
  }

  async #scale(
    services: EngineServices,
    record: ScalingRecord,
    subject: ScaledSubject,
    decision: ScalingDecision,
  ): Promise<boolean> {
    const { environment, limits } = services;
    const { resource, table, throughput, from } = subject;
    const request = updateRequest(resource, throughput, decision.capacity);
    let failure: string | undefined;
    try {
      await changeTable(services, record, resource.tableName, (input) => ({
        record: applyTableUpdate(request, input, limits),
      }));
      if (table.replication !== undefined) await settleReplicas(services, table.record);
    } catch (error) {
      if (!(error instanceof DynamoError)) throw error;
      failure = error.message;
    }
    const activity = this.#activity(resource, decision, failure);
    await this.#note(services, record, decision, activity);
    environment.log({
      level: failure === undefined ? 'info' : 'warn',
      event: failure === undefined ? 'throughput-scaled' : 'throughput-not-scaled',
      resource: record.resourceId,
      dimension: record.scalableDimension,
      from,
      to: decision.capacity,
      cause: decision.cause,
      ...(failure !== undefined && { error: failure }),
    });
    return failure === undefined;
  }

  async #note(
    { store }: EngineServices,
    record: ScalingRecord,
    { direction, capacity }: ScalingDecision,
    activity: ActivityRecord,
  ): Promise<void> {
    const { atMs, statusCode } = activity;
    const mark = direction === 'out' ? { lastOut: { atMs, capacity } } : { lastInMs: atMs };
    await changeScalingRecord(store, record, record, (present) => ({
      // The target may have been deregistered meanwhile.
      record: present && withActivity(statusCode === 'Successful' ? { ...present, ...mark } : present, activity),
      answer: undefined,
    }));
  }

  #activity({ kind }: ScalableResource, decision: ScalingDecision, failure: string | undefined): ActivityRecord {
    const { environment } = this.#services;
    const what = `${kind.toLowerCase()} capacity units to ${decision.capacity}`;
    return {
      id: uuidOf(environment.random.bytes(16)),
      description: `Setting ${what}.`,
      cause: decision.cause,
      atMs: environment.clock.nowMs(),
      ...(failure === undefined
        ? {
            statusCode: 'Successful',
            statusMessage: `Successfully set ${what}. Change successfully fulfilled by dynamodb.`,
          }
        : { statusCode: 'Failed', statusMessage: `Failed to set ${what}. Reason: ${failure}` }),
    };
  }

  #alarmOf({ id }: PolicyRecord): UtilizationAlarm {
    let alarm = this.#alarms.get(id);
    if (alarm === undefined) this.#alarms.set(id, (alarm = new UtilizationAlarm()));
    return alarm;
  }
}

interface ScaledSubject {
  readonly resource: ScalableResource;
  readonly table: Table;
  readonly throughput: ThroughputRecord;
  readonly from: number;
}

/** Undefined if there is none to scale: the table is on demand, is changing, or the index is gone. */
function presentThroughput(table: Table, { indexName }: ScalableResource, nowMs: number): ThroughputRecord | undefined {
  const record = settleRecord(table.record, nowMs);
  if (record.billingMode !== 'PROVISIONED' || record.transition !== undefined) return undefined;
  if (indexName === undefined) return record.throughput;
  const index = record.globalIndexes.find((candidate) => candidate.indexName === indexName);
  return index === undefined || index.transition !== undefined ? undefined : index.throughput;
}

function updateRequest(
  { tableName, indexName, kind }: ScalableResource,
  { readCapacityUnits, writeCapacityUnits }: ThroughputRecord,
  capacity: number,
): TableUpdateRequest {
  const provisionedThroughput =
    kind === 'Read'
      ? { readCapacityUnits: capacity, writeCapacityUnits }
      : { readCapacityUnits, writeCapacityUnits: capacity };
  return indexName === undefined
    ? { tableName, provisionedThroughput }
    : { tableName, globalSecondaryIndexUpdates: [{ update: { indexName, provisionedThroughput } }] };
}
