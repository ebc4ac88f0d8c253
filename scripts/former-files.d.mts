export declare const KEPT_MS: number;
export declare const KEPT_BYTES_MAX: number;
export declare function removeFormerFiles(options: {
  readonly folder: string;
  readonly isOurs: (file: string) => boolean;
  readonly written: ReadonlySet<string>;
  readonly unused?: readonly string[];
  readonly now?: number;
}): void;
