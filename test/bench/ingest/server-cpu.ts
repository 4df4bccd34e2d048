import { readdir, readFile } from 'node:fs/promises';

/**
 * Microseconds of CPU so far of the server's processes that serve the connections of a database; what is not of this
 * machine, or ended, is not in it. Needs /proc.
 */
export async function serverCpu(databaseUrl: string): Promise<number> {
  const database = new URL(databaseUrl).pathname.slice(1);
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const spent = await Promise.all(
    processes.map(async (id) => {
      // PostgreSQL titles a process `postgres: USER DATABASE ADDRESS(PORT) STATE`; one may end meanwhile.
      const title = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      if (!title.startsWith('postgres:') || !title.includes(` ${database} `)) return 0;
      const times = await readFile(`/proc/${id}/schedstat`, 'utf8').catch(() => '0');
      return Number(times.split(' ')[0]) / 1_000;
    }),
  );
  return spent.reduce((sum, each) => sum + each, 0);
}
