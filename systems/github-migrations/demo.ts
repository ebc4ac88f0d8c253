import assert from 'node:assert/strict';
import { tableDefinitions } from '@singlet/model';
import { plan, stepText } from '@singlet/model/migrate';
import { ManualClock } from '../clock.ts';
import type { AccessPattern, Demo, Stage } from '../demo/demo.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import type { RepoName } from '../github/connection.ts';
import { github } from '../github/model.ts';
import { sampleSite, type SampleSite } from '../github/sample-site.ts';
import { seedGitHub } from '../github/seed.ts';
import { createKsuidGenerator } from '../ksuid.ts';
import { type MigratedGitHub, openMigratedGitHub } from './migrated-github.ts';
import { MIGRATIONS, runMigration, SWITCHED_BY, verifyMigration } from './migrations.ts';
import { type Readers, READERS_OFF, READERS_ON } from './readers.ts';
import { compareSites } from './under-load/compare.ts';
import { MemorySite } from './under-load/memory-site.ts';
import { takingTurns } from './under-load/taking-turns.ts';
import { write, type WriterTally } from './under-load/writer.ts';
import type { MigrationName } from './versions.ts';

const SEED = 42;
/** Five repos with 1,000 issues. */
const SCALE = 0.005;
const WRITERS = 3;
const STARTS_AT = '2020-02-26T09:00:00Z';

const PATTERNS: readonly AccessPattern[] = [
  { id: 'MIG-1', title: 'Codes of conduct: nothing is written' },
  { id: 'GHM-01', title: 'Add code of conduct' },
  { id: 'MIG-2', title: 'Gists: nothing is written' },
  { id: 'GHM-02', title: 'Create gist' },
  { id: 'GHM-03', title: 'User and gists' },
  { id: 'GHM-04', title: 'Gist' },
  { id: 'MIG-3', title: 'Apps: accounts get keys of GSI1' },
  { id: 'GHM-05', title: 'Create app' },
  { id: 'GHM-06', title: 'Account and its apps' },
  { id: 'GHM-07', title: 'Install app' },
  { id: 'GHM-08', title: 'App and its installations' },
  { id: 'GHM-09', title: 'Repo and its apps' },
  { id: 'GH-05', title: 'Open issues, with the filter' },
  { id: 'MIG-4', title: 'Issues get keys of GSI4' },
  { id: 'GHM-10', title: 'Open issues of a repo' },
  { id: 'GHM-11', title: 'Closed issues of a repo' },
  { id: 'GH-08', title: 'Open pull requests, with the filter' },
  { id: 'MIG-5', title: 'Pull requests get keys of GSI5' },
  { id: 'GHM-12', title: 'Open pull requests of a repo' },
  { id: 'GHM-13', title: 'Closed pull requests of a repo' },
  { id: 'GHM-14', title: 'Create issue, with the new keys' },
  { id: 'GHM-15', title: 'Close and reopen, with the new keys' },
  { id: 'GHM-16', title: 'Earlier queries beside what is new' },
];

export interface GitHubMigrationsDemoOptions {
  /** The scale of the site when the migrations begin. */
  readonly scale?: number;
}

/** The changes of a year, made one after the other while people use the site. */
export function githubMigrationsDemo({ scale = SCALE }: GitHubMigrationsDemoOptions = {}): Demo {
  // The table of the first model. The migrations create everything new in it.
  const [table] = tableDefinitions(github);
  assert(table !== undefined, 'the model has a table');
  return {
    title: 'GitHub, a year later: five migrations while people use the site',
    table,
    patterns: PATTERNS,
    play: async (stage) => {
      await new Year({ ...stage, client: takingTurns(stage.client) }, scale).play();
    },
  };
}

/** A year of the site, and the means to report on it. */
class Year {
  readonly #stage: Stage;
  readonly #scale: number;
  readonly #sample: SampleSite;
  readonly #meant: MemorySite;
  readonly #clock = new ManualClock(STARTS_AT);
  readonly #readers: Record<keyof Readers, boolean> = { ...READERS_OFF };
  readonly #site: MigratedGitHub;
  readonly #tally: WriterTally = {};
  #goesOn = true;

  constructor(stage: Stage, scale: number) {
    this.#stage = stage;
    this.#scale = scale;
    this.#sample = sampleSite(scale);
    this.#meant = new MemorySite(sampleSite(scale));
    this.#site = this.#open(this.#readers);
  }

  async play(): Promise<void> {
    const { client, tableName, terminal } = this.#stage;
    const seeded = await seedGitHub({ client, tableName, scale: this.#scale });
    const items = Object.values(seeded).reduce((sum, count) => sum + count, 0);
    this.#say(`The site as it was launched: ${seeded['Repo']} repos with ${seeded['Issue']} issues, ${items} items.`);
    const [repo] = [...this.#sample.repos()].map(({ repo: { owner, repo: name } }) => ({ owner, repo: name }));
    const [user] = this.#sample.users;
    const [organization] = this.#sample.organizations;
    assert(repo !== undefined && user !== undefined && organization !== undefined, 'the sample has one of everything');
    await this.#addCodeOfConduct(repo);
    await this.#addGists(user.name);
    terminal.line();
    this.#say(`What comes now is written to items: ${WRITERS} writers of the new version are at work meanwhile.`);
    const crowd = this.#crowd();
    // Thrown below, when it is awaited.
    crowd.catch(() => undefined);
    try {
      await this.#addApps(user.name, organization.name, repo);
      await this.#listIssues(repo);
      await this.#listPullRequests(repo);
    } finally {
      this.#goesOn = false;
      await crowd;
    }
    await this.#closeAndReopen(repo, user.name);
    await this.#compare();
    terminal.line();
  }

  async #addCodeOfConduct(repo: RepoName): Promise<void> {
    const { repos } = this.#site;
    await this.#migrate('MIG-1', 'a repo may have a code of conduct');
    const codeOfConduct = { name: 'Contributor Covenant', url: 'https://www.contributor-covenant.org/' };
    await this.#during('GHM-01', async () => await repos.setCodeOfConduct(repo, codeOfConduct));
    this.#meant.codeOfConductSet(repo, codeOfConduct);
    this.#say(`${repo.owner}/${repo.repo} has one: it comes with the repo, in the request that there was before.`);
  }

  async #addGists(username: string): Promise<void> {
    const { gists, accounts } = this.#site;
    await this.#migrate('MIG-2', 'users have gists');
    for (const title of ['A shell one-liner', 'Notes on keys']) {
      this.#clock.setToMs(this.#clock.nowMs() + 1_000);
      const gist = await this.#during('GHM-02', async () => await gists.create(username, { title }));
      this.#meant.gistCreated(gist);
    }
    const found = await this.#during('GHM-03', async () => await gists.of(username));
    const [newest] = found.gists;
    assert(newest !== undefined, 'a gist is there');
    await this.#during('GHM-04', async () => await gists.find(newest));
    await this.#during('GHM-16', async () => await accounts.membersOf(username));
    this.#say(`One request gives ${username} and the gists, the newest first: ${newest.title}.`);
  }

  async #addApps(username: string, organization: string, repo: RepoName): Promise<void> {
    const { apps, pullRequests } = this.#site;
    const own = await this.#during('GHM-05', async () => await apps.create(username, { name: 'GitHub Analytics' }));
    await this.#migrate('MIG-3', 'apps, listed with the account that owns them');
    const app = await this.#during('GHM-05', async () => await apps.create(organization, { name: 'CI/CD' }));
    const installation = await this.#during('GHM-07', async () => await apps.install(app, repo));
    // From now on the writers may install them, too.
    this.#meant.appCreated(own);
    this.#meant.appCreated(app);
    this.#meant.installed(installation);
    const found = await this.#during('GHM-06', async () => await apps.of(organization));
    await this.#during('GHM-08', async () => await apps.installationsOf(app));
    const installed = await this.#during('GHM-09', async () => await apps.installedIn(repo));
    await this.#during('GHM-16', async () => await pullRequests.of(repo, { limit: 5 }));
    this.#say(
      `Apps of ${found.account?.name}, asked for as one asks for those of a user: ${found.apps.length}. ` +
        `Installed in ${repo.owner}/${repo.repo}: ${installed.installations.length}.`,
    );
  }

  async #listIssues(repo: RepoName): Promise<void> {
    const { issues } = this.#site;
    const before = await this.#readsOf('GH-05', async () => await issues.of(repo, { status: 'Open' }));
    await this.#migrate('MIG-4', 'open and closed issues are listed by key');
    const after = await this.#readsOf('GHM-10', async () => await issues.of(repo, { status: 'Open' }));
    await this.#during('GHM-11', async () => await issues.of(repo, { status: 'Closed' }));
    this.#say(`A page of open issues: ${before} items were read for it before, ${after} are now.`);
  }

  async #listPullRequests(repo: RepoName): Promise<void> {
    const { pullRequests } = this.#site;
    const before = await this.#readsOf('GH-08', async () => await pullRequests.of(repo, { status: 'Open' }));
    await this.#migrate('MIG-5', 'so are pull requests');
    const after = await this.#readsOf('GHM-12', async () => await pullRequests.of(repo, { status: 'Open' }));
    await this.#during('GHM-13', async () => await pullRequests.of(repo, { status: 'Closed' }));
    this.#say(`A page of open pull requests: ${before} items were read for it before, ${after} are now.`);
  }

  /** An issue moves from list to list, when no other user can close it. */
  async #closeAndReopen(repo: RepoName, username: string): Promise<void> {
    const { issues } = this.#site;
    const created = await this.#during(
      'GHM-14',
      async () => await issues.create(repo, { title: 'What is new', author: username }),
    );
    this.#meant.discussionCreated('issues', created);
    for (const status of ['Closed', 'Open'] as const) {
      const { owner, repo: name, number } = created;
      await this.#during('GHM-15', async () => await issues.setStatus({ owner, repo: name, number }, status));
      this.#meant.statusSet('issues', created, status);
    }
  }

  /** Plans, runs and verifies a migration, and switches its readers on. */
  async #migrate(name: MigrationName, what: string): Promise<void> {
    const { terminal, client, tableName, signal } = this.#stage;
    const migrated = MIGRATIONS[name];
    terminal.heading(`${name}: ${what}`);
    const { steps } = plan(migrated);
    for (const [index, step] of steps.entries()) {
      this.#say(`${index + 1}. ${stepText(step)}`);
    }
    const settings = { client, tableName, signal };
    const report = await this.#during(name, async () => await runMigration(migrated, settings));
    const count = report.steps.at(-1)?.count;
    if (count === undefined) {
      this.#say('Nothing that is stored changes.');
      return;
    }
    this.#say(
      `${count.scanned} items read, ${count.matched} of them concerned: ${count.written} written, ` +
        `${count.current} had their keys from the writers, ${count.gone} were removed meanwhile.`,
    );
    const { ok, indexes } = await verifyMigration(migrated, { ...settings, atRest: false });
    assert(ok, `${name} is verified`);
    for (const [index, kinds] of Object.entries(indexes)) {
      const counts = Object.entries(kinds).map(([kind, { items, entries }]) => `${kind} ${entries} of ${items}`);
      this.#say(`Verified while they write. ${index}: ${counts.join(', ')}.`);
    }
    for (const reader of SWITCHED_BY[name]) {
      this.#readers[reader] = true;
    }
    this.#say(`Switched on: ${SWITCHED_BY[name].join(', ')}.`);
  }

  /** Runs every pattern, and compares the answers with the site in plain memory. */
  async #compare(): Promise<void> {
    const { terminal } = this.#stage;
    const acts = Object.values(this.#tally).reduce((sum, count) => sum + count, 0);
    terminal.heading('The year in numbers');
    this.#say(`The writers acted ${acts} times meanwhile: ${summary(this.#tally)}.`);
    const compared = await compareSites({
      filtered: this.#open(READERS_OFF),
      byKey: this.#open(READERS_ON),
      meant: this.#meant,
      samplesMax: 5,
    });
    const answers = Object.values(compared).reduce((sum, count) => sum + count, 0);
    this.#say(
      `${answers} answers of ${Object.keys(compared).length} old and new patterns are those of a site in plain memory.`,
    );
  }

  /** Several concurrent users, until the demo is over. */
  async #crowd(): Promise<void> {
    const work = Array.from({ length: WRITERS }, async (_, id) => {
      const random = new SeededRandom(SEED + id);
      const writer = { site: this.#site, meant: this.#meant, random, clock: this.#clock, id, writers: WRITERS };
      await write(writer, () => this.#goesOn && !this.#stage.signal.aborted, this.#tally);
    });
    await Promise.all(work).finally(() => (this.#goesOn = false));
  }

  /** How many items a request reads. */
  async #readsOf(patternId: string, call: () => Promise<unknown>): Promise<number> {
    const { ledger } = this.#stage;
    const { itemsRead } = ledger.figures(patternId);
    await this.#during(patternId, call);
    return ledger.figures(patternId).itemsRead - itemsRead;
  }

  async #during<Result>(patternId: string, call: () => Promise<Result>): Promise<Result> {
    this.#stage.signal.throwIfAborted();
    return await this.#stage.ledger.during(patternId, call);
  }

  #open(readers: Readers): MigratedGitHub {
    const { client, tableName } = this.#stage;
    const random = new SeededRandom(SEED - 1);
    const newId = createKsuidGenerator({ clock: this.#clock, randomBytes: (count) => random.bytes(count) });
    return openMigratedGitHub({
      client,
      tableName,
      clock: this.#clock,
      newCommentId: newId,
      newGistId: newId,
      readers,
    });
  }

  #say(text: string): void {
    this.#stage.terminal.line(text);
  }
}

/** The most frequent actions. */
function summary(tally: WriterTally): string {
  return Object.entries(tally)
    .filter(([name]) => name !== 'nothing to do')
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, 6)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
