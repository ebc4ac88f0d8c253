export interface DescribeEndpointsResult {
  readonly endpoints: readonly { readonly address: string; readonly cachePeriodInMinutes: number }[];
}
