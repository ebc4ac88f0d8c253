import { invalidParameter } from '../catalog/parameter-errors.ts';

/** Parameters of CreateTable and UpdateTable for global tables across accounts, which there are none of here. */
export interface CrossAccountParameters {
  readonly globalTableSourceArn?: string | undefined;
  readonly globalTableSettingsReplicationMode?: 'ENABLED' | 'DISABLED' | 'ENABLED_WITH_OVERRIDES' | undefined;
  readonly disassociationProtectionEnabled?: boolean | undefined;
}

/** @throws {ValidationException} when one of them is there: a table without what it asks for would be another table. */
export function checkNoCrossAccountParameters(request: CrossAccountParameters): void {
  const given = [
    ['GlobalTableSourceArn', request.globalTableSourceArn],
    ['GlobalTableSettingsReplicationMode', request.globalTableSettingsReplicationMode],
    ['DisassociationProtectionEnabled', request.disassociationProtectionEnabled],
  ] as const;
  const unsupported = given.find(([, value]) => value !== undefined);
  if (unsupported === undefined) return;
  throw invalidParameter(`${unsupported[0]} is not supported: Singlet has no global tables across accounts`);
}
