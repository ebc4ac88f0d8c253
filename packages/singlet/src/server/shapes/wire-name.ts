/**
 * Names of members on the wire and inside. On the wire they start with a capital letter (`TableName`), inside with a
 * lower-case one (`tableName`). Some abbreviations stay in capitals on the wire, and the members of a stream record begin with
 * lower-case letters there, too.
 */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['sseSpecification', 'SSESpecification'],
  ['sseSpecificationOverride', 'SSESpecificationOverride'],
  ['sseDescription', 'SSEDescription'],
  ['sseType', 'SSEType'],
  ['kmsMasterKeyId', 'KMSMasterKeyId'],
  ['kmsMasterKeyArn', 'KMSMasterKeyArn'],
  ['eventId', 'eventID'],
  ['eventName', 'eventName'],
  ['eventSource', 'eventSource'],
  ['eventVersion', 'eventVersion'],
  ['awsRegion', 'awsRegion'],
  ['dynamodb', 'dynamodb'],
  ['userIdentity', 'userIdentity'],
]);

/** The wire name of a member: `tableName` gives `TableName`, `sseType` gives `SSEType`. */
export function wireName(memberName: string): string {
  return exceptions.get(memberName) ?? memberName.charAt(0).toUpperCase() + memberName.slice(1);
}

/** The name of a wire member in the service's constraint messages: only the first letter changes. */
export function messageName(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
