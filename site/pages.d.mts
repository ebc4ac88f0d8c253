/** A page of the site, by its file in the repository. */
export interface Page {
  readonly file: string;
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

export declare const root: string;
export declare function repositoryFiles(): readonly string[];
export declare function sourceFiles(folder?: string): readonly string[];
export declare function pagesOf(files: readonly string[]): readonly Page[];
