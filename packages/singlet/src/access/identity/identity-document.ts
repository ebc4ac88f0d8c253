/** The identities of a server as its file holds them. */

/** The format that is written. A file of another format is refused. */
export const identityFormat = 1;

export interface IdentityDocument {
  readonly format: typeof identityFormat;
  /** By account id, twelve digits. */
  readonly accounts: Readonly<Record<string, AccountDocument>>;
}

export interface AccountDocument {
  /** The account's root user. It may do everything in the account. */
  readonly root?: RootDocument | undefined;
  readonly users: Readonly<Record<string, UserDocument>>;
  readonly groups: Readonly<Record<string, GroupDocument>>;
  readonly roles: Readonly<Record<string, RoleDocument>>;
}

/** Policies by name, in their original text. */
export type PolicyDocuments = Readonly<Record<string, unknown>>;

interface EntityDocument {
  /** `AIDA…`, `AGPA…` or `AROA…`. Unlike a name, it is never reused. */
  readonly id: string;
  readonly createdAt: string;
  readonly policies: PolicyDocuments;
}

export interface RootDocument {
  readonly accessKeys: readonly AccessKeyDocument[];
}

export interface UserDocument extends EntityDocument {
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly boundary?: unknown;
  readonly accessKeys: readonly AccessKeyDocument[];
}

export type GroupDocument = EntityDocument;

export interface RoleDocument extends EntityDocument {
  /** Who may assume the role. */
  readonly trust: unknown;
  readonly tags: Readonly<Record<string, string>>;
  readonly boundary?: unknown;
  /** The maximum duration of its sessions. */
  readonly maxSessionSeconds: number;
}

export interface AccessKeyDocument {
  /** `AKIA…`. */
  readonly id: string;
  /** The secret key, encrypted. */
  readonly sealedSecret: string;
  readonly createdAt: string;
  /** When the key stops being accepted, because another has replaced it. */
  readonly expiresAt?: string | undefined;
}

/** Limits on the contents of a file; those of IAM where IAM has one. */
export const identityLimits: {
  readonly fileBytesMax: number;
  readonly accountsMax: number;
  /** Users, groups and roles of all accounts together. */
  readonly entitiesMax: number;
  readonly accessKeysMax: number;
  readonly groupsMax: number;
  readonly policiesMax: number;
  readonly tagsMax: number;
  readonly tagKeyLengthMax: number;
  readonly tagValueLengthMax: number;
} = {
  fileBytesMax: 16 * 1024 * 1024,
  accountsMax: 1000,
  entitiesMax: 20_000,
  accessKeysMax: 2,
  groupsMax: 10,
  policiesMax: 20,
  tagsMax: 50,
  tagKeyLengthMax: 128,
  tagValueLengthMax: 256,
};
