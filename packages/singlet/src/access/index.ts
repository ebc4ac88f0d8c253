/** The entry of access: what the composition root may use. Decisions 0058 and 0062 describe its structure. */
export { Authenticator, originOf } from './authentication/authenticator.ts';
export type { Caller } from './caller.ts';
export { createInspectionAuthorizer } from './authorization/authorize-inspection.ts';
export { createAuthorizer, type Denial } from './authorization/authorize-request.ts';
export { type AuthKey, newAuthKeyText, readAuthKey } from './identity/auth-key.ts';
export {
  attachPolicy,
  type ChangeTools,
  createIdentity,
  deleteIdentity,
  detachPolicy,
  type IdentityKind,
  type IdentityName,
  joinGroup,
  leaveGroup,
  type NewAccessKey,
  noIdentities,
  revokeAccessKeys,
  rotateAccessKey,
  setBoundary,
} from './identity/change-identities.ts';
export { IdentityDirectory } from './identity/identity-directory.ts';
export { type AccountDocument, type IdentityDocument, identityLimits } from './identity/identity-document.ts';
export { IdentityError } from './identity/identity-error.ts';
export { readIdentities } from './identity/read-identities.ts';
export { parsePolicy, type PolicyDocument, PolicyError } from './policy/policy-document.ts';
export { type StsAnswer, StsService } from './sts/sts-service.ts';
