/** The input of tools: a model with its templates parsed, its keys joined with its tables and its patterns planned. */
export { resolve } from './resolve.ts';
export { formsIn } from './reads.ts';
export { keyVariables } from './entities.ts';
export { formAttributes } from './slots.ts';
export type {
  AttributeInfo,
  EntityInfo,
  IndexKeyInfo,
  KeyForm,
  KeySlot,
  ParentInfo,
  PatternInfo,
  PlaceInfo,
  Plan,
  QueryStream,
  ReadPart,
  ResolvedModel,
  SequenceInfo,
  SortBound,
  TableInfo,
  UniqueInfo,
  WritePlan,
} from './resolved.ts';
export type { KeyTemplate, TemplateVariable } from '../keys/template.ts';
