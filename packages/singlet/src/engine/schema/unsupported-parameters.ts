import { invalidParameter } from '../catalog/parameter-errors.ts';

/** Parameters of CreateTable and UpdateTable for global tables across accounts, which Singlet does not support. */
export interface CrossAccountParameters {
  readonly globalTableSourceArn?: string | undefined;
  readonly globalTableSettingsReplicationMode?: 'ENABLED' | 'DISABLED' | 'ENABLED_WITH_OVERRIDES' | undefined;
  readonly disassociationProtectionEnabled?: boolean | undefined;
}

/** @throws {ValidationException} if one of them is present: ignoring it would create a different table. */
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
