import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { eventually } from '../world/eventually.ts';

const BLOCK_MS = 60_000;
const STOP_MS = 20_000;

/** A terminal at which a person types: a shell and what it starts are one process group. */
export type Terminal = {
  /** All that was printed so far. */
  output(): string;
  /** The first match in what was printed after `from` characters, as soon as it is there. */
  prints(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  /** Runs a script in the shell, which keeps its variables; what it printed, a line for each failure included. */
  run(script: string): Promise<string>;
  /** Ctrl-C; waits until nothing of it runs any more. */
  interrupt(): Promise<void>;
};

/** A failed command and a variable that a path of JSON did not fill say so in the output. */
const WATCH = `exec 2>&1
set -E
trap 'echo "FAILED: $BASH_COMMAND"' ERR
end() { for V in $(compgen -v); do [[ \${!V} != undefined ]] || { echo "FAILED: $V is undefined"; unset $V; }; done; printf '\\n%s\\n' "$1"; }
`;

/** Opens one in this directory; with a command it runs that instead of waiting for scripts. */
export function openTerminal(
  directory: string,
  environment: Record<string, string>,
  command?: string,
): Terminal {
  const words = command === undefined ? [] : ['-c', `exec 2>&1\n${command}`];
  const child = spawn('bash', ['--noprofile', '--norc', ...words], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: directory, ...environment },
    stdio: [command === undefined ? 'pipe' : 'ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  if (command === undefined) child.stdin?.write(WATCH);
  let count = 0;
  const prints = async (pattern: RegExp, from = 0): Promise<RegExpExecArray> => {
    const found = await eventually(
      async () => pattern.exec(output.slice(from)),
      (match) => match !== null || child.exitCode !== null,
      BLOCK_MS,
    ).catch(() => null);
    if (!found) throw new Error(`nothing like ${pattern} was printed:\n${output.slice(from)}`);
    return found;
  };
  return {
    output: () => output,
    prints,
    async run(script) {
      count += 1;
      const [file, mark] = [`.block-${count}.sh`, `=== end of block ${count}`];
      await writeFile(join(directory, file), script);
      const from = output.length;
      child.stdin?.write(`source ./${file} </dev/null; end '${mark}'\n`);
      const { index } = await prints(new RegExp(`^${mark}$`, 'm'), from);
      return output.slice(from, from + index);
    },
    async interrupt() {
      signalGroup(child.pid, 'SIGINT');
      child.stdin?.end();
      // A shell that is no terminal's lets what runs in its background ignore Ctrl-C.
      const late = sleep(STOP_MS, 'late' as const, { ref: false });
      if ((await Promise.race([closed, late])) === 'late') signalGroup(child.pid, 'SIGKILL');
      await closed;
    },
  };
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Nothing of it runs any more.
  }
}
