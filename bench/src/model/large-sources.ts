/** Sources of the same application by library. */
export type LargeSources = Readonly<Record<string, string>>;

interface Written {
  readonly largeModel: (entities: number, index: string) => string;
  readonly largeElectrodb: (entities: number) => string;
}

const entities = 20;

/** Twenty entities and a hundred patterns, the same as in the model's type budget. */
export async function largeSources(): Promise<LargeSources> {
  const { largeModel, largeElectrodb } = {
    ...(await written('large-model')),
    ...(await written('large-electrodb')),
  } as Written;
  return { singlet: largeModel(entities, '@singlet/model'), electrodb: largeElectrodb(entities) };
}

/** The generators are test code of the other package, which this project cannot import by name. */
async function written(name: string): Promise<Partial<Written>> {
  const url = new URL(`../../../packages/model/test/${name}.ts`, import.meta.url);
  return (await import(url.href)) as Partial<Written>;
}
