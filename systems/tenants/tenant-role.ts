import { tenantPolicy } from '@singlet/model/check';
import { tenants } from './model.ts';

/** The session tag that names the tenant. */
export const TENANT_TAG = 'tenant';

interface PolicyText {
  readonly Version: '2012-10-17';
  readonly Statement: readonly object[];
}

/** PartiQL on the table and on its index, in the partitions of the tenant. The toolkit sends none; users of a console do. */
const STATEMENTS = ['PartiQLSelect', 'PartiQLInsert', 'PartiQLUpdate', 'PartiQLDelete'].map((one) => `dynamodb:${one}`);

/**
 * The permissions of the role's sessions, for every tenant: requests by key on partitions whose key begins with the tag's tenant. Derived from the
 * model; statements of PartiQL are added, on the same keys.
 */
export function tenantRolePolicy(): PolicyText {
  const { Version, Statement } = tenantPolicy(tenants, { tag: TENANT_TAG });
  const statements = Statement.map((statement) => ({
    ...statement,
    Sid: `PartiQL${statement.Sid}`,
    Action: statement.Resource.includes('/index/') ? ['dynamodb:PartiQLSelect'] : STATEMENTS,
    // A SELECT that names no partition has no leading keys, which ForAllValues allows.
    Condition: { ...statement.Condition, Null: { 'dynamodb:LeadingKeys': ['false'] } },
  }));
  return { Version, Statement: [...Statement, ...statements] };
}

/** Who may assume the role: the application of one account, which names the tenant. */
export function tenantTrustPolicy(accountId: string): PolicyText {
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { AWS: accountId }, Action: ['sts:AssumeRole', 'sts:TagSession'] }],
  };
}

/** The policy of a table in another account that sessions of the role may also use, within their own policies. */
export function sharedTablePolicy(tableArn: string, roleAccountId: string): PolicyText {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { AWS: roleAccountId },
        Action: ['dynamodb:*'],
        Resource: [tableArn, `${tableArn}/index/*`],
        Condition: { ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${roleAccountId}:role/*` } },
      },
    ],
  };
}
