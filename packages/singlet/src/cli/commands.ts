import type { Command } from 'commander';

/**
 * The commands in the order of the help. Each is loaded when it is called; all of them are loaded to list them.
 *
 * docs/commands.md is generated from their `--help` output.
 */
export const commands: Readonly<Record<string, (version: string) => Promise<Command>>> = {
  serve: async () => (await import('./serve-command.ts')).serveCommand(),
  local: async () => (await import('./local-command.ts')).localCommand(),
  identity: async () => (await import('./identity/identity-command.ts')).identityCommand(),
  studio: async () => (await import('./studio-command.ts')).studioCommand(),
  init: async () => (await import('./model/init-command.ts')).initCommand(),
  check: async () => (await import('./model/check-command.ts')).checkCommand(),
  prove: async () => (await import('./model/prove-command.ts')).proveCommand(),
  cost: async () => (await import('./model/cost-command.ts')).costCommand(),
  docs: async () => (await import('./model/docs-command.ts')).docsCommand(),
  diff: async () => (await import('./model/diff-command.ts')).diffCommand(),
  accept: async () => (await import('./model/accept-command.ts')).acceptCommand(),
  migrate: async () => (await import('./model/migrate-command.ts')).migrateCommand(),
  run: async () => (await import('./model/run-command.ts')).runCommand(),
  repl: async () => (await import('./model/repl-command.ts')).replCommand(),
  seed: async () => (await import('./model/seed-command.ts')).seedCommand(),
  model: async () => (await import('./model/model-command.ts')).modelCommand(),
  generate: async () => (await import('./model/generate-command.ts')).generateCommand(),
  mcp: async (version) => (await import('./mcp/mcp-command.ts')).mcpCommand(version),
  ksuid: async () => (await import('./model/ksuid-command.ts')).ksuidCommand(),
  consume: async () => (await import('./consume-command.ts')).consumeCommand(),
  deploy: async () => (await import('./deploy-command.ts')).deployCommand(),
  explain: async () => (await import('./explain-command.ts')).explainCommand(),
  import: async () => (await import('./import-command.ts')).importCommand(),
  export: async () => (await import('./export-command.ts')).exportCommand(),
  store: async () => (await import('./store/store-command.ts')).storeCommand(),
  backup: async () => (await import('./backup-command.ts')).backupCommand(),
  restore: async () => (await import('./restore-command.ts')).restoreCommand(),
  verify: async () => (await import('./verify-command.ts')).verifyCommand(),
  policy: async () => (await import('./policy/policy-command.ts')).policyCommand(),
  doctor: async () => (await import('./doctor-command.ts')).doctorCommand(),
  'rotate-keys': async () => (await import('./rotate-keys-command.ts')).rotateKeysCommand(),
};
