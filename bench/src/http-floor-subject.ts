import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario } from './scenarios.ts';
import { ServerSubject, type ServerSubjectOptions } from './server-subject.ts';
import { httpFloorArguments } from './servers.ts';

/** The floor of a request. The bare server is started anew for each scenario, with a reply of that scenario as its body. */
export class HttpFloorSubject extends ServerSubject {
  readonly #directory: string;

  constructor(options: Pick<ServerSubjectOptions, 'generator' | 'itemCount'> & { readonly directory: string }) {
    super({ ...options, id: 'http-floor', title: 'bare node:http, fixed body' });
    this.#directory = options.directory;
  }

  override supports(): boolean {
    return true;
  }

  override async start(): Promise<void> {
    await this.restart(httpFloorArguments());
  }

  override async prepare(scenario: Scenario): Promise<void> {
    const bodyFile = join(this.#directory, `reply-${scenario.name}.json`);
    writeFileSync(bodyFile, JSON.stringify(scenario.reply));
    await this.restart(httpFloorArguments(bodyFile));
  }
}
