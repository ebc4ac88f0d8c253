import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawn } from '../../../systems/testing/drawn.ts';
import { localCommand } from '../src/cli/local-command.ts';

/*
 * The projects of docs/testing, run by their test runners: each block that begins with the name of a file is written to that file, and the
 * packages are the ones installed and built here. A run draws half of the projects. The first of these runs again with one fault in it, which its tests
 * have to find; each does with `npm run long -- guides`.
 */
const allFaults = process.env['GUIDE_FAULTS'] === 'all';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const pages = join(root, 'docs/testing');

interface Project {
  /** In docs/testing. */
  readonly page: string;
  /** The section with the project's files, where a page has several projects. */
  readonly section?: string;
  /** The command, as the page has it. Absent: the page has the runner's configuration only. */
  readonly says?: string;
  readonly command: readonly string[];
  readonly passes: RegExp;
  readonly files: readonly string[];
  /** A text in one of the files, and what replaces it. */
  readonly fault: readonly [string, string];
  readonly found: RegExp;
}

const bin = (path: string): string => join(root, 'node_modules', path);
/** A test ends when it is done. How long that takes depends on the machine. */
const patient = '--testTimeout=600000';
const vitest = [process.execPath, bin('vitest/vitest.mjs'), 'run', patient];
const jest = [process.execPath, bin('jest/bin/jest.js'), '--ci', patient];
const pytest = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];

const projects: readonly Project[] = [
  {
    page: 'vitest.md',
    says: 'npx vitest run',
    command: vitest,
    passes: /Tests .*5 passed/,
    files: ['songs.ts', 'songs.test.ts', 'vitest.config.ts', 'singlet.setup.ts', 'own-client.test.ts'],
    fault: ["':one': { N: '1' }", "':one': { N: '2' }"],
    found: /Tests .*3 failed.*2 passed/,
  },
  {
    page: 'jest.md',
    says: 'npx jest',
    command: jest,
    passes: /Tests: .*5 passed/,
    files: ['songs.js', 'songs.test.js', 'jest.config.js', 'jest-singlet-config.js', 'own-client.test.js'],
    fault: ["ConditionExpression: 'attribute_exists(title)',", ''],
    found: /Tests: .*1 failed, 4 passed/,
  },
  {
    page: 'node-test.md',
    says: 'node --test',
    command: [process.execPath, '--test'],
    passes: /pass 3\n/,
    files: ['songs.mjs', 'songs.test.mjs', 'script.mjs'],
    fault: ["plays: { N: '7' } }] }", "plays: { N: '6' } }] }"],
    found: /pass 1\n[\s\S]*fail 2\n/,
  },
  {
    page: 'pytest.md',
    says: 'pytest',
    command: pytest,
    passes: /5 passed/,
    files: ['conftest.py', 'songs.py', 'test_songs.py', 'test_own_client.py'],
    fault: ['":one": 1', '":one": 2'],
    found: /1 failed, 4 passed/,
  },
  {
    page: 'dynamodb-local.md',
    section: '@shelf/jest-dynamodb',
    command: jest,
    passes: /Tests: .*1 passed/,
    files: ['jest.config.js', 'jest-dynamodb-config.js', 'files.test.js'],
    fault: ["data: [{ id: 'readme' }]", 'data: []'],
    found: /Tests: .*1 failed/,
  },
  {
    page: 'dynamodb-local.md',
    section: 'jest-dynalite',
    command: jest,
    passes: /Tests: .*2 passed/,
    files: ['jest.config.js', 'jest-dynalite-config.js', 'files.test.js'],
    fault: ["data: [{ id: 'readme' }]", 'data: []'],
    found: /Tests: .*2 failed/,
  },
];

/** The page's files with their contents, from one of its sections or all of it. */
function filesOf(page: string, section?: string): ReadonlyMap<string, string> {
  const all = readFileSync(join(pages, page), 'utf8');
  const text = section === undefined ? all : (all.split(/^## /m).find((part) => part.startsWith(section)) ?? '');
  return new Map(
    [...text.matchAll(/```\w+\n(?:\/\/|#) (\S+\.\w+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
  );
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'singlet-guide-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a project with the packages of this checkout. */
function written(name: string, files: ReadonlyMap<string, string>): string {
  const project = join(folder, name);
  mkdirSync(project);
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{}');
  for (const [file, text] of files) writeFileSync(join(project, file), text);
  return project;
}

async function run(
  [command = '', ...args]: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  // A test runner started by another would behave as a part of it.
  const { VITEST: _, NODE_ENV: __, JEST_WORKER_ID: ___, ...environment } = process.env;
  const env = { ...environment, NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  return { code: await ended, output: output + errors };
}

/** The page names a port, which may be in use on this machine. */
async function withFreePort(files: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => void server.close(resolve));
  return new Map([...files].map(([name, text]) => [name, text.replaceAll('8000', String(port))]));
}

const tried = allFaults ? projects : drawn('guides', projects, 2);
const hasPytest = spawnSync('python3', ['-c', 'import boto3, pytest']).status === 0;

for (const each of projects) {
  const { page, section, says, command, passes, files, fault, found } = each;
  const name = section === undefined ? page : `${page}, ${section}`;
  describe.skipIf(command === pytest && !hasPytest)(`docs/testing/${name}`, () => {
    const project = filesOf(page, section);
    const folderName = name.replaceAll(/\W/g, '-');

    test('has the files of a project, and the command', () => {
      expect([...project.keys()]).toEqual(files);
      if (says !== undefined) expect(readFileSync(join(pages, page), 'utf8')).toContain(`\n${says}\n\`\`\``);
    });

    test.skipIf(!tried.includes(each))('passes as it is written', async () => {
      const ended = await run(command, written(folderName, await withFreePort(project)));
      expect(ended.output).toMatch(passes);
      expect(ended.code).toBe(0);
    });

    test.skipIf(!allFaults && each !== tried[0])('finds a fault', async () => {
      const [right, wrong] = fault;
      expect([...project.values()].join('')).toContain(right);
      const faulty = new Map([...project].map(([file, text]) => [file, text.replaceAll(right, wrong)]));
      const ended = await run(command, written(`${folderName}-faulty`, await withFreePort(faulty)));
      expect(ended.output).toMatch(found);
      expect(ended.code).not.toBe(0);
    });
  });
}

test('docs/testing/node-test.md: the script runs without a runner', async () => {
  const ended = await run([process.execPath, 'script.mjs'], written('script', filesOf('node-test.md')));
  expect(ended).toEqual({ code: 0, output: 'Blackbird 1\nYesterday 1\n' });
});

/** Uses the class of the page as a test would, with a request that a client sends. */
const javaProgram = `
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

class Main {
  public static void main(String[] arguments) throws Exception {
    URI endpoint;
    try (Singlet singlet = new Singlet()) {
      endpoint = singlet.endpoint();
      HttpRequest request = HttpRequest.newBuilder(endpoint)
          .header("content-type", "application/x-amz-json-1.0")
          .header("x-amz-target", "DynamoDB_20120810.ListTables")
          .header("authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/" + Singlet.newRegion()
              + "/dynamodb/aws4_request, SignedHeaders=host, Signature=00")
          .header("x-amz-date", "20260101T000000Z")
          .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
      System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
    try {
      new java.net.Socket(endpoint.getHost(), endpoint.getPort()).close();
      System.out.println("still there");
    } catch (java.net.ConnectException gone) {
      System.out.println("stopped");
    }
  }
}
`;

const hasJava = spawnSync('javac', ['-version']).status === 0;

test.skipIf(!hasJava)('docs/testing/other-languages.md: the class in Java starts a server and stops it', async () => {
  const files = filesOf('other-languages.md');
  expect([...files.keys()]).toEqual(['Singlet.java']);
  const project = written('java', new Map([...files, ['Main.java', javaProgram]]));
  expect(await run(['javac', 'Singlet.java', 'Main.java'], project)).toEqual({ code: 0, output: '' });
  expect((await run(['java', 'Main'], project)).output).toMatch(/^\{"TableNames":\[\]\}\nstopped\n/); // then what the server logs
});

test('docs/testing/dynamodb-local.md: the table has the flags that singlet local takes', () => {
  const text = readFileSync(join(pages, 'dynamodb-local.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `(-[A-Za-z]+)`/gm)].map(([, flag]) => flag);
  let help = '';
  localCommand()
    .configureOutput({ writeOut: (written) => (help += written) })
    .outputHelp();
  const taken = [...help.matchAll(/^ {2}(-[A-Za-z]{2,})/gm)].map(([, flag]) => flag);
  expect(taken.length).toBeGreaterThan(7);
  expect(listed).toEqual([...taken, '-jar']);
});

test('docs/testing.md leads to every page, and each page says at its top what it is for', () => {
  const guide = readFileSync(join(root, 'docs/testing.md'), 'utf8');
  const all = readdirSync(pages);
  expect(all.length).toBeGreaterThanOrEqual(6);
  for (const page of all) {
    expect(guide).toContain(`(testing/${page})`);
    expect(readFileSync(join(pages, page), 'utf8')).toMatch(/^# .*\n\nHow to /);
  }
});
