import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import type { Database, DatabaseServer } from '../index.ts';
import { readJestConfig } from './jest-config-file.ts';
import { endTest, type Seed, seedDatabase } from './seeded-database.ts';
import { serveOnPort } from './serve-on-port.ts';

export { startSharedServer, stopSharedServer } from './shared-server.ts';

/**
 * A Jest environment for tests of programs that use DynamoDB. Each test file has its own server, and each test begins with the configured
 * state. With a configuration for `@shelf/jest-dynamodb`, all test files share the server that the preset started.
 *
 * The tested program finds the server in the environment variables that the AWS SDKs read, and in `MOCK_DYNAMODB_ENDPOINT`.
 */
export class SingletEnvironment extends NodeEnvironment {
  readonly #rootDir: string;
  #seed: Seed = {};
  #seeded: Database | undefined;
  #database: Database | undefined;
  #server: DatabaseServer | undefined;

  constructor(...parameters: ConstructorParameters<typeof NodeEnvironment>) {
    super(...parameters);
    this.#rootDir = parameters[0].projectConfig.rootDir;
  }

  override async setup(): Promise<void> {
    await super.setup();
    const { seed, sharedPort, basePort } = await readJestConfig(this.#rootDir);
    const url = sharedPort === undefined ? await this.#start(seed, basePort) : `http://127.0.0.1:${sharedPort}`;
    Object.assign(this.global.process.env, variablesFor(url, this.global.process.env));
  }

  async #start(seed: Seed, basePort: number | undefined): Promise<string> {
    this.#seed = seed;
    this.#seeded = await seedDatabase({ oneRegion: true, ...seed });
    this.#database = await this.#seeded.fork();
    const port = basePort === undefined ? 0 : basePort + Number(process.env['JEST_WORKER_ID']);
    this.#server = await serveOnPort(
      {
        handle: async (request) => this.#present().handle(request),
        request: async (action, input, caller) => this.#present().request(action, input, caller),
      },
      port,
      '`basePort` in jest-dynalite-config',
    );
    return this.#server.url;
  }

  #present(): Database {
    if (this.#database === undefined) throw new TypeError('the database exists only while the test file runs');
    return this.#database;
  }

  /** When a test ends its database is discarded; the next test begins with a new one. */
  async handleTestEvent(event: {
    readonly name: string;
    readonly test?: { readonly errors: unknown[] };
  }): Promise<void> {
    if (event.name !== 'test_done' || this.#seeded === undefined) return;
    const used = this.#present();
    this.#database = await this.#seeded.fork();
    try {
      await endTest(used, this.#seed);
    } catch (error) {
      event.test?.errors.push(error);
    }
  }

  override async teardown(): Promise<void> {
    await this.#server?.close();
    await this.#database?.close();
    await this.#seeded?.close();
    await super.teardown();
  }
}

/** The variables that SDKs and programs read. Variables that are already set are kept, except the endpoint. */
function variablesFor(url: string, present: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    MOCK_DYNAMODB_ENDPOINT: url,
    AWS_ENDPOINT_URL_DYNAMODB: url,
    AWS_REGION: present['AWS_REGION'] ?? 'us-east-1',
    AWS_ACCESS_KEY_ID: present['AWS_ACCESS_KEY_ID'] ?? 'test',
    AWS_SECRET_ACCESS_KEY: present['AWS_SECRET_ACCESS_KEY'] ?? 'test',
  };
}
