export interface UntagResourceRequest {
  readonly resourceArn: string;
  readonly tagKeys: readonly string[];
}
