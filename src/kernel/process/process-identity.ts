import fs from 'node:fs';

/** A process id with start time and boot id, where /proc has them: a later process may reuse the id. */
export type ProcessIdentity = { pid: number; started?: string; boot?: string };

function bootId(): string | undefined {
  try {
    return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** proc(5): state is the first field after the command, starttime the 20th. */
function stat(pid: number): { state: string; started: string } | undefined {
  try {
    const line = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

export function thisProcess(): ProcessIdentity {
  const started = stat(process.pid)?.started;
  const boot = bootId();
  return {
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    ...(boot === undefined ? {} : { boot }),
  };
}

/** Whether that very process still runs; without /proc only the process id is compared. */
export function isAlive(identity: ProcessIdentity): boolean {
  const boot = bootId();
  if (identity.boot !== undefined && boot !== undefined && identity.boot !== boot) return false;
  if (identity.started !== undefined && boot !== undefined) {
    const now = stat(identity.pid);
    // A zombie holds no files any more.
    return now !== undefined && now.started === identity.started && !/[ZX]/.test(now.state);
  }
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
