import type { TableClass } from '../catalog/table-description.ts';
import type { TableDefinitionInput } from './table-definition.ts';
import type { CrossAccountParameters } from './unsupported-parameters.ts';

export interface CreateTableRequest
  extends TableDefinitionInput, Omit<CrossAccountParameters, 'disassociationProtectionEnabled'> {
  readonly tableClass?: TableClass | undefined;
  readonly deletionProtectionEnabled?: boolean | undefined;
  readonly resourcePolicy?: string | undefined;
}
