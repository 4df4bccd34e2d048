import { Argument, Command } from 'commander';

import manifest from '../../package.json' with { type: 'json' };
import { AGENT_WORDS } from '../kernel/process/agent-mode.ts';
import type { Composition } from '../start/composition.ts';
import { explain } from './explain.ts';
import type { McpOptions } from './mcp.ts';
import type { AgentsOptions } from './operator/agents.ts';
import type { AuditOptions } from './operator/doctor.ts';
import type { DrillOptions } from './operator/drill.ts';
import type { ExplainOptions } from './operator/explain-device.ts';
import type { KeyOptions } from './operator/key.ts';
import type { ProviderOptions } from './operator/provider.ts';

/** The command line: `npm run svc -- <command>`; a command's code is loaded when it is the one asked for. */
export async function run(argv: string[], composition: Composition): Promise<void> {
  const program = new Command('svc').description('Device Data Platform').version(manifest.version);
  program.hook('preAction', (_program, command) => endWithReader(command.name() === 'serve'));
  addProcesses(program, composition);
  addPrograms(program, composition);
  addCare(program, composition);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

/** What runs, or prepares what runs. */
function addProcesses(program: Command, composition: Composition): void {
  program
    .command('serve')
    .description('start the platform, or the services that SVC_ROLES names')
    .action(async () => (await import('./serve.ts')).serveCommand(composition));
  program
    .command('health')
    .description('ask the process with this environment whether it is ready; ends with 1 when not')
    .action(async () => (await import('./health.ts')).healthCommand(composition.readSettings()));
  program
    .command('migrate')
    .description('bring the database up to date, then end')
    .action(async () => (await import('./operator/doctor.ts')).migrateCommand(composition));
  program
    .command('demo')
    .argument('[names...]', 'demo devices; all when none is named')
    .description('onboard the demo devices on a platform that runs as several processes')
    .action(async (names: string[]) =>
      (await import('./demo/command.ts')).demoCommand(composition, names),
    );
}

/** Programs, models and agents that use the platform. */
function addPrograms(program: Command, composition: Composition): void {
  program
    .command('key')
    .description('make a key for a program and print it: shown this once, stored as a digest')
    .requiredOption('--name <name>', 'what it is for')
    .option('--audience <audience>', 'api (REST and chat) or mcp', 'api')
    .option('--scopes <scopes>', 'svc:read svc:read-device svc:propose svc:chat', 'svc:read')
    .option('--days <days>', 'until it ends, 366 at most', '90')
    .option('--tenant <code>', 'tenant', 'default')
    .option('--login <login>', 'the person it acts for; the first admin when left out')
    .option('--account <name>', 'the service account it acts for, instead of the person')
    .action(async (options: KeyOptions) =>
      (await import('./operator/key.ts')).keyCommand(composition, options),
    );
  program
    .command('provider')
    .addArgument(new Argument('<what>', 'what to do').choices(['add']))
    .option('--name <name>', 'its name; what no option says is asked')
    .option('--type <type>', 'openai-compatible (also a model on this machine) or anthropic')
    .option('--url <url>', 'base address of its API')
    .option('--proxy <url>', 'HTTP proxy to it; the password of http://user@host:port is asked for')
    .option('--model <model>', 'the first model that the chat offers of it')
    .option('--default', 'as the default provider and model')
    .option('--tenant <code>', 'tenant', 'default')
    .option('--login <login>', 'the person who adds it; the first admin when left out')
    .description(
      'add a model provider that answers to a check; its key is SVC_PROVIDER_KEY, or asked for',
    )
    .action(async (_what: string, options: ProviderOptions) =>
      (await import('./operator/provider.ts')).providerCommand(
        composition,
        options,
        process.env['SVC_PROVIDER_KEY'],
      ),
    );
  program
    .command('mcp')
    .description('talk MCP in lines of standard input and output, with a key, to an endpoint')
    .option('--stdio', 'the only way there is')
    .option('--url <url>', 'of the endpoint; of this platform when left out')
    .option('--key-file <path>', 'file with the key, instead of SVC_MCP_KEY')
    .action(async (options: McpOptions) =>
      (await import('./mcp.ts')).mcpCommand(composition.readSettings().baseUrl, options),
    );
  program
    .command('connect')
    .description('print how each client of agents is connected to this platform')
    .action(async () =>
      (await import('./operator/agents.ts')).connectCommand(composition.readSettings().baseUrl),
    );
  program
    .command('agents')
    .addArgument(new Argument('<mode>', 'what agents may do').choices(AGENT_WORDS))
    .option('--tenant <code>', 'in this tenant only, instead of the whole platform')
    .option('--reason <text>', 'what agents and people read about it', '')
    .description('switch agents on, to reading only, or off, in every process at once')
    .action(async (mode: (typeof AGENT_WORDS)[number], options: AgentsOptions) =>
      (await import('./operator/agents.ts')).agentsCommand(composition, mode, options),
    );
}

/** What a person looks after. */
function addCare(program: Command, composition: Composition): void {
  program
    .command('doctor')
    .description('check the data for what contradicts itself; ends with 1 when something does')
    .action(async () => (await import('./operator/doctor.ts')).doctorCommand(composition));
  program
    .command('explain')
    .addArgument(new Argument('<what>', 'what is explained').choices(['device']))
    .argument('<name>', 'its name or id')
    .option('--url <url>', 'address of the platform; of this one when left out')
    .option('--key-file <path>', 'file with a key of the API, instead of SVC_KEY')
    .description('how a device is, what it registered and the last exchanges with it, decoded')
    .action(async (_what: string, name: string, options: ExplainOptions) =>
      (await import('./operator/explain-device.ts')).explainDevice(
        composition.readSettings().baseUrl,
        name,
        options,
      ),
    );
  program
    .command('backup')
    .argument('<file>', 'file that is made, such as platform.tar.zst')
    .description('back the embedded database and the data folder up, while the platform runs too')
    .action(async (file: string) =>
      (await import('./operator/backup.ts')).backupCommand(composition, file),
    );
  program
    .command('restore')
    .argument('<file>', 'file that svc backup made')
    .description('restore a backup into the empty data folder')
    .action(async (file: string) =>
      (await import('./operator/restore.ts')).restoreCommand(composition, file),
    );
  program
    .command('audit')
    .addArgument(new Argument('<what>', 'what to do').choices(['verify']))
    .option('--head <path>', 'file of the outside heads, instead of SVC_AUDIT_HEAD')
    .description(
      'compare the audit logs with their seals and with the head outside the database; ends with 1 when they differ',
    )
    .action(async (_what: string, options: AuditOptions) =>
      (await import('./operator/doctor.ts')).auditCommand(composition, options),
    );
  program
    .command('password')
    .argument('<login>', 'whose password')
    .option('--tenant <code>', 'tenant of the login', 'default')
    .description('set a new password: typed, piped in, or generated and printed once')
    .action(async (login: string, options: { tenant?: string }) =>
      (await import('./operator/password.ts')).passwordCommand(composition, login, options),
    );
  program
    .command('drill')
    .option('--rule <rule>', 'id or name of the rule that fires')
    .option('--device <device>', 'or id or name of the device that is away')
    .option(
      '--at <time>',
      'when, such as 2026-11-29T03:00 by the clock of the plant; now when left out',
    )
    .option('--hours <hours>', 'how long it goes on unconfirmed, 72 at most', '12')
    .option('--failing <channels...>', 'ids or names of channels whose receivers are away')
    .option('--tenant <code>', 'tenant', 'default')
    .description(
      'which channels would get the alarm of a rule, or of a device that is away, at a time, and when; nothing is sent',
    )
    .action(async (options: DrillOptions) =>
      (await import('./operator/drill.ts')).drillCommand(composition, options),
    );
  program
    .command('dead')
    .addArgument(new Argument('<what>', 'what to do with them').choices(['list', 'replay', 'drop']))
    .argument('[ids...]', 'of these messages; of all when none is named')
    .description('messages that no consumer could take: list them, put them back, or drop them')
    .action(async (what: string, ids: string[]) =>
      (await import('./operator/dead.ts')).deadCommand(composition, what, ids),
    );
  program
    .command('tools')
    .description('print the tool catalogue')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) =>
      (await import('./tools.ts')).toolsCommand(options.json ?? false),
    );
}

/** A closed reader (`svc tools | head`) ends a command without an error; `serve` continues. */
function endWithReader(goesOn: boolean): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!goesOn) process.exit(0);
  });
}
