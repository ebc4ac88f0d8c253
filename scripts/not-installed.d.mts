export declare function notInstalled(names: readonly string[]): string;
