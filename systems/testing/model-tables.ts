import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { type Model, tableDefinitions, timeToLiveAttributes } from '@singlet/model';
import { enableTimeToLive } from '../table-lifecycle.ts';
import type { RawTable } from './raw-table.ts';
import type { Workbench } from './workbench.ts';

/** The definition of a model's one table. */
export function tableOf(model: Model): CreateTableCommandInput {
  const [definition, ...others] = tableDefinitions(model);
  if (definition === undefined || others.length > 0) {
    throw new RangeError(`${model.name} has ${others.length + 1} tables, not one`);
  }
  return definition;
}

/** Creates a model's one table under a name that no other test uses, its time to live included. */
export async function createModelTable(workbench: Workbench, model: Model): Promise<RawTable> {
  const definition = tableOf(model);
  const table = await workbench.createTable(definition);
  const AttributeName = timeToLiveAttributes(model)[definition.TableName ?? ''];
  if (AttributeName !== undefined) {
    await enableTimeToLive(workbench.client, {
      TableName: table.name,
      TimeToLiveSpecification: { AttributeName, Enabled: true },
    });
  }
  return table;
}
