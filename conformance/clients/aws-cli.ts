import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { batchesOf, type Library, type OpenLibrary, type Song, type SongKey } from './library.ts';
import { type Python, PythonProgram } from './python.ts';
import { songsTable } from './songs-table.ts';

type Item = Parameters<typeof unmarshall>[0];

interface Output {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Attributes?: Item;
  readonly Responses?: Readonly<Record<string, readonly Item[]>>;
  /** Where the CLI's next page begins. */
  readonly NextToken?: string;
}

/** The AWS CLI: `aws dynamodb` with its options, as a script would call it. */
export function openAwsCli(python: Python): OpenLibrary {
  return async ({ endpoint, region, credentials, table: TableName }): Promise<Library> => {
    const environment = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_PAGER: '',
    };
    const program = new PythonProgram(python, 'aws_cli.py', {}, environment);
    const songOf = (item: Item): Song => unmarshall(item) as Song;
    const isNew = ['--condition-expression', 'attribute_not_exists(artist)'];
    const onTable = ['--table-name', TableName];

    async function aws(command: string, ...options: readonly string[]): Promise<Output> {
      const common = ['--endpoint-url', endpoint, '--region', region, '--output', 'json'];
      const { code, stdout, stderr } = (await program.call('run', 'dynamodb', command, ...options, ...common)) as {
        readonly code: number;
        readonly stdout: string;
        readonly stderr: string;
      };
      if (code !== 0) throw new Error(stderr.trim());
      return stdout === '' ? {} : (JSON.parse(stdout) as Output);
    }

    const key = (of: SongKey): readonly string[] => ['--key', JSON.stringify(marshall({ ...of }))];
    const item = (song: Song): readonly string[] => ['--item', JSON.stringify(marshall(song))];
    const values = (of: object): readonly string[] => ['--expression-attribute-values', JSON.stringify(marshall(of))];

    await aws('create-table', '--cli-input-json', JSON.stringify(songsTable(TableName)));
    await aws('wait', 'table-exists', ...onTable);
    return {
      add: async (song) => void (await aws('put-item', ...onTable, ...item(song), ...isNew)),
      find: async (of) => {
        const { Item: found } = await aws('get-item', ...onTable, ...key(of), '--consistent-read');
        return found && songOf(found);
      },
      play: async (of) => {
        const add = ['--update-expression', 'ADD plays :one', ...values({ ':one': 1 })];
        const { Attributes } = await aws(
          'update-item',
          ...onTable,
          ...key(of),
          ...add,
          '--return-values',
          'UPDATED_NEW',
        );
        return (unmarshall(Attributes ?? {}) as Pick<Song, 'plays'>).plays;
      },
      pagesOf: async (artist, pageSize) => {
        const pages: Song[][] = [];
        let token: readonly string[] | undefined = [];
        while (token !== undefined) {
          const where = ['--key-condition-expression', 'artist = :artist', ...values({ ':artist': artist })];
          const options = [...where, '--max-items', String(pageSize), ...token];
          const { Items = [], NextToken }: Output = await aws('query', ...onTable, ...options);
          pages.push(Items.map(songOf));
          token = NextToken === undefined ? undefined : ['--starting-token', NextToken];
        }
        return pages;
      },
      charts: async (genre) => {
        const where = ['--key-condition-expression', 'genre = :genre', ...values({ ':genre': genre })];
        const { Items = [] } = await aws(
          'query',
          ...onTable,
          '--index-name',
          'charts',
          ...where,
          '--no-scan-index-forward',
        );
        return Items.map((found) => songOf(found).title);
      },
      remove: async (of) => void (await aws('delete-item', ...onTable, ...key(of))),
      addAll: async (songs) => {
        for (const batch of batchesOf(songs)) {
          const puts = batch.map((song) => ({ PutRequest: { Item: marshall(song) } }));
          await aws('batch-write-item', '--request-items', JSON.stringify({ [TableName]: puts }));
        }
      },
      findAll: async (keys) => {
        const Keys = keys.map((of) => marshall({ ...of }));
        const { Responses } = await aws('batch-get-item', '--request-items', JSON.stringify({ [TableName]: { Keys } }));
        return (Responses?.[TableName] ?? []).map(songOf);
      },
      replace: async (old, song) => {
        const Delete = { TableName, Key: marshall({ ...old }), ConditionExpression: 'attribute_exists(artist)' };
        const Put = { TableName, Item: marshall(song), ConditionExpression: 'attribute_not_exists(artist)' };
        await aws('transact-write-items', '--transact-items', JSON.stringify([{ Delete }, { Put }]));
      },
      close: () => program.close(),
    };
  };
}
