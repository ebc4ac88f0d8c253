import type { Limits } from '../../values/limits.ts';
import { invalidParameter, subscriberLimitExceeded } from '../catalog/parameter-errors.ts';
import type { BillingMode, OnDemandThroughput } from '../catalog/table-description.ts';
import type { ThroughputSubject } from './throughput-changes.ts';

/** In UpdateTable this value removes a maximum. */
const noMaximum = -1;

/**
 * Checks the configured maximum of an on-demand table or index.
 *
 * @param canRemove - whether -1 is allowed, which it is in UpdateTable only.
 * @throws {ValidationException} | {LimitExceededException}
 */
export function checkOnDemandThroughput(
  requested: OnDemandThroughput | undefined,
  subject: ThroughputSubject,
  options: { readonly billingMode: BillingMode; readonly canRemove: boolean; readonly limits: Limits },
): void {
  if (requested === undefined) return;
  const named = [
    ['Read', requested.maxReadRequestUnits],
    ['Write', requested.maxWriteRequestUnits],
  ] as const;
  // The service puts a blank before this colon, and before no other.
  const where = subject.indexName === undefined ? 'for table' : `for index : ${subject.indexName}`;
  for (const [kind, units] of named) {
    if (units === undefined) continue;
    const name = `Max${kind}RequestUnits for OnDemandThroughput`;
    if (options.billingMode === 'PROVISIONED') {
      const which = subject.indexName === undefined ? name : `${name} ${where}`;
      throw invalidParameter(`${which} cannot be specified when the table BillingMode is PROVISIONED`);
    }
    if (units < 1 && !(options.canRemove && units === noMaximum)) {
      throw invalidParameter(`Requested ${name} ${where} is outside of valid range`);
    }
    if (units > options.limits.tableCapacityUnitsMax) {
      throw subscriberLimitExceeded(
        `Requested ${name} ${where} exceeds TableMax${kind}CapacityUnits of the account in region ${subject.region}`,
      );
    }
  }
}

/** The maximum after a change: each member is set separately, and a member that is not named does not change. */
export function mergeOnDemandThroughput(
  present: OnDemandThroughput | undefined,
  requested: OnDemandThroughput,
): OnDemandThroughput | undefined {
  const merged = (name: keyof OnDemandThroughput): OnDemandThroughput => {
    const units = requested[name] ?? present?.[name];
    return units === undefined || units === noMaximum ? {} : { [name]: units };
  };
  const next = { ...merged('maxReadRequestUnits'), ...merged('maxWriteRequestUnits') };
  return Object.keys(next).length === 0 ? undefined : next;
}
