/** Bridges: models from and to the formats of other tools. They convert data; the caller reads and writes files and runs processes. */
export { type CloudFormationOptions, type CloudFormationTemplate, toCloudFormation } from './cloudformation.ts';
export type { Draft, DraftAttribute, DraftEntity, DraftKey, DraftPattern } from './draft.ts';
export { draftModel } from './draft.ts';
export { draftFromElectrodb, type ElectrodbOptions, type ElectrodbSchema } from './electrodb.ts';
export { type DeclaredTable, draftFromTables } from './from-tables.ts';
export { draftFromWorkbench } from './from-workbench.ts';
export { type GenerateOptions, type GeneratedClient, generateClient } from './generate.ts';
export {
  type EntityEvidence,
  type GuardEvidence,
  inferModel,
  type InferredModel,
  type TableSample,
} from './infer/infer-model.ts';
export type { SlotEvidence } from './infer/infer-keys.ts';
export { sampleTable, type SampleTableOptions } from './infer/sample-table.ts';
export { modelFile, type ModelFileOptions } from './model-file.ts';
export { draftFromOnetable, type OnetableOptions, type OnetableSchema } from './onetable.ts';
export { toWorkbench, type WorkbenchModel, type WorkbenchOptions, type WorkbenchTable } from './workbench.ts';
export type { Field, Shape } from './shape.ts';
export { type SchemaShape, shapeOfSchema, type Side } from './shape-of-schema.ts';
export { storedForm } from './stored-form.ts';
